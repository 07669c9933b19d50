import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemoApi } from './demo-api.ts';

describe('the demo API', () => {
  let api: Awaited<ReturnType<typeof startDemoApi>>;
  beforeAll(async () => {
    api = await startDemoApi();
  });
  afterAll(() => api.close());

  const get = (path: string) => fetch(api.url + path);
  const getJson = async <T = unknown>(path: string) => {
    const response = await get(path);
    return { status: response.status, body: (await response.json()) as T };
  };
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/harvests`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const failure = (status: number, code: string) => ({
    status,
    body: { error: { code, message: expect.any(String) } },
  });

  test('lists its own endpoints', async () => {
    const { body } = await getJson<{ garden: { path: string }[] }>('/');
    expect(body.garden.map(({ path }) => path)).toContain('/plants/:id');
  });

  test('searches names and Latin names in the requested order, with the total', async () => {
    const { status, body } = await getJson<{ total: number; plants: { id: string }[] }>(
      '/plants?q=ALLIUM&sort=height&limit=2',
    );
    expect(status).toBe(200);
    expect(body.total).toBe(3);
    expect(body.plants.map(({ id }) => id)).toEqual(['leek', 'garlic']);
  });

  test('treats wildcards and quotes in a search as text', async () => {
    for (const text of ['%', '_', "' OR 1=1 --"]) {
      expect((await getJson(`/plants?q=${encodeURIComponent(text)}`)).body).toEqual({ total: 0, plants: [] });
    }
  });

  test.each([
    ['/plants?sort=colour', 400, 'bad_sort'],
    ['/plants?sort=constructor', 400, 'bad_sort'],
    ['/plants?limit=51', 400, 'bad_limit'],
    ['/plants?limit=2.5', 400, 'bad_limit'],
    ['/plants/triffid', 404, 'no_such_plant'],
    ['/plants/%zz', 404, 'no_such_plant'],
    ['/beds/moon/harvests', 404, 'no_such_bed'],
    ['/beds/north/harvests?unit=stone', 400, 'bad_unit'],
    ['/beds/north/soil?delay=soon', 400, 'bad_delay'],
    ['/beds/greenhouse/soil', 503, 'sensor_offline'],
    ['/calendar.xml?month=13', 400, 'bad_month'],
    ['/nowhere', 404, 'not_found'],
    ['/plants/', 404, 'not_found'],
  ])('GET %s answers %i %s', async (path, status, code) => {
    expect(await getJson(path)).toEqual(failure(status, code));
  });

  test('lists the allowed methods of a path', async () => {
    const response = await fetch(`${api.url}/plants`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('answers HEAD without a body', async () => {
    const response = await fetch(`${api.url}/plants/basil`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('records a harvest with the key, and shows it in the requested unit', async () => {
    const created = await post('{"plant":"sunflower","grams":1500}', { authorization: `Bearer ${api.apiKey}` });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ plant: 'sunflower', grams: 1500, note: null });
    const { body } = await getJson('/beds/south/harvests?unit=kg');
    expect(body).toMatchObject({
      harvests: [
        { plant: 'sunflower', amount: 1.5 },
        { plant: 'courgette', amount: 2.1 },
      ],
    });
  });

  test.each([
    ['no key', {}, '{"plant":"kale","grams":1}', 401, 'key_needed'],
    ['a wrong key', { authorization: 'Bearer x' }, '{"plant":"kale","grams":1}', 401, 'key_needed'],
    ['another type', { 'content-type': 'text/plain' }, '{}', 415, 'json_needed'],
    ['no JSON', {}, '{', 400, 'bad_json'],
    ['too much', {}, JSON.stringify('x'.repeat(200_000)), 413, 'too_large'],
  ])('refuses a harvest with %s', async (_, headers, body, status, code) => {
    const response = await post(body, headers);
    expect({ status: response.status, body: await response.json() }).toEqual(failure(status, code));
  });

  test.each([
    ['null', 'no_such_plant'],
    ['{"plant":"triffid","grams":1}', 'no_such_plant'],
    ['{"plant":"kale","grams":"1"}', 'bad_grams'],
    ['{"plant":"kale","grams":0}', 'bad_grams'],
    ['{"plant":"kale","grams":1,"note":2}', 'bad_note'],
  ])('refuses the harvest %s', async (body, code) => {
    const response = await post(body, { authorization: `Bearer ${api.apiKey}` });
    expect({ status: response.status, body: await response.json() }).toEqual(failure(422, code));
  });

  test('answers the calendar as XML with its text escaped', async () => {
    const response = await get('/calendar.xml?month=3');
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(await response.text()).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<calendar month="3">
  <task kind="sow" plant="broad-bean">Broad bean</task>
  <task kind="sow" plant="chives">Chives</task>
  <task kind="sow" plant="leek">Leek</task>
  <task kind="sow" plant="tomato">Tomato "Salt &amp; Pepper"</task>
</calendar>
`);
  });

  test('takes as long as requested', async () => {
    const start = performance.now();
    expect((await getJson('/beds/herbs/soil?delay=150')).body).toEqual({ bed: 'herbs', moisture: 0.19, celsius: 18.5 });
    expect(performance.now() - start).toBeGreaterThan(140);
  });
});

test('close ends a request that is still waiting', async () => {
  const api = await startDemoApi({ apiKey: 'k' });
  expect(api.apiKey).toBe('k');
  const slow = fetch(`${api.url}/beds/herbs/soil?delay=10000`).catch(() => 'ended');
  await fetch(`${api.url}/`).then((response) => response.text());
  await api.close();
  expect(await slow).toBe('ended');
});

test('rejects when the port is taken', async () => {
  const api = await startDemoApi();
  await expect(startDemoApi({ port: Number(new URL(api.url).port) })).rejects.toThrow('EADDRINUSE');
  await api.close();
});
