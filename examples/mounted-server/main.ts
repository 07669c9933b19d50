// One MCP server in an application of each framework, beside the application's own pages.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SchemaKit } from '@schemakit/core';
import { createServer } from '@schemakit/server';
import { startHarbourApi } from './api.ts';
import { expressApp } from './express-app.ts';
import { fastifyApp } from './fastify-app.ts';
import { honoApp } from './hono-app.ts';
import { nodeApp } from './node-app.ts';

const api = await startHarbourApi();
const schema = await SchemaKit.loadSchema({ filePath: join(import.meta.dirname, 'harbours.mjs') });
if (!schema.status || schema.main === null) throw new Error(schema.messages.join('\n'));
// The file names port 4853; this program's API took any free one.
schema.main.root = api.url;
const mcp = createServer(schema).middleware();

async function tryOut(name: string, app: Server): Promise<void> {
  if (!app.listening) await once(app, 'listening');
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const page = await (await fetch(url)).text();
  const client = new Client({ name: 'example', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  const { content } = await client.callTool({ name: 'harbours__listHarbours' });
  console.log(name, page, content);
  await client.close();
  app.close();
  app.closeAllConnections();
}

await tryOut('express', expressApp(mcp));
await tryOut('fastify', await fastifyApp(mcp));
await tryOut('hono', honoApp(mcp));
await tryOut('node:http', nodeApp(mcp));

await mcp.close();
api.close();
