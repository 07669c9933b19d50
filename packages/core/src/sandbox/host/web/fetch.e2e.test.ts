import { afterAll, describe, expect, test } from 'vitest';
import type { FetchBroker } from '../../fetch-broker.ts';
import { run } from '../../fixtures/program.ts';
import { closeHandlerPool } from '../../handler-pool.ts';
import type { BrokerRequest } from '../../host-message.ts';

afterAll(closeHandlerPool);

const json = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': '7' };

/** A broker that keeps what it was asked and answers with the text. */
function brokerOf(
  text: string,
  rest: { status?: number; url?: string } = {},
): { fetch: FetchBroker; asked: BrokerRequest[] } {
  const asked: BrokerRequest[] = [];
  const fetch: FetchBroker = async (request) => {
    asked.push(request);
    return { url: request.url, status: 200, statusText: 'OK', headers: json, body: Buffer.from(text), ...rest };
  };
  return { fetch, asked };
}

describe('fetch in a handler', () => {
  test('is made by the broker', async () => {
    const { fetch, asked } = brokerOf('{"price":1}');
    const body = `
      const response = await fetch('https://api.example/v1?x=1', { headers: { Accept: 'application/json' } });
      return { ok: response.ok, status: response.status, text: response.statusText, type: response.headers.get('Content-Type'), data: await response.json() }`;
    expect(await run(body, {}, { fetch })).toEqual({
      ok: true,
      status: 200,
      text: 'OK',
      type: 'application/json; charset=utf-8',
      data: { price: 1 },
    });
    expect(asked).toEqual([
      { url: 'https://api.example/v1?x=1', method: 'GET', headers: { accept: 'application/json' } },
    ]);
  });

  test.each([
    ['text', `'{"a":1}'`, '{"a":1}', 'text/plain;charset=UTF-8'],
    [
      'URLSearchParams',
      `new URLSearchParams({ a: 'ü' })`,
      'a=%C3%BC',
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
    ['a blob', `new Blob(['x', new Uint8Array([121])], { type: 'text/csv' })`, 'xy', 'text/csv'],
    ['bytes', `new Uint8Array([114, 97, 119])`, 'raw', undefined],
    ['what Buffer makes', 'Buffer.from([114, 97, 119])', 'raw', undefined],
    ['an ArrayBuffer', `new TextEncoder().encode('raw').buffer`, 'raw', undefined],
  ])('sends %s', async (_, expression, sent, type) => {
    const { fetch, asked } = brokerOf('');
    await run(`await fetch('https://api.example', { method: 'post', body: ${expression} })`, {}, { fetch });
    expect(asked[0]?.method).toBe('POST');
    expect(Buffer.from(asked[0]?.body ?? '').toString()).toBe(sent);
    expect(asked[0]?.headers['content-type']).toBe(type);
  });

  test('sends a form with files', async () => {
    const { fetch, asked } = brokerOf('');
    const body = `
      const form = new FormData();
      form.append('name', 'a"b');
      form.append('file', new File(['content'], 'a.txt', { type: 'text/plain' }));
      await fetch('https://api.example', { method: 'POST', body: form })`;
    await run(body, {}, { fetch });
    const boundary = asked[0]?.headers['content-type']?.split('boundary=')[1];
    expect(
      Buffer.from(asked[0]?.body ?? '')
        .toString()
        .replaceAll(boundary ?? '', 'B'),
    ).toBe(
      [
        '--B',
        'Content-Disposition: form-data; name="name"',
        '',
        'a"b',
        '--B',
        'Content-Disposition: form-data; name="file"; filename="a.txt"',
        'Content-Type: text/plain',
        '',
        'content',
        '--B--',
        '',
      ].join('\r\n'),
    );
  });

  test('accepts a Request and a URL', async () => {
    const { fetch, asked } = brokerOf('');
    const body = `
      await fetch(new URL('https://api.example/a b'));
      await fetch(new Request('https://api.example/r', { method: 'PUT', headers: [['X-A', '1']], body: 'x' }), { headers: { 'X-B': '2' } })`;
    await run(body, {}, { fetch });
    expect(asked.map(({ url, method, headers }) => [url, method, headers])).toEqual([
      ['https://api.example/a%20b', 'GET', {}],
      ['https://api.example/r', 'PUT', { 'x-b': '2', 'content-type': 'text/plain;charset=UTF-8' }],
    ]);
  });

  test('returns a response as in the standard', async () => {
    const { fetch } = brokerOf('\u00fc', { status: 404, url: 'https://api.example/moved' });
    const body = `
      const response = await fetch('https://api.example/');
      const copy = response.clone();
      const pairs = []; response.headers.forEach((value, name) => pairs.push(name + ':' + value));
      const text = await response.text();
      const again = await response.text().catch((error) => error.name);
      return {
        ok: response.ok, redirected: response.redirected, url: response.url, text, again, used: response.bodyUsed,
        bytes: new Uint8Array(await copy.clone().arrayBuffer()).length, blob: (await copy.clone().blob()).size,
        pairs, entries: [...response.headers].length, spread: Object.fromEntries(response.headers.entries())['x-request-id'],
        is: response instanceof Response, missing: response.headers.get('none'),
      }`;
    expect(await run(body, {}, { fetch })).toEqual({
      ok: false,
      redirected: true,
      url: 'https://api.example/moved',
      text: 'ü',
      again: 'TypeError',
      used: true,
      bytes: 2,
      blob: 2,
      pairs: ['content-type:application/json; charset=utf-8', 'x-request-id:7'],
      entries: 2,
      spread: '7',
      is: true,
      missing: null,
    });
  });

  test('fails as in the standard, with the cause and the line', async () => {
    const fetch: FetchBroker = async () => {
      throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
    };
    const caught = `try { await fetch('https://api.example') } catch (error) { return [error.name, error.message, error.cause.code] }`;
    expect(await run(caught, {}, { fetch })).toEqual([
      'TypeError',
      'fetch failed: connect ECONNREFUSED 127.0.0.1:9',
      'ECONNREFUSED',
    ]);
    await expect(run(`\nreturn await fetch('https://api.example')`, {}, { fetch })).rejects.toMatchObject({ line: 2 });
  });

  test('can be aborted', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const fetch: FetchBroker = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          resolve();
          reject(signal.reason);
        });
      });
    const body = `return await fetch('https://api.example', { signal: AbortSignal.timeout(20) }).catch((error) => error.name)`;
    expect(await run(body, {}, { fetch })).toBe('TimeoutError');
    await aborted;
    const before = `return await fetch('https://api.example', { signal: AbortSignal.abort() }).catch((error) => error.name)`;
    expect(await run(before, {}, { fetch })).toBe('AbortError');
  });

  test('is aborted when its call ends', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const fetch: FetchBroker = (_, signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => resolve());
      });
    expect(await run(`fetch('https://api.example'); await null; return 'done'`, {}, { fetch })).toBe('done');
    await aborted;
  });

  test('ends with its call, even if other code resumes the waiting code', async () => {
    const body = `
      if (context.first) {
        globalThis.late = new Promise((resolve) => { globalThis.wake = resolve }).then(() => fetch('https://api.example'));
        return 'left waiting';
      }
      globalThis.wake();
      return await globalThis.late.catch((error) => error.message)`;
    const { fetch, asked } = brokerOf('');
    expect(await run(body, { first: true }, { fetch })).toBe('left waiting');
    expect(await run(body, {}, { fetch })).toBe('fetch failed: the call that makes this request has ended');
    expect(asked).toEqual([]);
  });

  test('reaches the broker of its own call when calls of one program overlap', async () => {
    const body = `
      await new Promise((resolve) => setTimeout(resolve, context.wait));
      const first = await (await fetch('https://api.example')).text();
      await Promise.resolve();
      return [first, await (await fetch('https://api.example')).text()]`;
    const calls = [20, 5, 10, 1].map((wait) => run(body, { wait }, { fetch: brokerOf(`for ${wait}`).fetch }));
    expect(await Promise.all(calls)).toEqual([20, 5, 10, 1].map((wait) => [`for ${wait}`, `for ${wait}`]));
  });

  test('queues concurrent requests beyond 32', async () => {
    let [open, most] = [0, 0];
    const { promise: crowded, resolve } = Promise.withResolvers<void>();
    const fetch: FetchBroker = async ({ url }) => {
      open += 1;
      most = Math.max(most, open);
      if (open === 32) resolve();
      await crowded;
      open -= 1;
      return { url, status: 200, statusText: 'OK', headers: {}, body: Buffer.from(url.slice(-3)) };
    };
    const body = `
      const urls = Array.from({ length: 100 }, (_, i) => 'https://api.example/' + (100 + i));
      return (await Promise.all(urls.map(async (url) => Number(await (await fetch(url)).text())))).reduce((sum, n) => sum + n)`;
    expect(await run(body, {}, { fetch })).toBe(14_950);
    expect(most).toBe(32);
  });

  test('is limited in size', async () => {
    const body = `return await fetch('https://api.example', { method: 'POST', body: 'x'.repeat(11e6) }).catch((error) => error.message)`;
    expect(await run(body)).toBe('fetch failed: the body is larger than 10485760 bytes');
  });

  test('is limited in number', async () => {
    const { fetch } = brokerOf('');
    const body = `let made = 0; try { for (;;) { await fetch('https://api.example'); made += 1 } } catch (error) { return [made, error.message] }`;
    expect(await run(body, {}, { fetch })).toEqual([1000, 'fetch failed: more than 1000 requests in one call']);
  });
});

test('a request can be read before it is sent', async () => {
  const body = `
    const make = () => new Request('https://api.example/', { method: 'POST', body: '{"a":"ü"}' });
    return [await make().text(), await make().json(), (await make().arrayBuffer()).byteLength, (await make().bytes()).length, (await make().blob()).size]`;
  expect(await run(body)).toEqual(['{"a":"ü"}', { a: 'ü' }, 10, 10, 10]);
});

describe('redirect', () => {
  const moved: FetchBroker = async ({ url, redirect }) => {
    const body = Buffer.from('');
    if (redirect !== 'manual') return { url: `${url}there`, status: 200, statusText: 'OK', headers: {}, body };
    return { url, status: 302, statusText: 'Found', headers: { location: '/there' }, body };
  };
  const ask = (init: string) =>
    run(
      `const { status, redirected, headers } = await fetch('https://api.example/', ${init});
       return [status, redirected, headers.get('location')]`,
      {},
      { fetch: moved },
    );

  test('is followed', async () => {
    expect(await ask('{}')).toEqual([200, true, null]);
  });

  test('manual returns it as the response', async () => {
    expect(await ask(`{ redirect: 'manual' }`)).toEqual([302, false, '/there']);
  });

  test('error fails', async () => {
    await expect(ask(`{ redirect: 'error' }`)).rejects.toThrow('unexpected redirect');
  });

  test('with another value is refused', async () => {
    await expect(ask(`{ redirect: 'maybe' }`)).rejects.toThrow('follow, manual, error');
  });
});
