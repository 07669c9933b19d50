import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { findPackage } from './support/find-package.ts';
import { listeningShop, thing } from './support/open-shop.ts';

const require = createRequire(import.meta.url);
const proxy = findPackage('mcp-remote', () => require.resolve('mcp-remote/dist/proxy.js')) ?? '';

describe.skipIf(proxy === '')('mcp-remote', () => {
  test.each([
    ['Streamable HTTP', '/mcp', 'http-only'],
    ['events', '/sse', 'sse-only'],
  ])('brings a client of stdio to %s', async (_, path, transport) => {
    const home = await temporaryFolder();
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const url = `${await listeningShop()}${path}`;
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [proxy, url, '--allow-http', '--transport', transport],
        env: { HOME: home, USERPROFILE: home, MCP_REMOTE_CONFIG_DIR: home },
        stderr: 'ignore',
      }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([thing.name]);
    const { content } = await client.callTool({ name: thing.name, arguments: thing.arguments });
    expect(content).toEqual([{ type: 'text', text: thing.text }]);
  });
});
