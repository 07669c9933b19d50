import { createServer as createPlainServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../create-server.ts';
import { type OAuthResourceOptions, oauthResource } from './oauth-resource.ts';

const resource = 'https://tools.example.com/mcp';
const scope = 'tools:call';

async function listenOn(handler: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createPlainServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

// A real authorization server: it hands out tokens to clients by their credentials.
let issuer: string;
let authorizationServer: Awaited<ReturnType<typeof listenOn>>;
beforeAll(async () => {
  let handle: RequestListener = () => {};
  authorizationServer = await listenOn((...args) => handle(...args));
  issuer = authorizationServer.url;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'desk',
        client_secret: 'desk-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, indicator) => ({
          scope,
          audience: indicator,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: 600,
        }),
      },
    },
  });
  handle = provider.callback();
});
afterAll(() => authorizationServer.close());

async function askForToken(meantFor: string, scopes = scope): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('desk:desk-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: meantFor, scope: scopes }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

const main = (root: string) => ({
  namespace: 'echo',
  name: 'Echo',
  description: 'Echo.',
  version: '3.0.0',
  root,
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: { headers: { method: 'GET', path: '/', description: 'The headers that came.', parameters: [] } },
});

async function open({
  onError = () => {},
  ...options
}: Partial<OAuthResourceOptions> & { onError?: (error: Error) => void } = {}) {
  const api = await listenOn((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(request.headers));
  });
  const auth = oauthResource({ issuer, resource, requiredScopes: [scope], resourceName: 'Echo', ...options });
  const { url, close } = await createServer(main(api.url), { onError }).http({ auth });
  onTestFinished(async () => {
    await close({ graceMs: 0 });
    await api.close();
  });
  const call = (token?: string) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
  return { url, call };
}

/** The address of a server that always answers the same. */
async function answering(status: number, body: string): Promise<string> {
  const server = await listenOn((_request, response) => response.writeHead(status).end(body));
  onTestFinished(server.close);
  return server.url;
}

describe('an OAuth resource server', () => {
  test('reads no endless answer of an issuer', async () => {
    let sent = 0;
    const endless = await listenOn((_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += 65_536;
          if (!response.write(' '.repeat(65_536))) return void response.once('drain', more);
        }
      };
      more();
    });
    onTestFinished(endless.close);
    for (const options of [{ issuer: endless.url }, { issuer, jwksUri: endless.url }]) {
      const errors: Error[] = [];
      const { call } = await open({ ...options, onError: (error) => errors.push(error) });
      expect((await call(await askForToken(resource))).status).toBe(503);
      expect(errors).toHaveLength(1);
    }
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('tells a client without a token where to get one', async () => {
    const { url, call } = await open();
    const response = await call();
    expect(response.status).toBe(401);
    const place = 'https://tools.example.com/.well-known/oauth-protected-resource/mcp';
    expect(response.headers.get('www-authenticate')).toContain(`resource_metadata="${place}"`);
    const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toEqual({
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: [scope],
      resource_name: 'Echo',
    });
    expect((await fetch(`${url}/.well-known/oauth-protected-resource`)).status).toBe(200);
  });

  test('accepts a client, and does not forward its token', async () => {
    const { url } = await open();
    const token = await askForToken(resource);
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    const { content } = await client.callTool({ name: 'echo__headers', arguments: {} });
    const [{ text }] = content as unknown as [{ text: string }];
    expect(JSON.parse(text)).not.toHaveProperty('authorization');
    expect(text).not.toContain(token);
  });

  test('refuses a token for another server', async () => {
    const { call } = await open();
    const response = await call(await askForToken('https://other.example.com/mcp'));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('invalid_token');
  });

  test('refuses a token without the scope', async () => {
    const { call } = await open({ requiredScopes: ['tools:admin'] });
    const response = await call(await askForToken(resource));
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(/insufficient_scope.*tools:admin/);
  });

  test.each<[string, () => Promise<string>]>([
    ['cannot be reached', async () => 'http://127.0.0.1:9'],
    ['is out of order', () => answering(500, '')],
    ['answers nonsense', () => answering(200, '{}')],
  ])('says 503 and logs why where an authorization server %s', async (_, start) => {
    const errors: Error[] = [];
    const jwksUri = await start();
    const { call } = await open({ jwksUri, onError: (error) => errors.push(error) });
    const response = await call(await askForToken(resource));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await response.text()).toContain('cannot be checked');
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(`keys of ${issuer} could not be`)]);
  });

  test('names no error if there was no token', async () => {
    const { call } = await open();
    const challenge = (await call()).headers.get('www-authenticate');
    expect(challenge).toContain(`scope="${scope}"`);
    expect(challenge).not.toContain('error');
  });
});

describe('a token', () => {
  const pair = generateKeyPair('ES256');
  let keys: Awaited<ReturnType<typeof listenOn>>;
  beforeAll(async () => {
    const { publicKey } = await pair;
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'one' };
    keys = await listenOn((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
  });
  afterAll(() => keys.close());

  const sign = async (
    claims: Record<string, unknown>,
    { alg = 'ES256', key }: { alg?: string; key?: Uint8Array } = {},
  ) =>
    new SignJWT({ iss: issuer, aud: resource, sub: 'ann', scope, ...claims })
      .setProtectedHeader({ alg, kid: 'one' })
      .sign(key ?? (await pair).privateKey);
  const later = () => Math.floor(Date.now() / 1000) + 600;

  test.each<[string, () => Promise<string>, number]>([
    ['that is right', () => sign({ exp: later() }), 400],
    ['for several servers', () => sign({ exp: later(), aud: ['https://other.example.com', resource] }), 400],
    ['that has run out', () => sign({ exp: 1 }), 401],
    ['that never runs out', () => sign({}), 401],
    ['of another issuer', () => sign({ exp: later(), iss: 'https://evil.example' }), 401],
    ['for nobody', () => sign({ exp: later(), aud: undefined }), 401],
    ['with a shared secret', () => sign({ exp: later() }, { alg: 'HS256', key: Buffer.alloc(32, 'x') }), 401],
    ['without a signature', async () => `${btoa('{"alg":"none"}')}.${btoa('{}')}.`, 401],
    ['that is bound to a key', () => sign({ exp: later(), cnf: { jkt: 'x' } }), 401],
    ['that is none', async () => 'open sesame', 401],
  ])('%s', async (_, make, status) => {
    const { call } = await open({ jwksUri: keys.url });
    // 400: accepted, but the request lacks a session.
    expect((await call(await make())).status).toBe(status);
  });
});
