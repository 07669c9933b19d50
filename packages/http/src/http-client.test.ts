import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { clientFor, readBody, serveHttp, serveTcp } from '../fixtures/loopback-server.ts';
import { createHttpClient } from './http-client.ts';
import type { HttpAnswer } from './http-message.ts';

const text = ({ body }: HttpAnswer): string => new TextDecoder().decode(body);

describe('an answer', () => {
  it('has the data of the server, for any status', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(404, 'Nothing Here', {
        'content-type': 'text/plain',
        'x-two': ['a', 'b'],
        'set-cookie': ['c=1', 'd=2'],
      });
      response.end('not found');
    });
    const answer = await clientFor([server]).request({ url: `${server.origin}/a?b=c#d`, method: 'get' });
    expect(answer).toMatchObject({
      url: `${server.origin}/a?b=c`,
      status: 404,
      statusText: 'Nothing Here',
      redirects: [],
      attempts: 1,
    });
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-two': 'a, b', 'set-cookie': 'c=1, d=2' });
    expect(text(answer)).toBe('not found');
  });

  it('has a body with its own memory', async () => {
    const server = await serveHttp((_request, response) => response.end('short'));
    const { body } = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect(body.buffer.byteLength).toBe(5);
  });

  it('joins a body that arrives in pieces', async () => {
    const pieces = Array.from({ length: 50 }, (_, i) => `${i}`.repeat(2000));
    const server = await serveHttp((_request, response) => {
      for (const piece of pieces) response.write(piece);
      response.end();
    });
    expect(text(await clientFor([server]).request({ url: server.origin, method: 'GET' }))).toBe(pieces.join(''));
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('to %s with status %i has no body', async (method, status) => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(status, { 'content-encoding': 'gzip', 'content-length': '99' });
      response.end();
    });
    const answer = await clientFor([server]).request({ url: server.origin, method });
    expect(answer.status).toBe(status);
    expect(answer.body).toHaveLength(0);
  });

  it('skips interim answers', async () => {
    const server = await serveTcp((socket) => {
      socket.on('data', () =>
        socket.end('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
      );
    });
    const answer = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect([answer.status, text(answer), answer.headers.link]).toEqual([200, 'ok', undefined]);
  });
});

describe('a request', () => {
  it('sends method, headers and body', async () => {
    const server = await serveHttp(async (request, response) => {
      response.end(
        JSON.stringify({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: await readBody(request),
        }),
      );
    });
    const client = clientFor([server]);
    const headers = { 'X-Key': 'k', 'Content-Type': 'text/plain' };
    const sent = async (body: string | Uint8Array): Promise<unknown> =>
      JSON.parse(text(await client.request({ url: `${server.origin}/p%20q?r=s%2Ft`, method: 'POST', headers, body })));
    const expected = {
      method: 'POST',
      url: '/p%20q?r=s%2Ft',
      headers: { 'x-key': 'k', 'content-type': 'text/plain', 'content-length': '3' },
    };
    expect(await sent('ä1')).toMatchObject({ ...expected, body: 'ä1' });
    expect(await sent(new Uint8Array([9, 49, 50, 51, 9]).subarray(1, 4))).toMatchObject({ ...expected, body: '123' });
  });

  it('adds accept, accept-encoding and user-agent only if they are missing', async () => {
    const server = await serveHttp((request, response) => response.end(JSON.stringify(request.headers)));
    const client = clientFor([server]);
    const sent = async (headers: Record<string, string>): Promise<unknown> =>
      JSON.parse(text(await client.request({ url: server.origin, method: 'GET', headers })));
    expect(await sent({})).toMatchObject({
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'schemakit',
    });
    const own = { Accept: 'text/html', 'Accept-Encoding': 'identity', 'User-Agent': 'mine' };
    expect(await sent(own)).toMatchObject({ accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'mine' });
  });

  it('reuses connections', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const client = clientFor([server]);
    for (let i = 0; i < 20; i++) await client.request({ url: server.origin, method: 'GET' });
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('does not open more than 128 connections to one server', async () => {
    const server = await serveHttp((_request, response) => setImmediate(() => response.end('ok')));
    const client = clientFor([server]);
    await Promise.all(Array.from({ length: 400 }, () => client.request({ url: server.origin, method: 'GET' })));
    expect(server.connections()).toBeLessThanOrEqual(128);
  });

  it('ignores proxies in the environment', async () => {
    const server = await serveHttp((_request, response) => response.end('direct'));
    const before = { ...process.env };
    Object.assign(process.env, {
      http_proxy: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      expect(text(await clientFor([server]).request({ url: server.origin, method: 'GET' }))).toBe('direct');
    } finally {
      process.env = before;
    }
  });

  it.each(['CONNECT', 'TRACE', 'track', 'BAD METHOD', ''])('refuses the method %j', async (method) => {
    const server = await serveHttp((_request, response) => response.end());
    await expect(clientFor([server]).request({ url: server.origin, method })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(server.connections()).toBe(0);
  });

  it.each([
    { host: 'other.example.com' },
    { 'bad name': 'x' },
    { 'x-value': 'a\r\nb: c' },
    { 'transfer-encoding': 'chunked' },
    { upgrade: 'websocket' },
    { expect: '100-continue' },
    { 'content-length': '99' },
  ] as Record<string, string>[])('refuses the headers %j', async (headers) => {
    const server = await serveHttp((_request, response) => response.end());
    const sent = clientFor([server]).request({ url: server.origin, method: 'POST', headers, body: 'x' });
    await expect(sent).rejects.toMatchObject({ name: 'HttpError', code: 'INVALID_REQUEST' });
  });

  it('accepts a host header that repeats the host of the URL', async () => {
    const server = await serveHttp((request, response) => response.end(request.headers.host));
    const host = `127.0.0.1:${server.port}`;
    expect(
      text(await clientFor([server]).request({ url: server.origin, method: 'GET', headers: { Host: host } })),
    ).toBe(host);
  });
});

describe('a URL', () => {
  it.each(['', 'example.com/x', '/relative', 'http://', 'http://a b/'])('refuses %j', async (url) => {
    const error = { name: 'HttpError', code: 'INVALID_URL', url: '' };
    await expect(createHttpClient().request({ url, method: 'GET' })).rejects.toMatchObject(error);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com', 'data:text/plain,x', 'ws://example.com', 'javascript:1'])(
    'refuses the protocol of %s',
    async (url) => {
      await expect(createHttpClient().request({ url, method: 'GET' })).rejects.toMatchObject({
        code: 'PROTOCOL_BLOCKED',
      });
    },
  );

  it('with user name or password is refused without repeating them', async () => {
    const error: unknown = await createHttpClient()
      .request({ url: 'https://someone:hunter22@example.com/x?key=sesame', method: 'GET' })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_URL', url: 'https://example.com/x' });
    expect(`${error}${JSON.stringify(error)}`).not.toMatch(/hunter22|sesame|someone/);
  });

  it('keeps its query out of errors', async () => {
    const server = await serveTcp((socket) => socket.on('data', () => socket.destroy()));
    const error: unknown = await clientFor([server], { retries: 0 })
      .request({ url: `${server.origin}/p?key=sesame`, method: 'GET' })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ECONNRESET', url: `${server.origin}/p` });
    expect(`${error}${JSON.stringify(error)}`).not.toContain('sesame');
  });
});

describe('the size limit', () => {
  it('ends an endless body, and its connection', async () => {
    const server = await serveHttp((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    const client = clientFor([server], { maxBytes: 1_000_000 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await server.allClosed();
  });

  it('allows a body of exactly the limit', async () => {
    const server = await serveHttp((_request, response) => response.end('x'.repeat(1000)));
    const client = clientFor([server]);
    const { body } = await client.request({ url: server.origin, method: 'GET' }, { maxBytes: 1000 });
    expect(body).toHaveLength(1000);
    await expect(client.request({ url: server.origin, method: 'GET' }, { maxBytes: 999 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });

  it('does not wait for a body that is announced as too large', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-length': '1001' });
      response.flushHeaders();
    });
    const client = clientFor([server], { maxBytes: 1000 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('does not count the length that HEAD reports', async () => {
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-length': '99999' }).end(),
    );
    const { headers } = await clientFor([server], { maxBytes: 10 }).request({ url: server.origin, method: 'HEAD' });
    expect(headers['content-length']).toBe('99999');
  });
});

describe('a signal', () => {
  it('ends a request while its body arrives, and its connection', async () => {
    const server = await serveHttp((_request, response) => {
      response.write('beginning');
    });
    const controller = new AbortController();
    const answer = clientFor([server]).request({ url: server.origin, method: 'GET' }, { signal: controller.signal });
    const failed = expect(answer).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    while (server.open.size === 0) await new Promise(setImmediate);
    controller.abort('enough');
    await failed;
    await server.allClosed();
  });

  it('that was already aborted prevents the request', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const request = clientFor([server]).request({ url: server.origin, method: 'GET' }, { signal: AbortSignal.abort() });
    await expect(request).rejects.toMatchObject({ code: 'ABORTED' });
    expect(server.connections()).toBe(0);
  });

  it('is not referenced after the answer', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const { signal } = new AbortController();
    await clientFor([server]).request({ url: server.origin, method: 'GET' }, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('a closed client', () => {
  it('has finished its requests, closed its connections, and accepts no new ones', async () => {
    const server = await serveHttp((_request, response) => setTimeout(() => response.end('late'), 50));
    const client = createHttpClient({ policy: { privateOrigins: [server.origin] } });
    const going = client.request({ url: server.origin, method: 'GET' });
    while (server.open.size === 0) await new Promise(setImmediate);
    await client.close();
    expect(text(await going)).toBe('late');
    await server.allClosed();
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'CLOSED' });
    await client.close();
  });
});
