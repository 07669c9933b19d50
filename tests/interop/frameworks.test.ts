import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HttpHandlers } from '@schemakit/server';
import express from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expressApp } from '../../examples/mounted-server/express-app.ts';
import { fastifyApp } from '../../examples/mounted-server/fastify-app.ts';
import { honoApp } from '../../examples/mounted-server/hono-app.ts';
import { nodeApp } from '../../examples/mounted-server/node-app.ts';
import { openShop, thing } from './support/open-shop.ts';

/** Mounts a server beside a page of the application's own, `/`. */
type Mount = (shop: HttpHandlers) => Server | Promise<Server>;

const plainExpressApp: Mount = (shop) => {
  const app = express();
  app.use(shop.handle);
  app.get('/', (_request, response) => void response.send('My application'));
  return app.listen(0, '127.0.0.1');
};

const mounts: [string, Mount][] = [
  ['Express', plainExpressApp],
  ['Express behind express.json()', expressApp],
  ['Fastify', fastifyApp],
  ['Hono', honoApp],
  ['node:http', nodeApp],
];

async function listening(app: Server): Promise<string> {
  if (!app.listening) await once(app, 'listening');
  onTestFinished(async () => {
    app.closeAllConnections();
    await new Promise((resolve) => app.close(resolve));
  });
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
}

describe.each(mounts)('mounted in %s', (_, mount) => {
  test.each([
    ['the stateless revision', '/mcp', { pin: '2026-07-28' }],
    ['sessions', '/mcp', 'legacy'],
    ['events', '/sse', 'legacy'],
  ] as const)('a client lists and calls, with %s', async (_revision, path, mode) => {
    const mcp = (await openShop()).server.middleware();
    onTestFinished(() => mcp.close());
    const url = await listening(await mount(mcp));
    expect(await (await fetch(url)).text()).toBe('My application');
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    const Transport = path === '/sse' ? SSEClientTransport : StreamableHTTPClientTransport;
    await client.connect(new Transport(new URL(path, url)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([thing.name]);
    const { content } = await client.callTool({ name: thing.name, arguments: thing.arguments });
    expect(content).toEqual([{ type: 'text', text: thing.text }]);
  });
});
