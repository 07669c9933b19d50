import type { IncomingMessage, ServerResponse } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { exposeSchemas } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { createReloadableCatalog, createToolCatalog, type ReloadableCatalog } from './catalog/tool-catalog.ts';
import { createServer, type ServerSource } from './create-server.ts';
import { openQuotes, type Quotes } from './fixtures/quotes.ts';
import type { HttpOptions } from './http/http-handlers.ts';
import type { HttpServer, ListenOptions } from './http/http-server.ts';
import type { StdioServer } from './stdio/connect-stdio.ts';
import type { ToolServer } from './tool-server.ts';

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  return client;
}

describe('a server is created from', () => {
  const tools = () => exposeSchemas([quotes.main]);
  test.each<[string, () => ServerSource]>([
    ['a schema', () => quotes.main],
    ['schemas', () => [quotes.main]],
    ['tools', () => ({ tools: tools() })],
    ['a catalog', () => createReloadableCatalog(createToolCatalog(tools()))],
  ])('%s', async (_, source) => {
    const { url, close } = await createServer(source(), { name: 'quotes' }).http();
    onTestFinished(() => close());
    const client = await connect(url);
    expect(client.getServerVersion()).toMatchObject({ name: 'quotes', version: '1.0.0' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['quotes__today', 'quotes__slow']);
  });
});

test('transports of a server share its limits, caches and metrics', async () => {
  const server = createServer(quotes.main, { upstream: { concurrency: 1 } });
  const [first, second] = await Promise.all([server.http(), server.http()]);
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
  });
  const asked = quotes.nextSlow();
  const slow = (await connect(first.url)).callTool({ name: 'quotes__slow', arguments: {} });
  const upstream = await asked;
  let isWaiting = true;
  const today = (await connect(second.url)).callTool({ name: 'quotes__today', arguments: {} }).finally(() => {
    isWaiting = false;
  });
  expect(await (await fetch(`${second.url}/readyz`)).json()).toEqual({ status: 'ready' });
  expect(isWaiting).toBe(true);
  upstream.end('"late"');
  await Promise.all([slow, today]);
  const metrics = await (await fetch(`${first.url}/metrics`)).text();
  expect(metrics).toContain('mcp_tool_calls_total{tool="quotes__today",outcome="ok"} 1');
  expect(metrics).toMatch(/^upstream_waits_total\{.*\} 1$/m);
});

test('the types of a server', () => {
  expectTypeOf(createServer).returns.toEqualTypeOf<ToolServer>();
  expectTypeOf<ToolServer['catalog']>().toEqualTypeOf<ReloadableCatalog>();
  expectTypeOf<ToolServer['http']>().parameter(0).toEqualTypeOf<ListenOptions | undefined>();
  expectTypeOf<ToolServer['http']>().returns.resolves.toEqualTypeOf<HttpServer>();
  expectTypeOf<HttpServer['close']>().toEqualTypeOf<(options?: { graceMs?: number }) => Promise<void>>();
  expectTypeOf<ToolServer['stdio']>().parameters.toEqualTypeOf<[]>();
  expectTypeOf<ToolServer['stdio']>().returns.resolves.toEqualTypeOf<StdioServer>();
  expectTypeOf<ToolServer['middleware']>().parameter(0).toEqualTypeOf<HttpOptions | undefined>();
  const { handle, fetch } = {} as ReturnType<ToolServer['middleware']>;
  expectTypeOf(handle).toBeCallableWith({} as IncomingMessage, {} as ServerResponse, () => {});
  expectTypeOf(fetch).parameter(0).toEqualTypeOf<Request>();
  expectTypeOf(fetch).returns.resolves.toEqualTypeOf<Response>();
  // @ts-expect-error Authentication belongs to HTTP.
  expectTypeOf(createServer).toBeCallableWith({}, { auth: 'a-token' });
  // @ts-expect-error A port belongs to a server that listens.
  expectTypeOf<ToolServer['middleware']>().toBeCallableWith({ port: 0 });
});
