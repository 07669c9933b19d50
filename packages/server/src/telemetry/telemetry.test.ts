import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../create-server.ts';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import type { CallRecord } from '../tool-calls.ts';

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

async function open() {
  const records: CallRecord[] = [];
  const server = createServer(quotes.main, { onCall: (call) => records.push(call) });
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
  return { records, url, client };
}

const fail = { name: 'quotes__today', arguments: { unknown: 1 } };

describe('a server', () => {
  test('reports the outcome of each call', async () => {
    const { client, records } = await open();
    await client.callTool({ name: 'quotes__today', arguments: {} });
    await client.callTool(fail);
    expect(records).toEqual([
      { tool: 'quotes__today', outcome: 'ok', durationMs: expect.any(Number) },
      {
        tool: 'quotes__today',
        outcome: 'error',
        durationMs: expect.any(Number),
        error: expect.stringContaining('unknown'),
      },
    ]);
  });

  test('counts calls for Prometheus', async () => {
    const { client, url } = await open();
    await client.callTool({ name: 'quotes__today', arguments: {} });
    await client.callTool(fail);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('mcp_tool_calls_total{tool="quotes__today",outcome="ok"} 1');
    expect(text).toContain('mcp_tool_calls_total{tool="quotes__today",outcome="error"} 1');
    expect(text).toContain('mcp_tool_call_duration_seconds_count 2');
    expect(text).toMatch(/^mcp_tools 2$/m);
  });

  test('creates spans below those of the caller, and measures', async () => {
    const spans = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    provider.register();
    const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
    const meters = new MeterProvider({ readers: [reader] });
    metrics.setGlobalMeterProvider(meters);
    onTestFinished(async () => {
      trace.disable();
      metrics.disable();
      await provider.shutdown();
      await meters.shutdown();
    });
    const { client } = await open();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await client.callTool({ name: 'quotes__today', arguments: {}, _meta });
    await client.callTool(fail);
    const [first, second] = spans.getFinishedSpans().filter(({ name }) => name === 'tools/call quotes__today');
    expect(first?.spanContext().traceId).toBe(traceId);
    expect(first?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'quotes__today' });
    expect(second?.attributes).toMatchObject({ 'error.type': 'tool_error' });
    await meters.forceFlush();
    const names = measured.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    expect(names.map(({ descriptor }) => descriptor.name)).toContain('mcp.server.operation.duration');
  });
});
