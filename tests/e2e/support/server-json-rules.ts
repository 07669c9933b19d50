import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const uri = { type: 'string', format: 'uri' };

/** No other members, so that a misspelled one is found. */
function closed(required: Record<string, object>, optional: Record<string, object> = {}): object {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

const variable = closed(
  { name: { type: 'string' } },
  {
    description: { type: 'string' },
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
  },
);

const server = closed(
  {
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255 },
  },
  {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    repository: closed({ url: uri, source: { type: 'string' } }),
    packages: {
      type: 'array',
      items: closed(
        {
          registryType: { enum: ['npm', 'mcpb'] },
          identifier: { type: 'string' },
          transport: closed({ type: { const: 'stdio' } }),
        },
        {
          version: { type: 'string', minLength: 1, maxLength: 255, not: { const: 'latest' } },
          runtimeHint: { type: 'string' },
          fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
          environmentVariables: { type: 'array', items: variable },
        },
      ),
    },
    remotes: {
      type: 'array',
      items: closed({ type: { const: 'streamable-http' }, url: { ...uri, pattern: '^https?://[^\\s]+$' } }),
    },
  },
);

const ajv = addFormats.default(new Ajv2020({ allErrors: true }) as never) as unknown as Ajv2020;
const isServer = ajv.compile(server);

/** What breaks the rules of `server.json` (2025-12-11), of the members that are exported. */
export function serverJsonProblems(document: unknown): string[] {
  return isServer(document)
    ? []
    : (isServer.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
