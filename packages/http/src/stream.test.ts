import { pipeline, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { clientFor, serveHttp } from '../fixtures/loopback-server.ts';
import type { Lookup } from './guarded-agent.ts';

describe('a streamed answer', () => {
  it('has its body as it arrives', async () => {
    let finish = () => {};
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('first');
      finish = () => response.end('second');
    });
    const { status, headers, body } = await clientFor([server]).stream({ url: server.origin, method: 'GET' });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader.read()).toEqual({ done: false, value: 'first' });
    finish();
    expect(await reader.read()).toEqual({ done: false, value: 'second' });
    expect((await reader.read()).done).toBe(true);
  });

  it('tells how long its connection took', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const lookup = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) => {
      setTimeout(callback, 60, null, [{ address: '127.0.0.1', family: 4 }]);
    }) as Lookup;
    const origin = `http://site.test:${server.port}`;
    const { setupMs } = await clientFor([{ origin }], { lookup }).stream({ url: origin, method: 'GET' });
    expect(setupMs).toBeGreaterThan(55);
  });

  it('is decoded, and its headers say so', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('packed'));
    });
    const { headers, body } = await clientFor([server]).stream({ url: server.origin, method: 'GET' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(await new Response(body).text()).toBe('packed');
  });

  it('returns redirects to the caller, and may have no body', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(307, { location: '/elsewhere' });
      response.end();
    });
    const answer = await clientFor([server]).stream({ url: server.origin, method: 'POST', body: 'x' });
    expect([answer.status, answer.headers.location]).toEqual([307, '/elsewhere']);
    expect(await new Response(answer.body).text()).toBe('');
  });

  it.each(['identity', 'gzip'])('ends with an error if it exceeds its limit: %s', async (encoding) => {
    const megabyte = Buffer.alloc(1_000_000);
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.end(encoding === 'gzip' ? gzipSync(megabyte) : megabyte);
    });
    const { body } = await clientFor([server]).stream({ url: server.origin, method: 'GET' }, { maxBytes: 100_000 });
    await expect(new Response(body).text()).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await server.allClosed();
  });

  it('ends at its deadline, before and after its head', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/slow') response.write('something');
    });
    const client = clientFor([server], { timeoutMs: 200 });
    await expect(client.stream({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const { body } = await client.stream({ url: `${server.origin}/slow`, method: 'GET' });
    await expect(new Response(body).text()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await server.allClosed();
  });

  it('ends when its body is cancelled or its signal is aborted, and does not block closing the client', async () => {
    const server = await serveHttp((_request, response) => response.write('without end'));
    const client = clientFor([server]);
    const cancelled = await client.stream({ url: server.origin, method: 'GET' });
    await cancelled.body.cancel();
    const abort = new AbortController();
    const aborted = await client.stream({ url: server.origin, method: 'GET' }, { signal: abort.signal });
    abort.abort();
    await expect(new Response(aborted.body).text()).rejects.toMatchObject({ code: 'ABORTED' });
    await client.close();
    await server.allClosed();
  });

  it('pauses the server while the body is not read', async () => {
    let sent = 0;
    function* endless(): Generator<Buffer> {
      for (const chunk = Buffer.alloc(64 * 1024); ; sent += chunk.length) yield chunk;
    }
    const server = await serveHttp((_request, response) => pipeline(Readable.from(endless()), response, () => {}));
    const { body } = await clientFor([server]).stream({ url: server.origin, method: 'GET' }, { maxBytes: 1e9 });
    // Long enough to send hundreds of megabytes to a fast reader.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sent).toBeLessThan(50_000_000);
    await body.cancel();
  });

  it('is refused if the address is not public', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const request = clientFor([]).stream({ url: server.origin, method: 'GET' });
    await expect(request).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    expect(server.connections()).toBe(0);
  });
});
