import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exposeSchemas } from '../mcp/expose-schemas.ts';
import { SchemaKit } from '../schemakit.ts';
import { type LoadAgentOptions, loadAgent } from './load-agent.ts';

const parameter = (key: string, primitive: string) => ({
  position: { key, value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive, options: [] },
});
const inlineTool = { method: 'GET', path: '/plan', description: 'Plan a trip', parameters: [] };
const tests = ['one', 'two', 'three'].map((input) => ({ _description: input, input, expectedTools: ['plan'] }));

async function load(changes: object, files: Record<string, string> = {}, options: Partial<LoadAgentOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-schemas-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const agent = {
    name: 'trip-planner',
    version: 'schemakit/3.0.0',
    description: 'Plans trips',
    model: 'a/b',
    systemPrompt: 'You plan trips.',
    tests,
    ...changes,
  };
  for (const [name, text] of Object.entries({
    'agent.mjs': `export const agent = ${JSON.stringify(agent)};`,
    ...files,
  })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const loaded = await loadAgent({ filePath: join(folder, 'agent.mjs'), ...options });
  const errors = loaded.findings.filter(({ severity }) => severity === 'error');
  return { ...loaded, errors: errors.map(({ code, path }) => `${code} ${path}`) };
}

/** A server that records its requests. */
async function startApi(): Promise<{ origin: string; asked: { url: string; headers: IncomingHttpHeaders }[] }> {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, headers });
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('an inline tool is called at its own root, with its own headers and secrets', async () => {
  const { origin, asked } = await startApi();
  const { schemas } = await load({
    requiredServerParams: ['TRIP_KEY'],
    tools: { plan: { ...inlineTool, root: `${origin}/v1`, headers: { 'X-Key': '{{TRIP_KEY}}' } } },
  });
  const [schema] = schemas;
  expect(exposeSchemas(schemas).map(({ listing }) => listing.name)).toEqual(['tripplanner__plan']);
  const serverParams = { TRIP_KEY: 'key-of-the-trip' };
  expect(await SchemaKit.fetch({ schema, routeName: 'plan', serverParams })).toMatchObject({ data: { ok: true } });
  expect(asked).toMatchObject([{ url: '/v1/plan', headers: { 'x-key': 'key-of-the-trip' } }]);
  expect(await SchemaKit.fetch({ schema, routeName: 'plan' })).toMatchObject({
    status: false,
    messages: ['Required server parameter TRIP_KEY is not set'],
  });
});

test('a path that is a whole URL needs no root', async () => {
  const { origin, asked } = await startApi();
  const { schemas } = await load({ tools: { plan: { ...inlineTool, path: `${origin}?fast=1` } } });
  await SchemaKit.fetch({ schema: schemas[0], routeName: 'plan' });
  expect(asked.map(({ url }) => url)).toEqual(['/?fast=1']);
});

test('tools keep their own roots', async () => {
  const [one, two] = [await startApi(), await startApi()];
  const { schemas } = await load({
    tools: { plan: { ...inlineTool, root: one.origin }, book: { ...inlineTool, root: two.origin, path: '/book' } },
  });
  await SchemaKit.fetch({ schema: schemas[1], routeName: 'book' });
  expect([one.asked.length, two.asked.map(({ url }) => url)]).toEqual([0, ['/book']]);
});

test('without a root there is nothing to call, with a warning', async () => {
  const { schemas, findings } = await load({ tools: { plan: inlineTool } });
  expect(schemas).toEqual([]);
  expect(findings.map(({ code }) => code)).toContain('AGT030');
});

test('an agent from elsewhere has no access to private addresses', async () => {
  const { origin, asked } = await startApi();
  const { schemas } = await load({ tools: { plan: { ...inlineTool, root: origin } } }, {}, { approveRoot: false });
  const { status, findings } = await SchemaKit.fetch({ schema: schemas[0], routeName: 'plan' });
  expect({ status, codes: findings.map(({ code }) => code), asked }).toEqual({
    status: false,
    codes: ['ADDRESS_BLOCKED'],
    asked: [],
  });
});

test('an inline tool takes the values of its enums from the lists of the agent', async () => {
  const list = {
    meta: { name: 'harbours', version: '1.0.0', fields: [] },
    entries: [{ alias: 'brest' }, { alias: 'dover' }],
  };
  const tool = {
    ...inlineTool,
    root: 'https://trips.example.com',
    parameters: [parameter('from', 'enum({{harbours:alias}})')],
  };
  const files = { '_lists/harbours.mjs': `export const list = ${JSON.stringify(list)};` };
  const { schemas } = await load({ tools: { plan: tool }, sharedLists: ['harbours'] }, files);
  const [exposed] = exposeSchemas(schemas);
  expect(exposed?.listing.inputSchema.properties).toMatchObject({ from: { enum: ['brest', 'dover'] } });
});

test('a missing list of an inline tool is an error in the manifest', async () => {
  const tool = {
    ...inlineTool,
    root: 'https://trips.example.com',
    parameters: [parameter('from', 'enum({{harbours:alias}})')],
  };
  expect(await load({ tools: { plan: tool } })).toMatchObject({
    agent: null,
    schemas: [],
    errors: ['VAL048 agent.tools.plan.parameters'],
  });
  expect((await load({ tools: { plan: tool }, sharedLists: ['harbours'] })).errors).toEqual([
    'VAL072 agent.sharedLists[0]',
  ]);
});

test("the agent's own documents are read from beside the manifest", async () => {
  const { schemas } = await load(
    {
      tools: { 'tides/tool/getTides': null },
      tests: tests.map((each) => ({ ...each, expectedTools: ['tides/tool/getTides'] })),
      resources: { notes: { source: 'markdown', origin: 'inline', name: 'notes.md', description: 'Notes' } },
    },
    { 'resources/notes.md': '# Tides\n\nHigh water.\n' },
  );
  const [exposed] = exposeSchemas(schemas);
  const result = await exposed?.call({});
  expect(JSON.stringify(result)).toContain('High water.');
});
