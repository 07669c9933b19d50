import swagger from '@fastify/swagger';
import { escapeMarkup, htmlPage } from '@schemakit/validator';
import type { FastifyInstance } from 'fastify';

interface Operation {
  summary?: string;
  description?: string;
  parameters?: unknown;
  requestBody?: unknown;
  responses?: unknown;
}

/** What the listing shows of the document. */
interface ApiDocument {
  info: { title: string; description: string };
  paths: Record<string, Partial<Record<(typeof methods)[number], Operation>>>;
}

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
      servers: [{ url: publicUrl ?? '/' }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{}, { token: [] }],
    },
  });
}

/** The description of the API, for programs and for people. */
export function openApiRoutes(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/openapi', { schema: { hide: true } }, async (_, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .type('text/html; charset=utf-8')
      .send(listing(app.swagger() as ApiDocument)),
  );
}

const methods = ['get', 'post', 'delete'] as const;

function listing({ info, paths }: ApiDocument): string {
  const sections = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : section(`${method.toUpperCase()} ${path}`, operation);
    }),
  );
  const lead = `<p>${escapeMarkup(info.description)} For programs: <a href="/openapi.json">openapi.json</a>. For AI clients: the MCP server at <code>/mcp</code>.</p>`;
  return htmlPage({
    title: `${info.title}: API`,
    body: `<main><h1>${escapeMarkup(info.title)}: API</h1>${lead}${sections.join('')}</main>`,
  });
}

function section(
  heading: string,
  { summary = '', description, requestBody, parameters, responses }: Operation,
): string {
  const parts = { Parameters: parameters, Request: requestBody, Answers: responses };
  const details = Object.entries(parts).map(([name, part]) =>
    part === undefined
      ? ''
      : `<details><summary>${name}</summary><pre>${escapeMarkup(JSON.stringify(part, null, 2))}</pre></details>`,
  );
  const text = [summary, description].filter((part) => part !== undefined).join('. ');
  return `<h2><code>${escapeMarkup(heading)}</code></h2><p>${escapeMarkup(text)}</p>${details.join('')}`;
}
