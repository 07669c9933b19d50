import { createServer, type HttpHandlers } from '@schemakit/server';
import type { FastifyInstance } from 'fastify';
import { apiSchema } from './api-schema.ts';

export interface McpRouteOptions {
  /** With it the tools call the API of this very service. */
  token: string;
  /** Where the service listens, known when it does. */
  origin: () => string;
  maxBodyBytes: number;
}

/** A call may wait in the queue. */
const timeoutMs = 10 * 60_000;

/** `/mcp`: the API as tools. Who may call was checked before. */
export function mcpRoute(app: FastifyInstance, { token, origin, maxBodyBytes }: McpRouteOptions): void {
  let handlers: HttpHandlers | undefined;
  const open = (): HttpHandlers =>
    createServer(apiSchema(origin()), {
      name: 'schemakit-validator',
      serverParams: { API_TOKEN: token },
      // The service has its own queue and limits.
      upstream: { concurrency: 1000, maxQueue: 1000, maxWaitMs: timeoutMs, breaker: false, singleFlight: false },
      timeoutMs,
      onError: ({ message: reason }) => app.log.warn({ reason }, 'An MCP request failed'),
    }).middleware({
      allowedHosts: 'any',
      auth: async () => ({ token: '', clientId: 'service', scopes: [] }),
      maxBodyBytes,
    });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The MCP server reads the body itself.
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      exposeHeadRoute: false,
      schema: { hide: true },
      async handler(request, reply) {
        handlers ??= open();
        for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '');
        reply.hijack();
        await handlers.handle(request.raw, reply.raw);
      },
    });
    scope.addHook('preClose', async () => handlers?.close({ graceMs: 1000 }));
  });
}
