import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalogSchema } from './peers/catalog-schema.ts';
import type { Peer } from './peers/peer-process.ts';
import { prometheusProgram, startPrometheus } from './peers/prometheus.ts';
import { connectToSchema, type SchemakitClient } from './peers/schemakit-client.ts';

const schema = await readCatalogSchema('prometheus/prometheus.mjs');

describe.skipIf(!prometheusProgram.path)('the Prometheus schema and a real server', () => {
  let peer: Peer | undefined;
  let server: SchemakitClient;

  beforeAll(async () => {
    peer = await startPrometheus();
    server = await connectToSchema({ file: schema.file, root: peer.url });
  });
  afterAll(async () => {
    await server?.close();
    await peer?.stop();
  });

  const call = (tool: string, args?: Record<string, unknown>) => schema.call(server, tool, args);

  test('all tools are listed, with their required inputs', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(schema.toolNames.toSorted());
    const required = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]));
    expect(required).toMatchObject({
      prometheus__query: ['query'],
      prometheus__queryRange: ['query', 'start', 'end'],
      prometheus__getSeries: ['match'],
      prometheus__getLabelValues: ['label'],
      prometheus__getTargets: [],
    });
  });

  test.each(schema.cases)('$tool: $about', async ({ tool, args }) => {
    expect((await call(tool, args)).structuredContent).toMatchObject({ status: 'success' });
  });

  test('a query answers the sample of the server that it asked', async () => {
    const { structuredContent } = await call('query', { query: `up{instance="${new URL(peer?.url ?? '').host}"}` });
    expect(structuredContent).toMatchObject({
      data: { resultType: 'vector', result: [{ metric: { job: 'prometheus' }, value: [expect.any(Number), '1'] }] },
    });
  });

  test('a range query answers one sample for each step', async () => {
    const end = Math.floor(Date.now() / 1000);
    const args = { query: 'vector(1)', start: String(end - 10), end: String(end), step: '5s' };
    expect((await call('queryRange', args)).structuredContent).toMatchObject({
      data: {
        result: [
          {
            values: [
              [end - 10, '1'],
              [end - 5, '1'],
              [end, '1'],
            ],
          },
        ],
      },
    });
  });

  test('one selector with a regular expression selects several metrics', async () => {
    const args = { 'match[]': '{__name__=~"up|scrape_duration_seconds"}' };
    const { data } = (await call('getSeries', args)).structuredContent as { data: { __name__: string }[] };
    expect(data.map(({ __name__ }) => __name__).sort()).toEqual(['scrape_duration_seconds', 'up']);
  });

  test('targets, rules and metadata show what the server does', async () => {
    expect((await call('getTargets')).structuredContent).toMatchObject({
      data: { activeTargets: [{ health: 'up', lastError: '' }] },
    });
    expect((await call('getRules', { type: 'alert' })).structuredContent).toMatchObject({
      data: { groups: [{ rules: [{ type: 'alerting', name: 'AlwaysFiring', state: 'firing' }] }] },
    });
    expect((await call('getMetadata', { metric: 'prometheus_build_info' })).structuredContent).toMatchObject({
      data: { prometheus_build_info: [{ type: 'gauge' }] },
    });
  });

  test("a query that the server refuses is an error with the server's words", async () => {
    const result = await server.client.callTool({ name: 'prometheus__query', arguments: { query: 'up(' } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('unclosed left parenthesis');
  });

  test('a label that is no label name is refused before any request', async () => {
    const args = { label: '../query' };
    const result = await server.client.callTool({ name: 'prometheus__getLabelValues', arguments: args });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('label');
  });
});
