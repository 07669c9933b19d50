import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

/** Collects the schemas of all routes that are registered later. */
export async function registerOpenApi(app: FastifyInstance, publicUrl: string | undefined): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'SchemaKit validator',
        version: '1.0.0',
        description:
          'Tells what an endpoint really offers: MCP, A2A, payment, OAuth, MCP Apps, HTTP, HTML and ERC-8004.',
      },
      ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{}, { token: [] }],
    },
  });
}

export function openApiRoutes(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
