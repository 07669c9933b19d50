// Tokens of what a model sees of 20 tools with nested arguments: `node bench/shape-tokens.ts`.
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installPeer } from './peers/install-peer.ts';
import { openApiMcpGenerator } from './peers/openapi-mcp-generator.ts';
import { schemakit } from './peers/peers.ts';
import { connectToServer } from './processes/line-client.ts';
import { listTools } from './processes/list-tools.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';

/** Installed by the bench, so it is no package of the project. */
const tokenizerName = 'gpt-tokenizer';
const root = 'http://127.0.0.1:9';
const text = { type: 'string' };
const objectOf = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Shapes, and the JSON Schema that an OpenAPI document has for the same. */
const shapes: readonly (readonly [shape: string, schema: object])[] = [
  ['array(string())', { type: 'array', items: text }],
  [
    'array(object({ isbn: string(), count: integer().min(1), gift: string().optional() }))',
    {
      type: 'array',
      items: objectOf({ isbn: text, count: { type: 'integer', minimum: 1 }, gift: text }, ['isbn', 'count']),
    },
  ],
  [
    "object({ street: string().describe('With the number'), city: string(), geo: object({ lat: number(), lon: number() }).optional() })",
    objectOf(
      {
        street: { type: 'string', description: 'With the number' },
        city: text,
        geo: objectOf({ lat: { type: 'number' }, lon: { type: 'number' } }, ['lat', 'lon']),
      },
      ['street', 'city'],
    ),
  ],
  [
    'record(array(enum(read,write)))',
    { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', enum: ['read', 'write'] } } },
  ],
  [
    "union('kind', object({ kind: enum(mail), to: string() }), object({ kind: enum(call), number: string().min(3) }))",
    {
      anyOf: [
        objectOf({ kind: { type: 'string', enum: ['mail'] }, to: text }, ['kind', 'to']),
        objectOf({ kind: { type: 'string', enum: ['call'] }, number: { type: 'string', minLength: 3 } }, [
          'kind',
          'number',
        ]),
      ],
    },
  ],
];
const tools = Array.from({ length: 20 }, (_, index) => ({
  name: `sendOrder${index + 1}`,
  path: `/orders/${index + 1}`,
  description: `Send an order of kind ${index + 1}.`,
  fields: [index % 5, (index + 1 + Math.floor(index / 5)) % 5].map((at, place) => ({
    key: `part${place}`,
    of: shapes[at] ?? shapes[0],
  })),
}));

function schemaFile(): string {
  const entries = tools.map(({ name, path, description, fields }) => {
    const parameters = fields.map(({ key, of }) => ({
      position: { key, value: '{{USER_PARAM}}', location: 'body' },
      z: { primitive: of?.[0], options: [] },
    }));
    return [name, { method: 'POST', path, description, parameters }];
  });
  const about = { namespace: 'orders', name: 'Orders', description: 'Orders.', version: '3.0.0', root };
  return `export const main = ${JSON.stringify({ ...about, tools: Object.fromEntries(entries) })};\n`;
}

function openApiDocument(): string {
  const paths = tools.map(({ name, path, description, fields }) => {
    const schema = objectOf(
      Object.fromEntries(fields.map(({ key, of }) => [key, of?.[1]])),
      fields.map(({ key }) => key),
    );
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    return [
      path,
      { post: { operationId: name, description, requestBody, responses: { 200: { description: 'Sent' } } } },
    ];
  });
  const info = { title: 'orders', version: '1.0.0' };
  return JSON.stringify({ openapi: '3.1.0', info, servers: [{ url: root }], paths: Object.fromEntries(paths) });
}

await withTemporaryFolder(async (folder) => {
  const tokenizer = await installPeer(tokenizerName, { [tokenizerName]: '3.4.0' });
  const generator = await openApiMcpGenerator();
  const schemas = join(folder, 'schemas');
  await mkdir(schemas);
  const api = { count: tools.length, root, schemas, openApi: join(folder, 'openapi.json'), tools: '' };
  await writeFile(join(schemas, 'orders.mjs'), schemaFile());
  await writeFile(api.openApi, openApiDocument());
  const require = createRequire(join(tokenizer ?? folder, 'package.json'));
  const count: (text: string) => number =
    tokenizer === undefined ? () => Number.NaN : require(tokenizerName).countTokens;
  process.stdout.write('| Server | Tools | Tokens | Characters |\n| --- | --- | --- | --- |\n');
  for (const peer of [schemakit(join(folder, 'home')), ...(generator ? [generator] : [])]) {
    const { args, env } = await peer.launch(api);
    const client = await connectToServer(args, env);
    const listed = (await listTools(client)) as { name: string; description?: string; inputSchema?: object }[];
    await client.close();
    const seen = JSON.stringify(
      listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    );
    process.stdout.write(`| ${peer.name} | ${listed.length} | ${count(seen)} | ${seen.length} |\n`);
  }
});
