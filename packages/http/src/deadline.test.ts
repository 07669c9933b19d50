import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientFor, serveHttp, serveTcp } from '../fixtures/loopback-server.ts';

describe('idle time-out', () => {
  it('ends a server that never answers', async () => {
    const server = await serveTcp(() => {});
    const client = clientFor([server], { idleTimeoutMs: 100 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: expect.stringContaining('Upstream request timed out'),
    });
    await server.allClosed();
  });

  it('ends a response whose headers trickle', async () => {
    const server = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const client = clientFor([server], { idleTimeoutMs: 200 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('ends a body that stops', async () => {
    const server = await serveHttp((_request, response) => {
      response.write('beginning');
    });
    const client = clientFor([server], { idleTimeoutMs: 100 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await server.allClosed();
  });

  it('allows a body that takes longer but never stops', async () => {
    const server = await serveHttp((_request, response) => {
      let left = 10;
      const drip = setInterval(() => (left-- > 0 ? response.write('x') : response.end(() => clearInterval(drip))), 40);
    });
    const { body } = await clientFor([server], { idleTimeoutMs: 300 }).request({ url: server.origin, method: 'GET' });
    expect(body).toHaveLength(10);
  });
});

describe('total time-out', () => {
  it('ends a body that trickles forever', async () => {
    const server = await serveHttp((_request, response) => {
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    const client = clientFor([server], { timeoutMs: 150 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: `ETIMEDOUT: Upstream request timed out (127.0.0.1:${server.port}): not complete after 150 ms`,
    });
    await server.allClosed();
  });

  it('covers several quick redirects', async () => {
    const server = await serveHttp((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 40);
    });
    const client = clientFor([server], { timeoutMs: 200, maxRedirects: 1000 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('ends a request that waits for a free connection', async () => {
    const server = await serveTcp(() => {});
    const client = clientFor([server], { timeoutMs: 150 });
    const requests = Array.from({ length: 200 }, () => client.request({ url: server.origin, method: 'GET' }));
    const outcomes = await Promise.allSettled(requests);
    expect(
      new Set(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'answered'))),
    ).toEqual(new Set(['ETIMEDOUT']));
  });

  it('abandoned requests in the queue do not affect the others', async () => {
    const held: ServerResponse[] = [];
    const server = await serveHttp((request, response) =>
      request.url === '/held' ? held.push(response) : response.end('ok'),
    );
    const client = clientFor([server]);
    const holding = Array.from({ length: 128 }, () => client.request({ url: `${server.origin}/held`, method: 'GET' }));
    while (held.length < 128) await new Promise(setImmediate);
    const waiting = Array.from({ length: 50 }, () =>
      client.request({ url: server.origin, method: 'GET' }, { timeoutMs: 20 }),
    );
    await Promise.allSettled(waiting);
    const late = client.request({ url: server.origin, method: 'GET' });
    for (const response of held.splice(0)) response.end('ok');
    expect((await Promise.all([...holding, late])).every(({ status }) => status === 200)).toBe(true);

    const holdingAgain = Array.from({ length: 128 }, () =>
      client.request({ url: `${server.origin}/held`, method: 'GET' }),
    );
    while (held.length < 128) await new Promise(setImmediate);
    for (const response of held) response.end('ok');
    await Promise.all(holdingAgain);
    expect(server.connections()).toBe(128);
  });

  it('limits an infinite one to the longest delay of a timer', async () => {
    const server = await serveHttp((_request, response) => setTimeout(() => response.end('ok'), 30));
    const endless = { timeoutMs: Number.POSITIVE_INFINITY, idleTimeoutMs: Number.POSITIVE_INFINITY };
    const { status } = await clientFor([server], endless).request({ url: server.origin, method: 'GET' });
    expect(status).toBe(200);
  });
});
