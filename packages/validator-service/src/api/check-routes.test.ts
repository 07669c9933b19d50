import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { serveNode } from '../../../validator/fixtures/fake-node.ts';
import { listen } from '../../../validator/fixtures/loopback.ts';
import { serveOAuth } from '../../../validator/fixtures/oauth-site.ts';
import { send, serveScript } from '../../../validator/fixtures/scripted-server.ts';
import { clientOf, serve } from '../../fixtures/service.ts';
import { createService } from '../service.ts';

it('assess answers with all layers and keeps the report', async () => {
  const { endpoint } = await serveScript({});
  const { post, request } = await serve();
  const { status, json } = await post('/api/assess', { url: endpoint, timeout: 10_000 });
  expect(status).toBe(200);
  expect(Object.keys(json.layers)).toEqual(['http', 'mcp', 'a2a', 'payment', 'oauth', 'apps', 'html', 'erc8004']);
  expect(json).toMatchObject({ layers: { mcp: { detected: true } }, reportId: expect.stringMatching(/^[\w-]{22}$/) });
  const { reportId, deleteToken, ...assessment } = json;
  expect(deleteToken).toMatch(/^[\w-]{22}$/);
  expect((await request(`/api/reports/${reportId}`)).json).toMatchObject({ id: reportId, url: endpoint, assessment });
});

it('assess checks only some layers where it is asked to', async () => {
  const { endpoint } = await serveScript({});
  const { post } = await serve();
  const { json } = await post('/api/assess', { url: endpoint, layers: ['http'] });
  expect(json.layers).toMatchObject({ http: { detected: true }, mcp: { state: 'not-evaluated' } });
});

it('a target that fails is an answer', async () => {
  const { post } = await serve();
  const gone = await post('/api/assess', { url: 'http://127.0.0.1:1/' });
  expect(gone).toMatchObject({ status: 200, json: { status: false, grade: { letter: 'F' } } });
});

it('tools that may write are not called', async () => {
  const tools = [
    { name: 'reads', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'says_nothing', inputSchema: { type: 'object' } },
    { name: 'writes', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } },
  ];
  const called: unknown[] = [];
  const { endpoint } = await serveScript({
    'tools/list': { tools },
    'tools/call': ({ response, id, params }) => {
      called.push(params.name);
      send(response, 200, { jsonrpc: '2.0', id, result: { content: [] } });
    },
  });
  const { post } = await serve();
  await post('/api/assess', { url: endpoint });
  await post('/api/validate', { url: endpoint });
  expect(new Set(called)).toEqual(new Set(['reads']));
});

it('validate answers with four sections', async () => {
  const { endpoint } = await serveOAuth({
    resource: (origin) => ({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
  });
  const { post } = await serve();
  const { status, json } = await post('/api/validate', { url: endpoint });
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(['mcp', 'a2a', 'ui', 'oauth']);
  for (const section of Object.values(json))
    expect(section).toEqual({
      status: expect.any(Boolean),
      categories: expect.any(Object),
      summary: expect.objectContaining({ text: expect.any(String) }),
      messages: expect.any(Array),
    });
  expect(json.mcp).toMatchObject({ status: true, categories: { supportsMcp: true } });
  expect(json.a2a).toMatchObject({ status: false, summary: { state: 'not-detected' } });
  expect(json.oauth.messages.join()).toMatch(/AUTH-002/);
});

it('lookup reads an agent from its chain', async () => {
  const { origin } = await serveNode({ 22: {} });
  const { post } = await serve();
  const found = await post('/api/lookup', { agentId: 22, chainId: 'eip155:8453', rpcNodes: { BASE_MAINNET: origin } });
  expect(found).toMatchObject({ status: 200, json: { agentId: 22, chainId: 8453, isRegistered: true } });
  const unknown = await post('/api/lookup', { agentId: 5, chainId: 8453, rpcNodes: { BASE_MAINNET: [origin] } });
  expect(unknown).toMatchObject({ status: 200, json: { status: false } });
});

it('own headers reach the target, and no answer, report, file or log', async () => {
  const secret = 'own-secret-of-a-test';
  const seen: unknown[] = [];
  const { endpoint } = await listen((request, response) => {
    seen.push(request.headers['x-own']);
    // A server may repeat them.
    send(response, 200, { echo: request.headers['x-own'] });
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'reports-'));
  const log = new PassThrough();
  const { url, close } = await createService({ port: 0, allowPrivateTargets: true, dataDir, log });
  const { post, request } = clientOf(url);
  const body = { url: `${endpoint}?key=query-secret`, headers: { 'X-Own': secret, Authorization: `Bearer ${secret}` } };
  const { json, text } = await post('/api/assess', body);
  const streamed = await post('/api/assess', body, { accept: 'text/event-stream' });
  const kept = await request(`/api/reports/${json.reportId}`);
  const page = await request(`/reports/${json.reportId}`);
  await close();
  log.end();
  const lines = (await log.setEncoding('utf8').toArray()).join('');
  const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));
  expect(seen).toContain(secret);
  expect(kept.status).toBe(200);
  expect(lines).toContain('"/api/assess"');
  for (const place of [text, streamed.text, kept.text, page.text, lines, ...files]) {
    expect(place).not.toContain(secret);
    expect(place).not.toContain('query-secret');
  }
  expect(lines).not.toContain(json.reportId);
});
