import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One API, described for everybody who serves it. */
export interface DescribedApi {
  count: number;
  /** Its origin. */
  root: string;
  /** Folder of schema files, ten tools in each. */
  schemas: string;
  /** File with an OpenAPI document. */
  openApi: string;
  /** File with a list of tools as MCP has them, each with the `path` that it asks. */
  tools: string;
}

/** Arguments that each of the tools takes. */
export const departuresArguments = { q: 'haupt bahnhof', sort: 'platforms', limit: 5 };

const toolsPerFile = 10;
const inputs = [
  {
    name: 'q',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 80, description: 'Part of the name' },
  },
  {
    name: 'sort',
    required: false,
    schema: { type: 'string', enum: ['name', 'platforms', 'distance'], default: 'name' },
  },
  { name: 'limit', required: false, schema: { type: 'number', minimum: 1, maximum: 50, default: 10 } },
];
const parameters = [
  parameter('q', 'string()', ['min(1)', 'max(80)', 'describe(Part of the name)']),
  parameter('sort', 'enum(name,platforms,distance)', ['default(name)']),
  parameter('limit', 'number()', ['min(1)', 'max(50)', 'default(10)']),
];

/**
 * Writes an API of so many operations into a folder, as schemas, as OpenAPI document and as plain list. All of them are alike: a
 * search with three parameters, whose answer nobody promises anything about.
 */
export async function describeDepartures(
  folder: string,
  { count, root }: { count: number; root: string },
): Promise<DescribedApi> {
  const schemas = join(folder, 'schemas');
  await mkdir(schemas, { recursive: true });
  const operations = Array.from({ length: count }, (_, index) => operation(index));
  const files = Array.from({ length: Math.ceil(count / toolsPerFile) }, (_, index) => {
    const part = operations.slice(index * toolsPerFile, (index + 1) * toolsPerFile);
    const text = `export const main = ${JSON.stringify(schema(index, root, part), undefined, 2)};\n`;
    return writeFile(join(schemas, `${namespaceOf(index)}.mjs`), text);
  });
  const api = { count, root, schemas, openApi: join(folder, 'openapi.json'), tools: join(folder, 'tools.json') };
  await Promise.all([
    ...files,
    writeFile(api.openApi, JSON.stringify(openApiDocument(root, operations))),
    writeFile(api.tools, JSON.stringify(operations.map(listedTool))),
  ]);
  return api;
}

interface Operation {
  name: string;
  path: string;
  description: string;
}

function operation(index: number): Operation {
  const place = `line ${index + 1} of the regional network`;
  return {
    name: `searchDepartures${index + 1}`,
    path: `/lines/${index + 1}/departures`,
    description: `Search the departures of ${place} by the name of a station. Times are UTC in ISO 8601.`,
  };
}

function schema(index: number, root: string, operations: readonly Operation[]): object {
  const tools = operations.map(({ name, path, description }) => [
    name,
    { method: 'GET', path, description, parameters, tests: [{ _description: 'By name', q: 'leipzig' }] },
  ]);
  const description = 'Departures of the lines of a regional network.';
  const { version, tags } = { version: '3.0.0', tags: ['transport'] };
  return {
    namespace: namespaceOf(index),
    name: 'Departures',
    description,
    version,
    tags,
    root,
    tools: Object.fromEntries(tools),
  };
}

function openApiDocument(root: string, operations: readonly Operation[]): object {
  const fields = inputs.map((input) => ({ in: 'query', ...input }));
  const responses = { 200: { description: 'Departures', content: { 'application/json': {} } } };
  const paths = operations.map(({ name, path, description }) => [
    path,
    { get: { operationId: name, description, parameters: fields, responses } },
  ]);
  const info = { title: 'departures', version: '1.0.0' };
  return { openapi: '3.0.3', info, servers: [{ url: root }], paths: Object.fromEntries(paths) };
}

function listedTool({ name, path, description }: Operation): object {
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(inputs.map(({ name: key, schema: shape }) => [key, shape])),
    required: ['q'],
    additionalProperties: false,
  };
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
  return { name, title: name, description, inputSchema, annotations, path };
}

function parameter(key: string, primitive: string, options: readonly string[]): object {
  return { position: { key, value: '{{USER_PARAM}}', location: 'query' }, z: { primitive, options } };
}

/** Namespaces have no digits. */
function namespaceOf(index: number): string {
  const letters = [...String(index)].map((digit) => String.fromCharCode(97 + Number(digit)));
  return `lines${letters.join('')}`;
}
