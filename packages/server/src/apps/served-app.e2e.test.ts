import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { exposeSchemas } from '@schemakit/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedTool } from '../catalog/tool-catalog.ts';
import { createMcpServer } from '../create-mcp-server.ts';
import { createServer } from '../create-server.ts';
import { createSharedServer, type ServerOptions } from '../shared-server.ts';

const get = { method: 'GET', path: '/', description: 'Gets.', parameters: [] };
const main = {
  namespace: 'map',
  name: 'Map',
  description: 'Maps.',
  version: '3.0.0',
  root: 'http://127.0.0.1:9',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: { here: get, there: get },
};
const tools: ServedTool[] = exposeSchemas([main]).map((tool) => ({
  ...tool,
  call: async (args, { select } = {}) => ({ content: [{ type: 'text', text: JSON.stringify({ args, select }) }] }),
}));

const pages = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const info = { name: 'map', version: '1.0.0' };

async function connect(options: ServerOptions = {}, extensions: object = pages) {
  const [left, right] = InMemoryTransport.createLinkedPair();
  const client = new Client(info, { capabilities: { extensions } as never });
  const { createViews, connectionOptions } = createSharedServer({ tools }, options);
  const server = createMcpServer(createViews(new Map())().current, info, connectionOptions);
  await Promise.all([server.connect(left), client.connect(right)]);
  onTestFinished(() => client.close());
  return client;
}

/** The bytes of an answer over HTTP, in the revision without sessions. */
async function answerOf(method: string, options: ServerOptions, extensions: object = {}): Promise<string> {
  const { fetch, close } = createServer({ tools }, options).middleware();
  onTestFinished(() => close());
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  };
  const response = await fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta } }),
    }),
  );
  return response.text();
}

describe('a client that does not show pages', () => {
  test.each(['tools/list', 'resources/list', 'server/discover'])(
    'gets the same bytes for %s as without them',
    async (method) => {
      const without = await answerOf(method, { apps: false });
      expect(without).toContain('"result"');
      expect(await answerOf(method, {})).toBe(without);
      expect(await answerOf(method, {}, { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/plain'] } })).toBe(without);
      expect(await answerOf(method, { apps: false }, pages)).toBe(without);
    },
  );

  test('gets the same lists in a session, and cannot select what is not listed', async () => {
    const [client, without] = [await connect({}, {}), await connect({ apps: false }, {})];
    expect(JSON.stringify(await client.listTools())).toBe(JSON.stringify(await without.listTools()));
    const { content } = await client.callTool({ name: 'map__here', arguments: { select: 'a' } });
    expect(content).toMatchObject([{ text: '{"args":{"select":"a"}}' }]);
  });
});

describe('a host that shows pages', () => {
  test('gets one for each tool, which costs 55 bytes', async () => {
    const [plain, shown] = [await answerOf('tools/list', {}), await answerOf('tools/list', {}, pages)];
    const sameScope = (text: string) => text.replace(/"cacheScope":"\w+"/, '');
    expect(sameScope(shown).length - sameScope(plain).length).toBe(55 * tools.length);
    expect(shown).toContain('"cacheScope":"private"');
  });

  test('reads the page, which allows no network', async () => {
    const client = await connect();
    const { tools: listed } = await client.listTools();
    const uri = 'ui://schemakit/answer';
    expect(listed.map(({ _meta }) => _meta?.ui)).toEqual([{ resourceUri: uri }, { resourceUri: uri }]);
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri, mimeType: 'text/html;profile=mcp-app' }]);
    const [content] = (await client.readResource({ uri })).contents as { text: string; _meta: object }[];
    expect(content).toMatchObject({ _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } } });
    expect(content?.text).toMatch(/^<!doctype html>.*default-src 'none'; script-src 'sha256-[^']+';/s);
    expect(content?.text).not.toMatch(/unsafe-|<(?:script|link)[^>]* (?:src|href)=/);
  });

  test('may select a part of the answer of any tool', async () => {
    const client = await connect();
    const { content } = await client.callTool({ name: 'map__here', arguments: { n: 1, select: 'a' } });
    expect(content).toMatchObject([{ text: '{"args":{"n":1},"select":"a"}' }]);
  });

  test('does not get the page for tools that search other tools', async () => {
    const { tools: listed } = await (await connect({ discovery: true })).listTools();
    expect(listed.filter(({ _meta }) => _meta?.ui).map(({ name }) => name)).toEqual(['call_tool']);
  });

  test('gets pages of a program, and tools that only they call', async () => {
    const poll = { ...(tools[0] as ServedTool), listing: { ...(tools[0] as ServedTool).listing, name: 'poll' } };
    const app = {
      uri: 'ui://map/here',
      title: 'Here',
      html: () => '<p>',
      shows: (name: string) => name === 'map__here',
      tools: [poll],
    };
    const client = await connect({ apps: [app] });
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name, _meta }) => [name, _meta?.ui])).toEqual([
      ['map__here', { resourceUri: app.uri }],
      ['map__there', undefined],
      ['poll', { resourceUri: app.uri, visibility: ['app'] }],
    ]);
    expect(await client.callTool({ name: 'poll' })).toMatchObject({ content: [{ type: 'text' }] });
  });

  test('is refused for pages that are none', () => {
    expect(() => createServer({ tools }, { apps: [{ uri: 'https://map', title: 'Map', html: () => '' }] })).toThrow(
      /apps/,
    );
  });
});
