import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serve, type TestService } from '../../fixtures/service.ts';

const apiToken = 'a-token-of-a-test';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const closed = ['/api/reports/x', '/openapi.json', '/openapi', '/metrics', '/mcp'];
const open = ['/', '/healthz', '/readyz', '/badge/example.com.svg', '/reports/x', '/assets/x.js'];

async function cookieOf({ request }: TestService): Promise<string> {
  const { headers } = await request('/');
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** What a request with these headers gets on a closed path: 404 for who may ask for a report that is not there. */
const statusOf = async ({ request }: TestService, headers: Record<string, string>) =>
  (await request('/api/reports/x', { headers })).status;

describe('without a token', () => {
  it('all paths are open', async () => {
    const { request } = await serve();
    for (const path of [...closed, ...open]) expect([401, 403]).not.toContain((await request(path)).status);
    expect((await request('/')).headers.get('set-cookie')).toBe(null);
  });

  it('pages of other origins are refused all the same', async () => {
    const service = await serve();
    expect(await statusOf(service, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect((await service.post('/api/validate', {}, { origin: 'https://other.example' })).json).toMatchObject({
      status: 403,
      findings: [{ code: 'SVC021', path: 'headers.origin' }],
    });
  });
});

describe('with a token', () => {
  it('closed paths need it, and open ones do not', async () => {
    const service = await serve({ apiToken });
    for (const path of closed) {
      const { status, headers, json } = await service.request(path);
      expect({ path, status, code: json.findings[0].code }).toEqual({ path, status: 401, code: 'SVC020' });
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    for (const path of open) expect([401, 403]).not.toContain((await service.request(path)).status);
    for (const path of ['/api/validate', '/api/assess', '/api/lookup', '/api/compare'])
      expect((await service.post(path, {})).status).toBe(401);
    expect((await service.request('/api/assess/stream?url=https://example.com')).status).toBe(401);
  });

  it('a header counts, a cookie counts, and a wrong header does not pass with a right cookie', async () => {
    const service = await serve({ apiToken });
    const cookie = await cookieOf(service);
    expect(cookie).toMatch(/^schemakit=\S+/);
    const altered = cookie.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
    const cases: [Record<string, string>, number][] = [
      [bearer(apiToken), 404],
      [{ authorization: `bearer   ${apiToken}` }, 404],
      [bearer('wrong'), 401],
      [bearer(`${apiToken}x`), 401],
      [{ authorization: `Basic ${apiToken}` }, 401],
      [{ authorization: apiToken }, 401],
      [{ authorization: '' }, 401],
      [{}, 401],
      [{ cookie }, 404],
      [{ cookie, 'sec-fetch-site': 'same-origin', origin: service.url }, 404],
      [{ cookie: altered }, 401],
      [{ cookie: `schemakit=of-a-neighbour; ${cookie}` }, 404],
      [{ cookie: `${cookie}; schemakit=of-a-neighbour` }, 404],
      [{ cookie: `schemakit=of-a-neighbour; ${altered}` }, 401],
      [{ cookie: 'schemakit=' }, 401],
      [{ cookie: 'schemakit=99999999999999' }, 401],
      [{ cookie: `__Host-${cookie}` }, 401],
      [{ cookie, origin: 'https://other.example' }, 403],
      [{ cookie, origin: service.url.replace('http:', 'https:') }, 403],
      [{ cookie, origin: 'null' }, 403],
      [{ cookie, 'sec-fetch-site': 'cross-site' }, 403],
      [{ cookie, 'sec-fetch-site': 'same-site' }, 403],
      [{ cookie, ...bearer(apiToken) }, 404],
      [{ cookie, ...bearer('wrong') }, 401],
      [{ ...bearer(apiToken), origin: 'https://other.example' }, 404],
    ];
    for (const [headers, status] of cases)
      expect({ headers, status: await statusOf(service, headers) }).toEqual({ headers, status });
  });

  it('a request with a cookie that may change something must say where it comes from', async () => {
    const service = await serve({ apiToken });
    const cookie = await cookieOf(service);
    const send = async (headers: Record<string, string>) =>
      (await service.post('/api/compare', {}, { cookie, ...headers })).status;
    expect(await send({})).toBe(403);
    expect(await send({ origin: service.url })).toBe(400);
    expect(await send({ 'sec-fetch-site': 'same-origin' })).toBe(400);
    expect(await send({ 'sec-fetch-site': 'same-origin', origin: 'https://other.example' })).toBe(403);
    expect(await send({ 'sec-fetch-site': 'cross-site', origin: service.url })).toBe(403);
  });

  it('the plain form needs the cookie, and a page of another origin cannot send it', async () => {
    const service = await serve({ apiToken });
    const cookie = await cookieOf(service);
    const submit = (headers: Record<string, string>) =>
      service.request('/check', {
        method: 'POST',
        headers,
        body: new URLSearchParams({ url: `${service.url}/healthz` }),
      });
    expect((await submit({ origin: service.url })).status).toBe(401);
    expect((await submit({ cookie })).status).toBe(403);
    expect((await submit({ cookie, origin: 'https://other.example' })).status).toBe(403);
    const { status, headers } = await submit({ cookie, origin: service.url });
    expect(status).toBe(303);
    expect(headers.get('location')).toMatch(/^\/reports\/[\w-]{22}$/);
  });

  it('a page that the browser has still got renews the session', async () => {
    const service = await serve({ apiToken });
    const headers = { authorization: `Bearer ${apiToken}` };
    const { json } = await service.post('/api/assess', { url: service.url, layers: ['http'] }, headers);
    const path = `/reports/${json.reportId}`;
    const etag = (await service.request(path)).headers.get('etag') ?? '';
    const again = await service.request(path, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(await statusOf(service, { cookie: again.headers.get('set-cookie')?.split(';')[0] ?? '' })).toBe(404);
  });

  it('the cookie ends after twelve hours, even if a client keeps it', async () => {
    const service = await serve({ apiToken });
    const { headers } = await service.request('/');
    const text = headers.get('set-cookie') ?? '';
    expect(text).toMatch(/; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const ends = Number(/=(\d+)\./.exec(text)?.[1]) - Date.now();
    expect(ends).toBeGreaterThan(11.9 * 3600_000);
    expect(ends).toBeLessThanOrEqual(12 * 3600_000);
    const cookie = text.split(';')[0] ?? '';
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11.9 * 3600_000 });
    expect(await statusOf(service, { cookie })).toBe(404);
    vi.setSystemTime(Date.now() + 0.2 * 3600_000);
    expect(await statusOf(service, { cookie })).toBe(401);
  });

  it('over TLS the cookie is secure and its name bound to the host', async () => {
    const { request } = await serve({ apiToken, publicUrl: 'https://check.example.com' });
    const { headers } = await request('/');
    expect(headers.get('set-cookie')).toMatch(/^__Host-schemakit=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(headers.get('strict-transport-security')).toMatch(/max-age/);
    const proxied = await serve({ apiToken, trustProxy: ['127.0.0.1'] });
    const behind = await proxied.request('/', {
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost' },
    });
    expect(behind.headers.get('set-cookie')).toMatch(/^__Host-schemakit=.*; Secure/);
  });

  it('X-Forwarded headers of strangers do not count', async () => {
    const { request } = await serve({ apiToken });
    const { headers } = await request('/', { headers: { 'x-forwarded-proto': 'https' } });
    expect(headers.get('set-cookie')).toMatch(/^schemakit=/);
  });

  it('a cookie of one service is none of another', async () => {
    const [one, other] = [await serve({ apiToken }), await serve({ apiToken })];
    expect(await statusOf(other, { cookie: await cookieOf(one) })).toBe(401);
  });
});

it('a service for this machine does not answer to names of others (DNS rebinding)', async () => {
  const { url } = await serve();
  const ask = (host: string): Promise<IncomingMessage> =>
    new Promise((resolve) => get(`${url}/`, { headers: { host } }, resolve));
  const status = async (host: string) => (await ask(host)).resume().statusCode;
  expect(await json(await ask('attacker.example'))).toMatchObject({ status: 403, findings: [{ code: 'SVC022' }] });
  expect(await status('attacker.example:8080')).toBe(403);
  expect(await status('localhost.attacker.example')).toBe(403);
  expect(await status('localhost:1234')).toBe(200);
  expect(await status('[::1]:1234')).toBe(200);
});

it('limits the requests of each address, and tells how many are left', async () => {
  const service = await serve({ apiToken, rateLimit: 2 });
  const ask = (headers: Record<string, string>) => service.request('/openapi.json', { headers });
  const first = await ask({});
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'ratelimit-limit': '2',
    'ratelimit-remaining': '1',
    'ratelimit-reset': '60',
    'ratelimit-policy': '"default";q=2;w=60',
    ratelimit: '"default";r=1;t=60',
  });
  await ask({});
  // Guessing tokens is limited too, and does not keep out who has it.
  const refused = await ask(bearer('guess'));
  expect(refused).toMatchObject({ status: 429, json: { findings: [{ code: 'SVC042' }] } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask(bearer(apiToken))).status).toBe(200);
  expect((await service.request('/')).status).toBe(200);
});

it('the form takes an address without a scheme, and nothing but a form', async () => {
  const { request, post } = await serve();
  const submit = (url: string) => request('/check?lang=de', { method: 'POST', body: new URLSearchParams({ url }) });
  const { status, headers } = await submit(' localhost:1 ');
  expect({ status, location: headers.get('location') }).toEqual({
    status: 303,
    location: expect.stringMatching(/\?lang=de$/),
  });
  const page = await request(headers.get('location') ?? '');
  expect(page.text).toContain('https://localhost:1/');
  const twice = await request('/check', {
    method: 'POST',
    body: new URLSearchParams('url=localhost:1&url=localhost:2'),
  });
  expect(twice).toMatchObject({ status: 400, text: expect.stringContaining('more than once') });
  for (const url of ['', 'mailto:x', 'javascript://%0aalert(1)']) expect((await submit(url)).status).toBe(400);
  expect((await post('/check', { url: 'localhost:1' })).status).toBe(415);
});

it('a form that comes too often gets the page with the reason', async () => {
  const { request } = await serve({ rateLimit: 1 });
  const submit = () => request('/check', { method: 'POST', body: new URLSearchParams({ url: 'a:b' }) });
  expect(await submit()).toMatchObject({ status: 400, text: expect.stringMatching(/^<!doctype html>/i) });
  expect(await submit()).toMatchObject({ status: 429, text: expect.stringContaining('too many requests') });
});

describe('every answer', () => {
  it('has headers that keep it out of frames, of sniffing and of scripts from elsewhere', async () => {
    const { request } = await serve();
    for (const path of ['/', '/api/none', '/healthz', '/reports/none']) {
      const { headers } = await request(path, { headers: { accept: 'text/html' } });
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    }
  });
});
