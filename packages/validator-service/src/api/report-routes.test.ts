import { expect, it } from 'vitest';
import { serveScript } from '../../../validator/fixtures/scripted-server.ts';
import { type Answer, serve } from '../../fixtures/service.ts';

async function checked() {
  const { endpoint } = await serveScript({});
  const service = await serve();
  const check = async (body: object = {}): Promise<Answer['json']> => {
    const { json } = await service.post('/api/assess', { url: endpoint, layers: ['http'], ...body });
    return json;
  };
  return { ...service, endpoint, check };
}

it('a report is deleted with its token only', async () => {
  const { request, check } = await checked();
  const [{ reportId, deleteToken }, other] = [await check(), await check()];
  const path = `/api/reports/${reportId}`;
  const remove = (token?: string) =>
    request(path, { method: 'DELETE', ...(token !== undefined && { headers: { 'X-Delete-Token': token } }) });
  for (const token of [undefined, '', 'wrong', other.deleteToken])
    expect(await remove(token)).toMatchObject({ status: 403, json: { findings: [{ code: 'SVC023' }] } });
  expect((await request(path)).status).toBe(200);
  expect((await remove(deleteToken)).status).toBe(204);
  for (const gone of [path, `${path}/sarif`, `/reports/${reportId}`]) expect((await request(gone)).status).toBe(404);
  expect((await remove(deleteToken)).status).toBe(404);
  expect((await request(`/api/reports/${other.reportId}`)).status).toBe(200);
});

it('reports cannot be listed', async () => {
  const { request } = await checked();
  for (const path of ['/api/reports', '/api/reports/', '/reports', '/reports/'])
    expect((await request(path)).status).toBe(404);
});

it('the page of a report may be cached, if it is asked for again each time', async () => {
  const { request, check } = await checked();
  const { reportId, deleteToken } = await check();
  const path = `/reports/${reportId}`;
  const { status, headers, text } = await request(path);
  expect({ status, ...Object.fromEntries(headers) }).toMatchObject({
    status: 200,
    'cache-control': 'private, no-cache',
    'content-type': 'text/html; charset=utf-8',
    'x-robots-tag': 'noindex',
  });
  expect(text).not.toContain(deleteToken);
  const again = (language: string) =>
    request(path, { headers: { 'if-none-match': headers.get('etag') ?? '', 'accept-language': language } });
  expect((await again('en')).status).toBe(304);
  expect((await again('de')).status).toBe(200);
  await request(`/api${path}`, { method: 'DELETE', headers: { 'x-delete-token': deleteToken } });
  expect((await again('en')).status).toBe(404);
  expect((await request(`/api/reports/${reportId}`)).headers.get('cache-control')).toBe('no-store');
});

it('a report comes as SARIF', async () => {
  const { request, check } = await checked();
  const { reportId, findings } = await check();
  const { headers, json } = await request(`/api/reports/${reportId}/sarif`);
  expect(headers.get('content-type')).toMatch(/^application\/sarif\+json/);
  expect(headers.get('content-disposition')).toMatch(/^attachment/);
  expect(json).toMatchObject({ version: '2.1.0', runs: [{ results: { length: findings.length } }] });
});

it('reports are compared by id or as results', async () => {
  const { post, check } = await checked();
  const [before, after] = [await check(), await check({ layers: ['http', 'mcp'] })];
  const byId = await post('/api/compare', { before: before.reportId, after: after.reportId });
  expect(byId).toMatchObject({ status: 200, json: { status: true, hasChanges: false } });
  after.layers.http.categories.isHttps = true;
  const mixed = await post('/api/compare', { before: before.reportId, after });
  expect(mixed.json).toMatchObject({ status: true, hasChanges: true });
});

it('the badge shows the newest report of a host, but none with own headers or of some layers', async () => {
  const { request, post, check, endpoint } = await checked();
  const path = `/badge/${new URL(endpoint).host}.svg`;
  const badge = async () => (await request(path)).text;
  await check();
  await check({ layers: undefined, headers: { 'x-own': '1' } });
  expect(await badge()).toContain('SchemaKit: not checked');
  const { json } = await post('/api/assess', { url: endpoint });
  expect(await badge()).toContain(`SchemaKit: ${json.grade.letter}`);
  const { headers } = await request(path);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
  });
});

it('assets may be cached for long where their names change with them', async () => {
  const { request } = await serve();
  const paths = [...(await request('/')).text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) {
    const { status, headers } = await request(path);
    const expected = path === '/assets/icon.svg' ? 'public, max-age=3600' : 'public, max-age=31536000, immutable';
    expect({ path, status, caching: headers.get('cache-control') }).toEqual({ path, status: 200, caching: expected });
  }
});
