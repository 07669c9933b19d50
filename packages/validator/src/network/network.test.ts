import type { LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders } from 'node:http';
import type { Lookup } from '@schemakit/http';
import { expect, it } from 'vitest';
import { listen } from '../../fixtures/loopback.ts';
import { resourceDocument, serveOAuth } from '../../fixtures/oauth-site.ts';
import { send } from '../../fixtures/scripted-server.ts';
import { serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { start } from '../start.ts';

/** Knows one address for every name. */
function resolver(address: string): Lookup {
  type Callback = (error: null, found: LookupAddress[]) => void;
  return ((_name: string, _options: object, callback: Callback) => callback(null, [{ address, family: 4 }])) as Lookup;
}

it('a name that the user gave may resolve to a private address, but not to a metadata service', async () => {
  const { endpoint } = await serveSdk2();
  const { port } = new URL(endpoint);
  const named = `http://weather.example:${port}/mcp`;
  expect((await start({ endpoint: named, lookup: resolver('127.0.0.1') })).status).toBe(true);
  const { findings } = await start({ endpoint: named, lookup: resolver('169.254.169.254') });
  expect(findings.map(({ code }) => code)).toEqual(['CON-002']);
  const guarded = await start({ endpoint: named, lookup: resolver('127.0.0.1'), publicOnly: true });
  expect(guarded.findings.map(({ code }) => code)).toEqual(['CON-002']);
});

it('a name that a server gives must resolve to a public address', async () => {
  const inside = await listen((_, response) => send(response, 200, {}));
  const issuer = `http://login.example:${new URL(inside.origin).port}`;
  const { endpoint } = await serveOAuth({
    resource: (origin) => resourceDocument(origin, { authorization_servers: [issuer] }),
  });
  const { findings } = await start({ endpoint, lookup: resolver('127.0.0.1') });
  expect(findings.map(({ code }) => code)).toContain('AUTH-009');
  expect(inside.requests).toEqual([]);
});

it('headers of the user go to the endpoint, and to no other origin', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const login = await listen(({ headers }, response) => {
    seen.push(headers);
    send(response, 404, {});
  });
  const own: IncomingHttpHeaders[] = [];
  const { endpoint } = await serveOAuth({
    resource: (origin) => resourceDocument(origin, { authorization_servers: [login.origin] }),
    script: {
      'tools/list': ({ request, response, id }) => {
        own.push(request.headers);
        send(response, 200, { jsonrpc: '2.0', id, result: { tools: [] } });
      },
    },
  });
  await start({ endpoint, headers: { 'x-api-key': 'top-secret-key' }, privateOrigins: [login.origin] });
  expect(own.map((headers) => headers['x-api-key'])).toEqual(['top-secret-key']);
  expect(seen.length).toBeGreaterThan(0);
  expect(JSON.stringify(seen)).not.toContain('top-secret-key');
});
