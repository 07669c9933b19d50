import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { certificate, clientFor, serveHttp, serveHttps, serveTcp } from '../fixtures/loopback-server.ts';
import type { Lookup } from './guarded-agent.ts';
import { explainFailure, HTTP_ERRORS, HttpError } from './http-error.ts';

async function failure(request: Promise<unknown>): Promise<HttpError> {
  const error: unknown = await request.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!(error instanceof HttpError)) throw new Error(`expected an HttpError, got ${error}`);
  return error;
}

/** Resolves every name to `address`, or fails with `code`. */
function lookupTo(address: string, code?: string): Lookup {
  return ((_name: string, _options: object, callback: (error: Error | null, found: object[]) => void) =>
    code === undefined
      ? callback(null, [{ address, family: 4 }])
      : callback(Object.assign(new Error(code), { code }), [])) as Lookup;
}

describe('a failure names its cause', () => {
  it('if nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const origin = `http://127.0.0.1:${port}`;
    const error = await failure(clientFor([{ origin }], { retries: 0 }).request({ url: origin, method: 'GET' }));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', url: `${origin}/`, hint: HTTP_ERRORS.ECONNREFUSED.hint });
    expect(error.message).toBe(`ECONNREFUSED: Target server not running (127.0.0.1:${port})`);
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('if nothing listens at any of several addresses', async () => {
    const origin = 'http://both.example:1';
    const lookup = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
      callback(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ])) as Lookup;
    const client = clientFor([{ origin }], { lookup, retries: 0 });
    expect((await failure(client.request({ url: origin, method: 'GET' }))).code).toBe('ECONNREFUSED');
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'])('if a name cannot be resolved: %s', async (code) => {
    const client = clientFor([], { lookup: lookupTo('', code), retries: 0 });
    const error = await failure(client.request({ url: 'https://nowhere.example/', method: 'GET' }));
    expect(error.code).toBe('ENOTFOUND');
    expect(error.message).toMatch(/^ENOTFOUND: Invalid host \(nowhere\.example\): /);
  });

  it('if the server closes the connection', async () => {
    const server = await serveTcp((socket) => socket.on('data', () => socket.destroy()));
    expect(
      (await failure(clientFor([server], { retries: 0 }).request({ url: server.origin, method: 'GET' }))).code,
    ).toBe('ECONNRESET');
  });

  it('if the server closes the connection within the body', async () => {
    const server = await serveTcp((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')),
    );
    expect((await failure(clientFor([server]).request({ url: server.origin, method: 'GET' }))).code).toMatch(
      /^(ECONNRESET|BAD_RESPONSE)$/,
    );
    expect(server.connections()).toBe(1);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    [
      'an upgrade that was not asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('when the server sends %s', async (_case, bytes) => {
    const server = await serveTcp((socket) => socket.on('data', () => socket.write(bytes)));
    expect(
      (await failure(clientFor([server], { retries: 0 }).request({ url: server.origin, method: 'GET' }))).code,
    ).toBe('BAD_RESPONSE');
  });

  it('if the certificate is not trusted', async () => {
    const server = await serveHttps((_request, response) => response.end());
    expect((await failure(clientFor([server]).request({ url: server.origin, method: 'GET' }))).code).toBe('TLS');
  });

  it('if the certificate is for another host', async () => {
    const server = await serveHttps((_request, response) => response.end());
    const origin = `https://elsewhere.test:${server.port}`;
    const client = clientFor([{ origin }], { ca: certificate, lookup: lookupTo('127.0.0.1') });
    const error = await failure(client.request({ url: origin, method: 'GET' }));
    expect(error.code).toBe('TLS');
    expect(error.message).toContain('the certificate is for another host');
  });

  it('if the server does not use TLS', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const origin = server.origin.replace('http:', 'https:');
    expect((await failure(clientFor([{ origin }]).request({ url: origin, method: 'GET' }))).code).toBe('TLS');
  });

  it('no failure if the certificate is trusted', async () => {
    const server = await serveHttps((_request, response) => response.end('ok'));
    const { status } = await clientFor([server], { ca: [certificate] }).request({ url: server.origin, method: 'GET' });
    expect(status).toBe(200);
  });
});

describe('explainFailure', () => {
  const url = new URL('https://api.example.com/v1/x?key=sesame');

  it('keeps an unknown error as the cause', () => {
    const cause = Object.assign(new Error('odd'), { code: 'EODD' });
    expect(explainFailure(cause, url)).toMatchObject({
      code: 'NETWORK',
      message: 'NETWORK: Request failed (api.example.com): EODD',
      cause,
    });
    expect(explainFailure('thrown text', url)).toMatchObject({
      code: 'NETWORK',
      message: 'NETWORK: Request failed (api.example.com)',
    });
    expect(explainFailure(Object.assign(new Error('x'), { code: 'constructor' }), url).code).toBe('NETWORK');
  });

  it.each([
    ['ETIMEDOUT', 'ETIMEDOUT'],
    ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'],
    ['ENETUNREACH', 'EHOSTUNREACH'],
    ['EPIPE', 'ECONNRESET'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS'],
    ['CERT_HAS_EXPIRED', 'TLS'],
    ['CERT_SIGNATURE_FAILURE', 'TLS'],
    ['Z_DATA_ERROR', 'BAD_RESPONSE'],
  ])('explains %s as %s', (code, expected) => {
    expect(explainFailure(Object.assign(new Error('x'), { code }), url).code).toBe(expected);
  });

  it('passes an HttpError on', () => {
    const error = new HttpError('TOO_LARGE', url);
    expect(explainFailure(error, url)).toBe(error);
  });
});
