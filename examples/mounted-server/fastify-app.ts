import type { Server } from 'node:http';
import type { HttpHandlers } from '@schemakit/server';
import fastify from 'fastify';

/** Fastify reads bodies before its handlers run, so the server is told what came. */
export async function fastifyApp(mcp: HttpHandlers): Promise<Server> {
  const app = fastify();
  for (const path of ['/mcp', '/sse', '/messages']) {
    app.all(path, async (request, reply) => {
      reply.hijack();
      await mcp.handle(Object.assign(request.raw, { body: request.body }), reply.raw);
    });
  }
  app.get('/', async () => 'My application');
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
}
