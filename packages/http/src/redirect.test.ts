import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { certificate, clientFor, type Loopback, readBody, serveHttp, serveHttps } from '../fixtures/loopback-server.ts';
import type { HttpAnswer } from './http-message.ts';

interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

const seen = ({ body }: HttpAnswer): Seen => JSON.parse(new TextDecoder().decode(body));

/** Answers with the request. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.end(
    JSON.stringify({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: await readBody(request),
    }),
  );
}

/** Redirects `/` to `location` and answers everything else with the request. */
function redirectTo(location: string, status = 302): Promise<Loopback> {
  return serveHttp(async (request, response) => {
    if (request.url === '/') response.writeHead(status, { location }).end('moved');
    else await echo(request, response);
  });
}

describe('redirects', () => {
  it('are followed and reported', async () => {
    const server = await serveHttp((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step < 3) response.writeHead(301, { location: `/${step + 1}#part` }).end();
      else response.end('there');
    });
    const answer = await clientFor([server]).request({ url: `${server.origin}/0`, method: 'GET' });
    expect(answer).toMatchObject({ status: 200, url: `${server.origin}/3`, attempts: 4 });
    expect(answer.redirects).toEqual(
      [0, 1, 2].map((i) => ({ from: `${server.origin}/${i}`, to: `${server.origin}/${i + 1}`, status: 301 })),
    );
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it.each([
    [301, 'GET', 'GET'],
    [301, 'POST', 'GET'],
    [301, 'PUT', 'PUT'],
    [302, 'POST', 'GET'],
    [302, 'DELETE', 'DELETE'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
  ])('%i turn %s into %s', async (status, method, expected) => {
    const server = await redirectTo('/there', status);
    const request = {
      url: `${server.origin}/`,
      method,
      headers: { 'Content-Type': 'text/x', 'x-other': 'o' },
      ...(method !== 'GET' && { body: 'payload' }),
    };
    const sent = seen(await clientFor([server]).request(request));
    const keepsBody = expected === method && method !== 'GET';
    expect(sent).toMatchObject({ method: expected, body: keepsBody ? 'payload' : '', headers: { 'x-other': 'o' } });
    expect(sent.headers['content-type']).toBe(expected === method ? 'text/x' : undefined);
  });

  it.each([300, 304, 305, 306])('with status %i are answers', async (status) => {
    const server = await serveHttp((_request, response) => response.writeHead(status, { location: '/x' }).end());
    expect((await clientFor([server]).request({ url: server.origin, method: 'GET' })).status).toBe(status);
  });

  it('without a location are answers', async () => {
    const server = await serveHttp((_request, response) => response.writeHead(302).end());
    expect((await clientFor([server]).request({ url: server.origin, method: 'GET' })).status).toBe(302);
  });

  it('are returned in manual mode', async () => {
    const server = await redirectTo('/there');
    const answer = await clientFor([server]).request({ url: server.origin, method: 'GET' }, { redirect: 'manual' });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/there' }, redirects: [] });
  });

  it.each([0, 1, 5])('end after %i', async (maxRedirects) => {
    let requests = 0;
    const server = await serveHttp((_request, response) => {
      requests++;
      response.writeHead(302, { location: '/' }).end();
    });
    const client = clientFor([server], { maxRedirects });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({
      code: 'TOO_MANY_REDIRECTS',
    });
    expect(requests).toBe(maxRedirects + 1);
  });

  it('accept a location in raw UTF-8', async () => {
    const server = await redirectTo(Buffer.from('/caf\u00e9').toString('latin1'));
    expect(seen(await clientFor([server]).request({ url: `${server.origin}/`, method: 'GET' })).url).toBe('/caf%C3%A9');
  });

  it.each([
    ['http://127.0.0.1:1/', 'ADDRESS_BLOCKED'],
    ['http://localhost:1/', 'ADDRESS_BLOCKED'],
    ['//[::1]:1/', 'ADDRESS_BLOCKED'],
    ['http://169.254.169.254/latest/meta-data/', 'ADDRESS_BLOCKED'],
    ['http://2130706433/', 'ADDRESS_BLOCKED'],
    ['file:///etc/passwd', 'PROTOCOL_BLOCKED'],
    ['http://user:pass@127.0.0.1/', 'INVALID_URL'],
    ['http://[', 'INVALID_URL'],
  ])('to %s are refused', async (location, code) => {
    const server = await redirectTo(location);
    await expect(
      clientFor([server], { retries: 0 }).request({ url: `${server.origin}/`, method: 'GET' }),
    ).rejects.toMatchObject({ code });
  });

  it('never leave the allowed origins', async () => {
    const other = await serveHttp(echo);
    const server = await redirectTo(`${other.origin}/there`);
    const policy = { privateOrigins: [server.origin, other.origin], allowedOrigins: [server.origin] };
    await expect(clientFor([], { policy }).request({ url: `${server.origin}/`, method: 'GET' })).rejects.toMatchObject({
      code: 'ORIGIN_BLOCKED',
      url: `${other.origin}/there`,
    });
    expect(other.connections()).toBe(0);
  });

  it('from https to http are refused', async () => {
    const plain = await serveHttp(echo);
    const server = await serveHttps((_request, response) => response.writeHead(302, { location: plain.origin }).end());
    const client = clientFor([server, plain], { ca: certificate });
    await expect(client.request({ url: server.origin, method: 'GET' })).rejects.toMatchObject({
      code: 'PROTOCOL_BLOCKED',
    });
    expect(plain.connections()).toBe(0);
  });
});

describe('secrets', () => {
  const headers = {
    Authorization: 'Bearer s3cr3t-key',
    Cookie: 'a=b',
    'Proxy-Authorization': 'x',
    'X-Api-Key': 's3cr3t-key',
    'X-Other': 'o',
  };

  it('are kept in redirects inside the origin', async () => {
    const server = await redirectTo('/there');
    const { headers: sent } = seen(
      await clientFor([server]).request(
        { url: `${server.origin}/`, method: 'GET', headers },
        { secretHeaders: ['x-api-key'], secretValues: ['s3cr3t-key'] },
      ),
    );
    expect(sent).toMatchObject({ authorization: 'Bearer s3cr3t-key', cookie: 'a=b', 'x-api-key': 's3cr3t-key' });
  });

  it('in headers are dropped on a redirect to another origin, even if that leads back', async () => {
    const home = await serveHttp(async (request, response) => {
      if (request.url === '/') response.writeHead(307, { location: `${away.origin}/` }).end();
      else await echo(request, response);
    });
    const sentAway: Record<string, unknown>[] = [];
    const away = await serveHttp((request, response) => {
      sentAway.push(request.headers);
      response.writeHead(307, { location: `${home.origin}/back` }).end();
    });
    const options = { secretHeaders: ['X-API-KEY'], secretValues: ['s3cr3t-key'] };
    const { headers: sentHome } = seen(
      await clientFor([home, away]).request({ url: `${home.origin}/`, method: 'GET', headers }, options),
    );
    for (const sent of [...sentAway, sentHome]) {
      expect(sent).toMatchObject({ 'x-other': 'o' });
      for (const name of ['authorization', 'cookie', 'proxy-authorization', 'x-api-key'])
        expect(sent).not.toHaveProperty(name);
    }
    expect(sentAway).toHaveLength(1);
  });

  it('treat another port as another origin', async () => {
    const away = await serveHttp(echo);
    const home = await redirectTo(`${away.origin}/there`);
    const { headers: sent } = seen(
      await clientFor([home, away]).request({ url: `${home.origin}/`, method: 'GET', headers: { authorization: 'x' } }),
    );
    expect(sent).not.toHaveProperty('authorization');
  });

  it.each([
    ['the query', '?k=s3cr3t%2Fkey', {}],
    ['the query, in base64', `?k=${Buffer.from('user:s3cr3t/key').toString('base64url')}`, {}],
    ['a header that was not declared', '', { headers: { 'x-odd': 's3cr3t/key' } }],
    ['the body', '', { method: 'POST', body: '{"key":"s3cr3t/key"}' }],
    ['a binary body', '', { method: 'POST', body: Buffer.from('key=s3cr3t%2Fkey') }],
  ])('in %s refuse a redirect to another origin', async (_place, query, request) => {
    const away = await serveHttp(echo);
    const home = await redirectTo(`${away.origin}/${query}`, 307);
    const sent = clientFor([home, away]).request(
      { url: `${home.origin}/`, method: 'GET', ...request },
      { secretValues: ['s3cr3t/key'] },
    );
    await expect(sent).rejects.toMatchObject({ code: 'SECRET_BLOCKED', url: `${away.origin}/` });
    expect(away.connections()).toBe(0);
  });

  it('that are short also block a redirect', async () => {
    const away = await serveHttp(echo);
    const home = await redirectTo(`${away.origin}/?pin=1234`);
    const sent = clientFor([home, away]).request(
      { url: `${home.origin}/`, method: 'GET' },
      { secretValues: ['', '1234'] },
    );
    await expect(sent).rejects.toMatchObject({ code: 'SECRET_BLOCKED' });
  });
});
