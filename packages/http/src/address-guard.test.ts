import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { clientFor, serveHttp } from '../fixtures/loopback-server.ts';
import type { Lookup } from './guarded-agent.ts';

const loopback = { address: '127.0.0.1', family: 4 };
/** In the range of public addresses, but not assigned. */
const nowhere = { address: '2000::1', family: 6 };

function resolver(answer: (name: string, count: number) => LookupAddress[]): { lookup: Lookup; asked: string[] } {
  const asked: string[] = [];
  const lookup = ((name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(null, answer(name, asked.push(name)))) as Lookup;
  return { lookup, asked };
}

describe('the address guard', () => {
  it('refuses a name that resolves to a private address, without showing the address', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const { lookup } = resolver(() => [loopback]);
    const request = clientFor([], { lookup }).request({ url: `http://inside.example:${server.port}/`, method: 'GET' });
    await expect(request).rejects.toMatchObject({
      code: 'ADDRESS_BLOCKED',
      message: expect.not.stringContaining('127.0.0.1'),
    });
    expect(server.connections()).toBe(0);
  });

  it('refuses a name with one private address among public ones', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const { lookup } = resolver(() => [nowhere, loopback]);
    const request = clientFor([], { lookup }).request({ url: `http://mixed.example:${server.port}/`, method: 'GET' });
    await expect(request).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    expect(server.connections()).toBe(0);
  });

  it('refuses `localhost`, and literal addresses without any look-up', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const client = clientFor([]);
    for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433', '0x7f.1', '0', '[::ffff:127.0.0.1]']) {
      await expect(client.request({ url: `http://${host}:${server.port}/`, method: 'GET' })).rejects.toMatchObject({
        code: 'ADDRESS_BLOCKED',
      });
    }
    expect(server.connections()).toBe(0);
  });

  it('connects an approved origin to any address of its name', async () => {
    const server = await serveHttp((request, response) => response.end(request.headers.host));
    const origin = `http://inside.example:${server.port}`;
    const { lookup, asked } = resolver(() => [loopback]);
    const { body } = await clientFor([{ origin }], { lookup }).request({ url: `${origin}/`, method: 'GET' });
    expect(new TextDecoder().decode(body)).toBe(`inside.example:${server.port}`);
    expect(asked).toEqual(['inside.example']);
  });

  it('connects an approved origin with a look-up that does not support `all`', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const origin = `http://inside.example:${server.port}`;
    const lookup = ((
      _name: string,
      _options: object,
      callback: (error: null, address: string, family: number) => void,
    ) => callback(null, '127.0.0.1', 4)) as Lookup;
    expect((await clientFor([{ origin }], { lookup }).request({ url: origin, method: 'GET' })).status).toBe(200);
  });

  it('never serves a request without approval over a connection that was made with it', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const origin = `http://127.0.0.1:${server.port}`;
    const named = `http://inside.example:${server.port}`;
    const { lookup } = resolver(() => [loopback]);
    const client = clientFor([{ origin }, { origin: named }], { lookup });
    for (const url of [origin, named]) {
      expect((await client.request({ url, method: 'GET' })).status).toBe(200);
      await expect(client.request({ url, method: 'GET' }, { policy: {} })).rejects.toMatchObject({
        code: 'ADDRESS_BLOCKED',
      });
      expect((await client.request({ url, method: 'GET' })).status).toBe(200);
    }
  });

  it('blocks an origin that is not allowed before any connection', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const policy = { privateOrigins: [server.origin], allowedOrigins: ['https://api.example.com'] };
    await expect(clientFor([], { policy }).request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({
      code: 'ORIGIN_BLOCKED',
    });
    expect(server.connections()).toBe(0);
  });
});
