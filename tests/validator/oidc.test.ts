import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServerValidator } from '@schemakit/validator';
import { Provider } from 'oidc-provider';
import { expect, onTestFinished, test } from 'vitest';

async function listen(listener: RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openProvider(): Promise<string> {
  let handle: RequestListener = () => {};
  const issuer = await listen((request, response) => handle(request, response));
  const provider = new Provider(issuer, {
    features: { registration: { enabled: true } },
    scopes: ['openid', 'weather'],
  });
  handle = provider.callback();
  return issuer;
}

/** An MCP server that lets nobody in without a token of the issuer. */
async function openProtectedServer(issuer: string): Promise<string> {
  const origin = await listen(({ url, headers: { host } }, response) => {
    const own = `http://${host}`;
    const json = { 'content-type': 'application/json' };
    if (url === '/.well-known/oauth-protected-resource/mcp') {
      response.writeHead(200, json).end(JSON.stringify({ resource: `${own}/mcp`, authorization_servers: [issuer] }));
    } else {
      const challenge = `Bearer resource_metadata="${own}/.well-known/oauth-protected-resource/mcp", scope="weather"`;
      response.writeHead(401, { ...json, 'www-authenticate': challenge }).end('{}');
    }
  });
  return `${origin}/mcp`;
}

test('a server that oidc-provider protects is understood', async () => {
  const issuer = await openProvider();
  const endpoint = await openProtectedServer(issuer);
  const { findings, entries } = await McpServerValidator.start({ endpoint, privateOrigins: [issuer] });
  expect(findings.map(({ code }) => code)).toEqual(['CON-005', 'AUTH-010', 'AUTH-011']);
  expect(entries.oauthFlags).toEqual({
    supportsOAuth: true,
    hasProtectedResourceMetadata: true,
    hasAuthServerMetadata: true,
    supportsPkce: true,
    hasDynamicRegistration: true,
    hasValidOAuthConfig: true,
  });
  expect(entries.oauth).toMatchObject({
    issuer,
    isRequired: true,
    registrationEndpoint: `${issuer}/reg`,
    pkceMethodsSupported: ['S256'],
  });
  expect(entries.oauth.scopesSupported).toContain('weather');
});

test('an authorization server at another private address is not asked unless that is allowed', async () => {
  const issuer = await openProvider();
  const endpoint = await openProtectedServer(issuer);
  const { findings, entries } = await McpServerValidator.start({ endpoint });
  expect(findings.map(({ code }) => code)).toEqual(['CON-005', 'AUTH-009', 'AUTH-010', 'AUTH-011']);
  expect(entries.oauthFlags.hasAuthServerMetadata).toBe(false);
});
