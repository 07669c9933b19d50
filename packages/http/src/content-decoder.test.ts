import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { clientFor, serveHttp } from '../fixtures/loopback-server.ts';

const text = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ id: i, name: `name ${i}` })));

describe('content decoding', () => {
  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('reads %s', async (encoding, encode) => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(encode(text));
    });
    const { body, headers } = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect(new TextDecoder().decode(body)).toBe(text);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('content-length');
  });

  it('leaves an unknown encoding to the caller', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'zstd' }).end('as it is');
    });
    const { body, headers } = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect([new TextDecoder().decode(body), headers['content-encoding']]).toEqual(['as it is', 'zstd']);
  });

  it('stops at the limit of decoded bytes, and closes the connection', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const bomb = createGzip();
      bomb.pipe(response);
      response.on('close', () => bomb.destroy());
      const zeros = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        while (!bomb.destroyed && bomb.write(zeros));
      };
      bomb.on('drain', more);
      more();
    });
    const client = clientFor([server], { maxBytes: 5_000_000 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await server.allClosed();
  });

  it('stops at a bomb that arrives in one piece', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const client = clientFor([server], { maxBytes: 100_000 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('stops at encoded bytes that decode to nothing', async () => {
    // An empty stored block (RFC 1951 3.2.4), again and again.
    const nothing = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0, 0, 0, 0xff, 0xff])));
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'deflate' });
      const more = (): void => {
        while (!response.destroyed && response.write(nothing));
      };
      response.on('drain', more);
      more();
    });
    const client = clientFor([server], { maxBytes: 100_000 });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('reports a damaged body', async () => {
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all'),
    );
    await expect(clientFor([server]).request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({
      code: 'BAD_RESPONSE',
    });
  });

  it('returns a body without its checksum', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text).subarray(0, -8));
    });
    const { body } = await clientFor([server]).request({ url: server.origin, method: 'GET' });
    expect(new TextDecoder().decode(body)).toBe(text);
  });
});
