import { once } from 'node:events';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientFor, type Loopback, serveHttp, serveTcp } from '../fixtures/loopback-server.ts';
import { parseRetryAfter } from './retry.ts';

/** Answers with these in turn, and from then on with 200. */
async function answering(
  ...answers: { status: number; retryAfter?: string }[]
): Promise<Loopback & { requests: { at: number }[] }> {
  const requests: { at: number }[] = [];
  const server = await serveHttp((_request, response) => {
    const { status, retryAfter } = answers[requests.push({ at: performance.now() }) - 1] ?? { status: 200 };
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('body');
  });
  return { ...server, requests };
}

describe('retries', () => {
  it.each([429, 502, 503, 504])('follow status %i', async (status) => {
    const server = await answering({ status });
    const answer = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect(answer).toMatchObject({ status: 200, attempts: 2 });
  });

  it.each([400, 401, 404, 408, 500, 501])('do not follow status %i', async (status) => {
    const server = await answering({ status });
    const answer = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect(answer).toMatchObject({ status, attempts: 1 });
  });

  it.each(['POST', 'PATCH', 'post'])('never happen for %s', async (method) => {
    const server = await answering({ status: 503, retryAfter: '0' });
    const answer = await clientFor([server]).request({ url: server.origin, method, body: 'x' });
    expect(answer).toMatchObject({ status: 503, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('never send a POST again whose connection failed', async () => {
    let requests = 0;
    const server = await serveTcp((socket) =>
      socket.on('data', () => {
        requests++;
        socket.destroy();
      }),
    );
    const client = clientFor([server]);
    await expect(client.request({ url: server.origin, method: 'POST', body: 'x' })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    expect(requests).toBe(1);
  });

  it('follow a connection that failed before an answer', async () => {
    let requests = 0;
    const server = await serveTcp((socket) =>
      socket.on('data', () =>
        ++requests < 3 ? socket.destroy() : socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
      ),
    );
    const answer = await clientFor([server]).request({ url: server.origin, method: 'PUT', body: 'x' });
    expect(answer).toMatchObject({ status: 200, attempts: 3 });
  });

  it('do not follow a connection that failed within an answer', async () => {
    const server = await serveTcp((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
    );
    await expect(clientFor([server]).request({ url: server.origin, method: 'GET' })).rejects.toThrow();
    expect(server.connections()).toBe(1);
  });

  it('reach a server that starts in the meantime', async () => {
    const server = createServer((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const origin = `http://127.0.0.1:${port}`;
    const client = clientFor([{ origin }], { retries: 20 });
    await expect(client.request({ url: origin, method: 'GET' }, { retries: 0 })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    const answer = client.request({ url: origin, method: 'GET' });
    server.listen(port, '127.0.0.1');
    expect((await answer).status).toBe(200);
    server.close();
  });

  it('stop after the maximum and return the last answer', async () => {
    const server = await answering({ status: 503 }, { status: 502 }, { status: 504 }, { status: 503 });
    expect(await clientFor([server]).request({ url: server.origin, method: 'GET' })).toMatchObject({
      status: 504,
      attempts: 3,
    });
    expect(await clientFor([server]).request({ url: server.origin, method: 'GET' }, { retries: 0 })).toMatchObject({
      status: 503,
      attempts: 1,
    });
  });

  it('are counted for the whole exchange, redirects included', async () => {
    let requests = 0;
    const server = await serveHttp((request, response) => {
      requests++;
      if (request.url === '/' && requests === 2) response.writeHead(302, { location: '/there' }).end();
      else response.writeHead(503, { 'retry-after': '0' }).end();
    });
    const answer = await clientFor([server]).request({ url: `${server.origin}/`, method: 'GET' });
    expect(answer).toMatchObject({ status: 503, attempts: 4, redirects: [{ status: 302 }] });
  });

  it('wait as long as the server asks', async () => {
    const server = await answering({ status: 503, retryAfter: '1' });
    await clientFor([server]).request({ url: server.origin, method: 'GET' });
    const [first, second] = server.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it.each(['3600', new Date(Date.now() + 3_600_000).toUTCString()])(
    'do not outlast the total time: %s',
    async (retryAfter) => {
      const server = await answering({ status: 429, retryAfter });
      const answer = await clientFor([server]).request({ url: server.origin, method: 'GET' });
      expect(answer).toMatchObject({ status: 429, attempts: 1, headers: { 'retry-after': retryAfter } });
    },
  );

  it('end with the signal while they wait', async () => {
    const server = await answering({ status: 503, retryAfter: '20' });
    const controller = new AbortController();
    const answer = clientFor([server]).request({ url: server.origin, method: 'GET' }, { signal: controller.signal });
    const failed = expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
    while (server.requests.length === 0) await new Promise(setImmediate);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await failed;
    expect(server.requests).toHaveLength(1);
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 30);

  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 7000],
    ['Sun Nov  6 08:49:37 1994', 7000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['Sunday', undefined],
    [undefined, undefined],
  ])('reads %j', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it('parses every date format', () => {
    const date = fc.date({ min: new Date(now), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (time) => {
        expect(parseRetryAfter(time.toUTCString(), now)).toBe(Math.floor(time.getTime() / 1000) * 1000 - now);
      }),
    );
  });
});
