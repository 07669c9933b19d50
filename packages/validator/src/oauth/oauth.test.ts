import { describe, expect, it } from 'vitest';
import { resourceDocument, serveOAuth, serverDocument } from '../../fixtures/oauth-site.ts';
import { send, serveScript } from '../../fixtures/scripted-server.ts';
import { start } from '../start.ts';

const isMetadata = (url = ''): boolean => url.startsWith('/.well-known/');
const codesOf = ({ findings }: Awaited<ReturnType<typeof start>>): string[] => findings.map(({ code }) => code);

describe('metadata that hangs', () => {
  it('leaves time to call the tools, and is reported', async () => {
    const { endpoint } = await serveScript({}, ({ url }) => isMetadata(url));
    const result = await start({ endpoint, timeout: 4000 });
    expect(result.entries.probe).toEqual([{ name: 'one', outcome: 'free' }]);
    expect(codesOf(result)).toEqual(['AUTH-002']);
  });

  it('does not hide that authorization is required', async () => {
    const { endpoint } = await serveScript({}, ({ url, method }, response) => {
      if (method === 'POST') send(response, 401, {}, { 'www-authenticate': 'Bearer' });
      return method === 'POST' || isMetadata(url);
    });
    const result = await start({ endpoint, timeout: 3000 });
    expect(codesOf(result)).toContain('AUTH-010');
    expect(result.entries.oauth.isRequired).toBe(true);
  });
});

it('a list that hangs leaves time to call the tools', async () => {
  const { endpoint } = await serveScript({
    capabilities: { tools: {}, resources: {} },
    'resources/list': () => {},
  });
  const result = await start({ endpoint, timeout: 4000 });
  expect(result.entries.probe).toEqual([{ name: 'one', outcome: 'free' }]);
  expect(codesOf(result)).toContain('CON-010');
});

it.each(['file:///etc/passwd', 'javascript:alert(1)', 'no address'])(
  'an issuer %s is reported, and does not end the run',
  async (issuer) => {
    const { endpoint } = await serveOAuth({
      resource: (origin) => resourceDocument(origin, { authorization_servers: [issuer] }),
    });
    const result = await start({ endpoint });
    expect(codesOf(result)).toContain('AUTH-009');
    expect(result.entries.probe).toHaveLength(1);
  },
);

it.each<[name: string, code: string, status: number, body: unknown, headers?: Record<string, string>]>([
  ['HTTP 404', 'AUTH-007', 404, {}],
  ['a page', 'AUTH-007', 200, '<html>'],
  ['an array', 'AUTH-007', 200, []],
  ['null', 'AUTH-007', 200, 'null'],
  ['more than anybody reads', 'AUTH-007', 200, ' '.repeat(1_000_000)],
  ['a redirect to a private address', 'AUTH-009', 302, {}, { location: 'http://10.0.0.1/' }],
])('a 401 that names metadata which is %s is told', async (_, code, status, body, headers) => {
  const { endpoint } = await serveScript({}, ({ url, method }, response) => {
    const challenge = { 'www-authenticate': 'Bearer resource_metadata="/.well-known/oauth-protected-resource/mcp"' };
    if (method === 'POST') send(response, 401, {}, challenge);
    else if (url === '/.well-known/oauth-protected-resource/mcp') send(response, status, body, headers);
    else send(response, 404, {});
    return true;
  });
  const result = await start({ endpoint });
  expect(codesOf(result)).toEqual(expect.arrayContaining([code, 'AUTH-002', 'AUTH-010']));
  expect(result.entries.oauth).toMatchObject({ issuer: null, authorizationServers: [] });
});

it.each<[name: string, resource: Record<string, unknown>, server: Record<string, unknown>]>([
  ['no endpoints', {}, { authorization_endpoint: undefined, token_endpoint: undefined }],
  ['an address that runs code', {}, { authorization_endpoint: 'javascript:alert(1)' }],
  ['a number for an address', {}, { token_endpoint: 5 }],
  ['another resource', { resource: 'https://evil.example/x' }, {}],
])('a configuration with %s is not valid', async (_, resource, server) => {
  const { endpoint } = await serveOAuth({
    resource: (origin) => resourceDocument(origin, resource),
    server: (origin) => serverDocument(origin, server),
  });
  expect((await start({ endpoint })).entries.oauthFlags.hasValidOAuthConfig).toBe(false);
});

it('answers without credentials are unknown if credentials were sent', async () => {
  const { endpoint } = await serveOAuth({ resource: resourceDocument, server: serverDocument });
  const { entries, messages } = await start({ endpoint, headers: { Authorization: 'Bearer top-secret' } });
  expect(entries.oauth.isRequired).toBe(null);
  expect(messages.join()).not.toContain('answers without it');
  expect((await start({ endpoint })).entries.oauth.isRequired).toBe(false);
});
