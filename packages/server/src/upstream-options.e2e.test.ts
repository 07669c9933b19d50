import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { context, propagation, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { SchemaKit } from '@schemakit/core';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type CreateServerOptions, createServer, type ServerSource } from './create-server.ts';
import { type ManualApi, openApi } from './fixtures/manual-api.ts';
import type { UpstreamRecord } from './upstream-options.ts';

let api: ManualApi;
beforeEach(async () => {
  api = await openApi();
});
afterEach(() => api.close());

async function open(options: CreateServerOptions = {}, main: ServerSource = api.main) {
  const records: UpstreamRecord[] = [];
  const { onUpstream = (record: UpstreamRecord) => void records.push(record), ...upstream } = options.upstream ?? {};
  const server = createServer(main, {
    serverParams: { HELD_KEY: 's3cr3t/key' },
    ...options,
    upstream: { ...upstream, onUpstream },
  });
  const { url, close } = await server.http();
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  onTestFinished(async () => {
    await client.close();
    await close({ graceMs: 0 });
  });
  const call = (name: string, more: Record<string, unknown> = {}) =>
    client.callTool({ name: `held__${name}`, arguments: { id: '1' }, ...more });
  /** A call that has got as far as a step. */
  const callUntil = async (name: string, step: string) => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const onprogress = ({ message }: { message?: string | undefined }) => {
      if (message === step) resolve();
    };
    const result = client.callTool({ name: `held__${name}`, arguments: { id: '1' } }, { onprogress });
    await reached;
    return { result };
  };
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return { client, call, callUntil, metrics, records };
}

const textOf = (result: { content?: unknown }): string => {
  const [first] = result.content as { text?: string }[];
  return first?.text ?? '';
};

describe('a server', () => {
  test('limits concurrent requests to an API, over all tools', async () => {
    const { call, callUntil, metrics } = await open({ upstream: { concurrency: 1 } });
    const first = call('slow');
    await api.received(1);
    const second = await callUntil('other', 'Waiting in the queue for the API');
    expect(api.count()).toBe(1);
    api.answer();
    await api.received(2);
    api.answer();
    expect((await first)._meta?.['schemakit/upstream']).toBeUndefined();
    const meta = { cached: false, waitedMs: expect.any(Number), attempts: 1 };
    expect((await second.result)._meta?.['schemakit/upstream']).toEqual(meta);
    const text = await metrics();
    expect(text).toContain(`upstream_requests_total{origin="${api.origin}",outcome="ok"} 2`);
    expect(text).toContain(`upstream_waits_total{origin="${api.origin}"} 1`);
    expect(text).toMatch(/^upstream_wait_seconds_total\{.*\} \d/m);
    expect(text).toContain(`upstream_breaker_state{origin="${api.origin}"} 0`);
  });

  test('pauses requests to an API that fails, and reports it', async () => {
    const { call, metrics } = await open({ upstream: { breaker: { failures: 2 } } });
    for (let i = 0; i < 2; i += 1) {
      const failed = call('change');
      await api.received(i + 1);
      api.answer(500);
      expect((await failed).isError).toBe(true);
    }
    const refused = await call('slow');
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(
      /CIRCUIT_OPEN: .*2 failures in a row, the last one HTTP 500\nTry again in \d+ seconds\./,
    );
    const text = await metrics();
    expect(text).toContain(`upstream_requests_total{origin="${api.origin}",outcome="error"} 2`);
    expect(text).toContain(`upstream_requests_total{origin="${api.origin}",outcome="open"} 1`);
    expect(text).toContain(`upstream_breaker_state{origin="${api.origin}"} 2`);
  });

  test('applies the same limits to requests of handlers', async () => {
    const loaded = await SchemaKit.loadSchema({ filePath: await api.schemaFile() });
    expect(loaded.status).toBe(true);
    const { call } = await open({ upstream: { breaker: { failures: 1 } } }, loaded);
    const failed = call('change');
    await api.received(1);
    api.answer(500);
    await failed;
    const refused = await call('handled');
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('CIRCUIT_OPEN');
    expect(api.count()).toBe(1);
  });

  test('reports in _meta how often it sent a request', async () => {
    const { call } = await open();
    const answer = call('slow');
    await api.received(1);
    api.answer(503, { 'retry-after': '0' });
    await api.received(2);
    api.answer();
    expect((await answer)._meta?.['schemakit/upstream']).toMatchObject({ cached: false, attempts: 2 });
  });

  test('reports once when to try again', async () => {
    const { call } = await open();
    const answer = call('change');
    await api.received(1);
    api.answer(429, { 'retry-after': '2' });
    expect(textOf(await answer).match(/Retry after 2 seconds/g)).toHaveLength(1);
  });

  test('caches answers of tools with preload', async () => {
    const { call, records } = await open();
    const first = call('kept');
    await api.received(1);
    api.answer();
    expect((await first)._meta?.['schemakit/upstream']).toBeUndefined();
    const second = await call('kept');
    expect(second._meta?.['schemakit/upstream']).toEqual({ cached: true, waitedMs: 0, attempts: 0 });
    expect(textOf(second)).toBe(textOf(await first));
    expect(records.map(({ outcome, origin }) => [outcome, origin])).toEqual([
      ['ok', api.origin],
      ['cached', api.origin],
    ]);
  });

  test('caches no answers if the cache is off', async () => {
    const { call } = await open({ upstream: { cache: false } });
    for (const count of [1, 2]) {
      const answer = call('kept');
      await api.received(count);
      api.answer();
      expect((await answer).isError).toBeUndefined();
    }
  });

  test('sends identical calls once', async () => {
    const { call, callUntil, records } = await open();
    const first = call('slow');
    await api.received(1);
    const second = await callUntil('slow', 'Waiting for the API');
    api.answer();
    expect(textOf(await first)).toBe(textOf(await second.result));
    expect(api.count()).toBe(1);
    expect(records.map(({ outcome }) => outcome)).toEqual(['ok', 'shared']);
  });

  test('ends calls that take too long, and their requests', async () => {
    const { call } = await open({ timeoutMs: 200 });
    const late = call('slow');
    await api.received(1);
    const gone = api.nextGone();
    const result = await late;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/200 ms/);
    await gone;
  });

  test('pauses requests to an API that does not answer in time', async () => {
    const { call, records } = await open({ timeoutMs: 1000, upstream: { breaker: { failures: 2 } } });
    await call('slow');
    await call('change');
    expect(textOf(await call('other'))).toMatch(/CIRCUIT_OPEN: .*2 failures in a row, the last one ETIMEDOUT/);
    expect(records.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'open']);
  });

  test('does not count cancelled calls as failures', async () => {
    const { client, call, records } = await open({ upstream: { breaker: { failures: 1 } } });
    const controller = new AbortController();
    const gone = api.nextGone();
    const request = { name: 'held__slow', arguments: { id: '1' } };
    const given = client.callTool(request, { signal: controller.signal }).catch(() => {});
    await api.received(1);
    controller.abort();
    await Promise.all([given, gone]);
    const answer = call('slow');
    await api.received(2);
    api.answer();
    expect((await answer).isError).toBeUndefined();
    expect(records.map(({ outcome }) => outcome)).toEqual(['cancelled', 'ok']);
  });

  test('reports that a call timed out in the queue', async () => {
    const { call, callUntil } = await open({ timeoutMs: 1000, upstream: { concurrency: 1 } });
    const first = call('slow');
    await api.received(1);
    const second = await (await callUntil('other', 'Waiting in the queue for the API')).result;
    expect(textOf(second)).toMatch(/longer than 1000 ms, \d+ ms of that in the queue for the API\./);
    expect(second._meta?.['schemakit/upstream']).toMatchObject({ waitedMs: expect.any(Number) });
    await first;
  });

  test('reports the progress of a call', async () => {
    const { client } = await open({}, await SchemaKit.loadSchema({ filePath: await api.schemaFile() }));
    const steps: (string | undefined)[] = [];
    const done = client.callTool(
      { name: 'held__processed', arguments: { id: '1' } },
      { onprogress: ({ message }) => steps.push(message) },
    );
    await api.received(1);
    api.answer();
    expect((await done).isError).toBeUndefined();
    expect(steps).toEqual([
      'Waiting for the API',
      'The API answered with HTTP 200 and 16 bytes',
      'Running the handler postRequest',
    ]);
  });

  test('propagates traces to the API, without secrets and without baggage', async () => {
    const spans = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    provider.register();
    onTestFinished(async () => {
      trace.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
    });
    const { call } = await open();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, baggage: 'user=ann' };
    const answer = call('secret', { _meta });
    await api.received(1);
    const { traceparent, baggage } = api.held[0]?.headers ?? {};
    api.answer(404);
    await answer;
    const span = spans.getFinishedSpans().find(({ name }) => name === 'GET');
    expect(traceparent).toBe(`00-${traceId}-${span?.spanContext().spanId}-01`);
    expect(baggage).toBeUndefined();
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.full': `${api.origin}/secret?key=[REDACTED]&id=1`,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(api.origin).port),
      'http.response.status_code': 404,
      'error.type': '404',
    });
    expect(span?.parentSpanContext?.traceId).toBe(traceId);
  });

  test('sends no trace if nothing is set up', async () => {
    const { call } = await open();
    const answer = call('slow');
    await api.received(1);
    expect(Object.keys(api.held[0]?.headers ?? {})).not.toContain('traceparent');
    api.answer();
    await answer;
  });
});
