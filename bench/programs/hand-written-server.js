// The rival: the MCP server that somebody would write by hand for the API of `schemas/stations.ts`, and a good one: the SDK's
// low-level server, a table of tools that is made once, undici. Plain JavaScript, so that its start is not slowed by types.
//
// Arguments: the origin of the upstream; optionally a file with the tools to list in place of its own.
import { readFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { request } from 'undici';

const [root, toolsFile] = process.argv.slice(2);

const station = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    country: { type: 'string', description: 'ISO 3166-1 alpha-2' },
    latitude: { type: 'number' },
    longitude: { type: 'number' },
    platforms: { type: ['integer', 'null'] },
    open: { type: 'boolean' },
    services: { type: 'array', items: { type: 'string' } },
    checkedAt: { type: 'string', description: 'ISO 8601' },
  },
};
const search = {
  type: 'object',
  properties: {
    q: { type: 'string', minLength: 1, maxLength: 80, description: 'Part of the name' },
    sort: { type: 'string', enum: ['name', 'platforms', 'distance'], default: 'name' },
    limit: { type: 'number', minimum: 1, maximum: 50, default: 10 },
  },
  required: ['q'],
  additionalProperties: false,
};
const ownTools = [
  {
    name: 'stations__searchStations',
    title: 'Search stations',
    description: 'Search railway stations by name.',
    inputSchema: search,
    outputSchema: {
      type: 'object',
      properties: { total: { type: 'integer' }, stations: { type: 'array', items: station } },
    },
    annotations: hints('Search stations', true),
  },
  {
    name: 'stations__reportDelay',
    title: 'Report delay',
    description: 'Report that trains of a station are late.',
    inputSchema: {
      type: 'object',
      properties: {
        station: { type: 'string', minLength: 1 },
        minutes: { type: 'number', minimum: 1, maximum: 600 },
        reason: { type: 'string', maxLength: 200 },
      },
      required: ['station', 'minutes'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        station: { type: 'string' },
        minutes: { type: 'integer' },
        accepted: { type: 'boolean' },
      },
    },
    annotations: hints('Report delay', false),
  },
  {
    name: 'stations__listStationNames',
    title: 'List station names',
    description: 'List the names of railway stations.',
    inputSchema: search,
    outputSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } },
    annotations: hints('List station names', true),
  },
];

const tools = toolsFile === undefined ? ownTools : JSON.parse(readFileSync(toolsFile, 'utf8'));

const calls = {
  stations__searchStations: async (args, signal) => asResult(await getStations(args, signal)),
  stations__reportDelay: async (args, signal) => {
    const body = JSON.stringify(args);
    const headers = { 'content-type': 'application/json' };
    return asResult(await readText(await request(`${root}/delays`, { method: 'POST', headers, body, signal })));
  },
  stations__listStationNames: async (args, signal) => {
    const { stations } = JSON.parse(await getStations(args, signal));
    return asResult(JSON.stringify({ names: stations.map(({ name }) => name) }));
  },
};

serveStdio(() => {
  const server = new Server({ name: 'stations', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const call = calls[params.name];
    if (call === undefined) throw Object.assign(new Error(`Tool ${params.name} not found`), { code: -32602 });
    try {
      return await call(params.arguments ?? {}, mcpReq.signal);
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  });
  return server;
});

async function getStations({ q, sort = 'name', limit = 10 }, signal) {
  if (typeof q !== 'string' || q === '') throw new Error('q must be a text');
  return readText(await request(`${root}/stations?${new URLSearchParams({ q, sort, limit })}`, { signal }));
}

async function readText({ statusCode, body }) {
  const text = await body.text();
  if (statusCode >= 400) throw new Error(`The API answered ${statusCode}: ${text.slice(0, 200)}`);
  return text;
}

/** The text as it came, and its value because the tools promise an output schema. */
function asResult(text) {
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

function hints(title, readOnly) {
  const destructive = readOnly ? { destructiveHint: false } : {};
  return { title, readOnlyHint: readOnly, ...destructive, idempotentHint: readOnly, openWorldHint: true };
}
