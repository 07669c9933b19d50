import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import type { HttpHandlers } from '@schemakit/server';
import { Hono } from 'hono';

/** Hono speaks `Request` and `Response`, as the server does. */
export function honoApp(mcp: HttpHandlers): Server {
  const app = new Hono();
  for (const path of ['/mcp', '/sse', '/messages']) app.all(path, ({ req }) => mcp.fetch(req.raw));
  app.get('/', (context) => context.text('My application'));
  return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
}
