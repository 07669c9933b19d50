import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withSelectArgument } from './answer-options.ts';
import { createCachedAnswers } from './cached-answers.ts';
import { createToolCatalog, type ServedTool, type ToolCatalog } from './catalog/tool-catalog.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { openTides } from './fixtures/tides.ts';
import { createSharedServer, type ServerOptions } from './shared-server.ts';

const info = { name: 'tides', version: '1.0.0' };
const folder = openTides();
let tools: ServedTool[];

beforeAll(async () => {
  tools = exposeSchemas([await SchemaKit.loadSchema({ filePath: folder.file })]);
});
afterAll(() => folder.remove());

async function connect(settings: ServerOptions) {
  const [left, right] = InMemoryTransport.createLinkedPair();
  const client = new Client(info);
  const { createViews, connectionOptions } = createSharedServer({ tools }, settings);
  const catalog = createViews(new Map())().current;
  await Promise.all([createMcpServer(catalog, info, connectionOptions).connect(left), client.connect(right)]);
  return client;
}

const many = { sql: "SELECT value AS id, 'row' AS name FROM json_each('[1,2,3,4,5,6,7,8,9]')" };

describe('an answer that is longer than the limit of its server', () => {
  test('is shortened, and can be read completely', async () => {
    const client = await connect({ maxAnswerLength: 60 });
    const result = await client.callTool({ name: 'tides__stations_runSql', arguments: many });
    const [answer, note, link] = result.content as unknown as [{ text: string }, { text: string }, { uri: string }];
    expect(JSON.parse(answer.text)).toEqual([
      { id: 1, name: 'row' },
      { id: 2, name: 'row' },
    ]);
    expect(note.text).toContain('the first 2 of 9 items');
    const { contents } = await client.readResource({ uri: link.uri });
    expect(contents).toMatchObject([{ uri: link.uri, mimeType: 'application/json' }]);
    expect(JSON.parse((contents[0] as { text: string }).text)).toHaveLength(9);
  });
});

describe('a part of an answer', () => {
  test('is selected by an option', async () => {
    const client = await connect({ select: { tides__stations_runSql: 'sum([].id)' } });
    const { content } = await client.callTool({ name: 'tides__stations_runSql', arguments: many });
    expect(content).toEqual([{ type: 'text', text: '45' }]);
  });

  test('is selected by the model', async () => {
    const client = await connect({ selectArgument: true, select: { tides__stations_runSql: 'sum([].id)' } });
    const { tools: listed } = await client.listTools();
    expect(listed.find(({ name }) => name === 'tides__stations_find')?.inputSchema.properties).toHaveProperty('select');
    const call = (select: unknown) =>
      client.callTool({ name: 'tides__stations_runSql', arguments: { ...many, select } });
    expect((await call('[-1].id')).content).toEqual([{ type: 'text', text: '9' }]);
    expect(await call('[')).toMatchObject({ isError: true });
    expect(await call(1)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('as text') }] });
  });
});

describe('the argument for a part of an answer', () => {
  const get = { method: 'GET', path: '/', description: 'Gets.', parameters: [] };
  const output = (mimeType: string) => ({ ...get, output: { mimeType, schema: { type: 'string' } } });
  const main = {
    namespace: 'map',
    name: 'Map',
    description: 'Maps.',
    version: '3.0.0',
    root: 'http://127.0.0.1:9',
    requiredServerParams: [],
    requiredLibraries: [],
    headers: {},
    tools: {
      plain: get,
      text: output('text/plain'),
      drawing: output('image/svg+xml'),
      picture: output('image/png'),
      archive: output('application/octet-stream'),
    },
  };
  const namesWithSelect = (offer: ToolCatalog) =>
    offer.tools.list
      .filter(({ inputSchema }) => Object.hasOwn(Object(inputSchema.properties), 'select'))
      .map(({ name }) => name);

  test('is missing from tools that answer bytes', () => {
    const whole = createToolCatalog(exposeSchemas([main]));
    expect(whole.tools.all).toHaveLength(5);
    const expected = ['map__plain', 'map__text', 'map__drawing'];
    expect(namesWithSelect(withSelectArgument(whole))).toEqual(expected);
  });
});

describe('cached answers', () => {
  test('are evicted for newer ones', () => {
    const { add, find } = createCachedAnswers({ maxLength: 10 });
    const [first, second, third] = ['aaaa', 'bbbb', 'cccc'].map((text) => add({ mimeType: 'text/plain', text }));
    expect(find(first ?? '')).toBeUndefined();
    expect(find(second ?? '')).toEqual({ mimeType: 'text/plain', text: 'bbbb' });
    expect(find(third ?? '')).toEqual({ mimeType: 'text/plain', text: 'cccc' });
  });

  test('expire', () => {
    const { add, find } = createCachedAnswers({ ttlMs: 0 });
    expect(find(add({ mimeType: 'text/plain', text: 'a' }) ?? '')).toBeUndefined();
  });

  test('are never too long for one message', () => {
    const { add } = createCachedAnswers();
    expect(add({ mimeType: 'text/plain', text: 'x'.repeat(5 * 1024 * 1024) })).toBeUndefined();
  });
});
