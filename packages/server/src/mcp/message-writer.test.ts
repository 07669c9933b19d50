import { once } from 'node:events';
import { createServer as createApi } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { exposeSchemas } from '@schemakit/core';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../http/create-http-server.ts';
import type { ServedTool } from '../offer/offer.ts';
import { createServing } from '../serving.ts';
import { splitLines } from '../stdio/split-lines.ts';
import { createStdioTransport } from '../stdio/stdio-transport.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { createMessageWriter } from './message-writer.ts';

const info = { name: 'test', version: '1.0.0' };
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info };

/** Calls tools, and gives back the lines that answer. */
type Call = (calls: readonly { id: number; name: string }[]) => Promise<string[]>;

async function overStdio(tools: readonly ServedTool[], { hasWriter = true } = {}): Promise<Call> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const writer = createMessageWriter();
  let lines: string[] = [];
  let onLines = () => {};
  const onLine = (line: string) => {
    lines.push(line);
    onLines();
  };
  output.on('data', splitLines({ maxBytes: 1e9, onLine, onTooLong: () => {} }));
  const transport = createStdioTransport(input, output, { writer, isBusy: () => false, onEnd: () => {} });
  const { viewOf, options } = createServing({ ...info, tools });
  serveStdio(() => createMcpServer(viewOf(), info, { ...options, ...(hasWriter && { writer }) }), { transport });
  const ask = async (requests: readonly object[]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    lines = [];
    onLines = () => lines.length === requests.length && resolve();
    input.write(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''));
    await promise;
    return lines;
  };
  await ask([{ id: 0, method: 'initialize', params: hello }]);
  return (calls) => ask(calls.map(({ id, name }) => ({ id, method: 'tools/call', params: { name, arguments: {} } })));
}

async function overHttp(tools: readonly ServedTool[]): Promise<Call> {
  const server = createHttpServer({ ...info, tools });
  onTestFinished(() => server.close());
  let session = {};
  const ask = async (request: object) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...session,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', ...request });
    const response = await server.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }));
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session = { 'MCP-Session-Id': id };
    return response.text();
  };
  await ask({ id: 0, method: 'initialize', params: hello });
  return (calls) =>
    Promise.all(calls.map(({ id, name }) => ask({ id, method: 'tools/call', params: { name, arguments: {} } })));
}

/** A tool that answers data as a tool of a schema does, and says that it has the text of it. */
function tool(name: string, call: ServedTool['call']): ServedTool {
  const annotations = {
    title: name,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  };
  const inputSchema = { type: 'object' } as const;
  const listing = { name, title: name, description: name, inputSchema, outputSchema: inputSchema, annotations };
  return { listing, aliases: [], namespace: 'test', tags: [], toolName: name, requiredServerParams: [], call };
}

const answering =
  (data: Record<string, unknown>, text: string): ServedTool['call'] =>
  async (_, { onStructuredText } = {}) => {
    onStructuredText?.(data, text);
    return { content: [{ type: 'text', text }], structuredContent: data };
  };

const anyText = fc.string({ unit: 'binary' });
const data = fc.dictionary(anyText, fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }));

test('answers with structured content are the same whether or not their text is used', async () => {
  await fc.assert(
    fc.asyncProperty(data, fc.constantFrom(undefined, 1, '\t', '\r'), async (value, indent) => {
      // In a text of somebody else, there may be spaces and line ends between the tokens.
      const text = indent === '\r' ? JSON.stringify(value).replace(/^\{/, '{\r') : JSON.stringify(value, null, indent);
      const tools = [tool('get', answering(JSON.parse(text), text))];
      const calls = [{ id: 1, name: 'get' }];
      const [plain = ''] = await (await overStdio(tools, { hasWriter: false }))(calls);
      for (const connect of [overStdio, overHttp]) {
        const [line = ''] = await (await connect(tools))(calls);
        expect(line).not.toMatch(/[\r\n]/);
        // The SDK leaves out a key `__proto__`, which a text that is used has.
        const { result: usual, ...message } = JSON.parse(plain);
        const structuredContent = /[\r\n]/.test(text) ? usual.structuredContent : JSON.parse(text);
        expect(JSON.parse(line)).toEqual({ ...message, result: { ...usual, structuredContent } });
      }
    }),
    {
      numRuns: 40,
      examples: [undefined, 1, '\t', '\r'].map((indent) => [JSON.parse('{"__proto__":{}}'), indent]),
    },
  );
});

test('the structured content of an answer is its text', async () => {
  const text = '{"b": 1.0, "a": [ ]}';
  for (const connect of [overStdio, overHttp]) {
    const call = await connect([tool('get', answering({ b: 1, a: [] }, text))]);
    expect((await call([{ id: 1, name: 'get' }]))[0]).toContain(`"structuredContent":${text}}`);
  }
});

test('a text is only used for what it says', async () => {
  const tools = [
    tool('other', async (_, { onStructuredText } = {}) => {
      onStructuredText?.({ a: 1 }, '{"a":1}');
      return { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 2 } };
    }),
    tool('later', async (_, { onStructuredText } = {}) => {
      const structuredContent = { a: 3 };
      onStructuredText?.(structuredContent, '{"a":3}');
      return { content: [{ type: 'text', text: 'See the data.' }], structuredContent };
    }),
    tool('none', async (_, { onStructuredText } = {}) => {
      onStructuredText?.({ a: 1 }, '{"a":1}');
      return { content: [{ type: 'text', text: '{"a":1}' }] };
    }),
  ];
  for (const connect of [overStdio, overHttp]) {
    const call = await connect(tools);
    const lines = await call([...tools.entries()].map(([id, { listing }]) => ({ id: id + 1, name: listing.name })));
    const contents = Object.fromEntries(
      lines.map((line) => JSON.parse(line)).map(({ id, result }) => [id, result.structuredContent]),
    );
    expect(contents).toEqual({ 1: { a: 2 }, 2: { a: 3 }, 3: undefined });
  }
});

test('requests with one id at once get what they asked for', async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  const waiting =
    (value: Record<string, unknown>): ServedTool['call'] =>
    async (...call) => {
      await go;
      return answering(value, JSON.stringify(value))(...call);
    };
  const names = ['one', 'two', 'three'];
  const call = await overStdio(names.map((name) => tool(name, waiting({ name }))));
  const answered = call(names.map((name) => ({ id: 1, name })));
  resolve();
  const results = (await answered).map((line) => JSON.parse(line).result);
  expect(results.map(({ structuredContent }) => structuredContent.name).sort()).toEqual(['one', 'three', 'two']);
  for (const { content, structuredContent } of results) expect(JSON.parse(content[0].text)).toEqual(structuredContent);
});

test('a tool of a schema says the text of its structured content, where the answer has it', async () => {
  const api = createApi((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{ "tide": 1.50, "port": "Kiel" }'),
  );
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  onTestFinished(() => void api.close());
  const schema = { type: 'object', properties: { tide: { type: 'number' } } };
  const get = { method: 'GET', path: '/', description: 'A tide.', parameters: [], output: { schema } };
  const root = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const tools = exposeSchemas([
    { namespace: 'tides', name: 'Tides', description: 'Tides.', version: '3.0.0', root, tools: { get } },
  ]);
  const [tide] = tools;
  const said: unknown[] = [];
  const onStructuredText = (content: object, text: string) => said.push(content, text);
  const whole = await tide?.call({}, { onStructuredText });
  expect(whole?.structuredContent).toEqual({ tide: 1.5, port: 'Kiel' });
  expect(said).toEqual([whole?.structuredContent, '{"tide":1.5,"port":"Kiel"}']);
  expect(said[0]).toBe(whole?.structuredContent);
  said.length = 0;
  await tide?.call({}, { onStructuredText, structured: 'only' });
  await tide?.call({}, { onStructuredText, select: 'tide' });
  expect(said).toEqual([]);
});
