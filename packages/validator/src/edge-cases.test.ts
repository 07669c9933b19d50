import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../fixtures/loopback.ts';
import { resourceDocument, serveOAuth, serverDocument } from '../fixtures/oauth-site.ts';
import { evmOption, gatedResult, receiver, required, solanaOption, withOption } from '../fixtures/payments.ts';
import { send, sendRpc, serveScript } from '../fixtures/scripted-server.ts';
import { plainTool, serveSdk1, serveSdk2 } from '../fixtures/sdk-servers.ts';
import { compare } from './compare/compare.ts';
import { type StartResult, start } from './start.ts';

const codesOf = ({ findings }: StartResult): string[] => findings.map(({ code }) => code);

async function lookAtPayment(paymentRequired: unknown): Promise<StartResult> {
  const { endpoint } = await serveSdk2({ call: () => gatedResult(paymentRequired) });
  return start({ endpoint });
}

/** What other validators are known to get wrong. */
describe('known errors of other validators', () => {
  it('respects its timeout while it connects and lists', async () => {
    const { endpoint } = await serveScript({ 'tools/list': () => {} });
    // Long enough for the handshake on a loaded machine: it is the list that never ends.
    const timeout = 3000;
    const begin = performance.now();
    const result = await start({ endpoint, timeout });
    expect(performance.now() - begin).toBeLessThan(timeout + 8000);
    expect(codesOf(result)).toContain('CON-008');
    expect(result.categories.supportsMcp).toBe(true);
  });

  it('lists every page', async () => {
    const tools = Array.from({ length: 250 }, (_, index) => ({ ...plainTool, name: `tool${index}` }));
    const { endpoint } = await serveSdk1({ tools });
    expect((await start({ endpoint, probe: 'none' })).entries.tools).toHaveLength(250);
  });

  it('reports why each transport failed, not only the last', async () => {
    const { endpoint } = await listen((_, response) => send(response, 404, { wrong: 'path' }));
    const { messages } = await start({ endpoint });
    expect(messages).toEqual([expect.stringMatching(/^CON-004 connect: streamable-http: .*wrong.*; sse: /)]);
  });

  it('has status true if there are no errors', async () => {
    const { status, findings } = await lookAtPayment(required());
    expect([status, findings.map(({ severity }) => severity)]).toEqual([true, ['INFO']]);
  });

  it('reads authorization if the endpoint answers 401', async () => {
    const challenge = (origin: string) =>
      `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const { endpoint } = await serveOAuth({ challenge, resource: resourceDocument, server: serverDocument });
    const result = await start({ endpoint });
    expect(codesOf(result)).toEqual(['CON-005', 'AUTH-010']);
    expect(result.entries.oauthFlags.hasValidOAuthConfig).toBe(true);
  });

  it('reads authorization that is required only for listing', async () => {
    const { endpoint } = await serveScript({
      'tools/list': ({ response }) => send(response, 401, {}, { 'www-authenticate': 'Bearer scope="tools"' }),
    });
    const result = await start({ endpoint });
    expect(codesOf(result)).toEqual(['CON-008', 'AUTH-007', 'AUTH-002', 'AUTH-010', 'AUTH-011', 'PRB-005']);
    expect(result.entries.oauth).toMatchObject({
      isRequired: true,
      issuer: null,
      authorizationServers: [],
      scopesSupported: ['tools'],
    });
  });

  it('accepts payment on Solana', async () => {
    const { categories, messages } = await lookAtPayment(required({ accepts: [solanaOption()] }));
    expect(messages).toHaveLength(1);
    expect(categories).toMatchObject({ supportsSolana: true, supportsEvm: false, hasValidPaymentRequirements: true });
  });

  it.each([
    [receiver, []],
    [receiver.toLowerCase(), ['PAY-083']],
    [`0x${receiver.slice(2).toUpperCase()}`, ['PAY-083']],
    [receiver.replace('aAeb', 'AAeb'), ['PAY-084']],
  ])('judges the checksum of %s', async (payTo, expected) => {
    const result = await lookAtPayment(withOption({ payTo }));
    expect(codesOf(result).slice(1)).toEqual(expected);
    // A missing checksum is no error.
    expect(result.categories.hasValidPaymentRequirements).toBe(!expected.includes('PAY-084'));
  });

  it.each([['1e3'], ['0x10'], ['1.5'], [' 5 ']])('refuses %j as an amount', async (amount) => {
    expect(codesOf(await lookAtPayment(withOption({ amount })))).toEqual(['PRB-007', 'PAY-064']);
  });

  it('accepts amounts that are too large for numbers', async () => {
    const amount = '123456789012345678901234567890';
    expect(codesOf(await lookAtPayment(withOption({ amount })))).toEqual(['PRB-007']);
  });

  it('accepts description and type of a resource', async () => {
    const resource = { url: 'mcp://tool/one', description: 'One call', mimeType: 'application/json' };
    expect(codesOf(await lookAtPayment(required({ resource })))).toEqual(['PRB-007']);
  });

  it.each([
    ['upto', 'WARNING'],
    ['roughly', 'ERROR'],
  ])('tells the scheme %s as %s', async (scheme, severity) => {
    const { findings } = await lookAtPayment(withOption({ scheme }));
    expect(findings.find(({ code }) => code === 'PAY-042')?.severity).toBe(severity);
  });

  it('reports a network of another family as unchecked, and not as a valid option', async () => {
    const { findings, categories, status } = await lookAtPayment(
      withOption({ network: 'hedera:mainnet', asset: '0.0.1', payTo: '0.0.2' }),
    );
    expect(findings.find(({ code }) => code === 'PAY-052')?.severity).toBe('WARNING');
    expect([status, categories.hasValidPaymentRequirements, categories.supportsEvm]).toEqual([true, false, false]);
  });

  it('requires the name of the token, except for permit2', async () => {
    expect(codesOf(await lookAtPayment(withOption({ extra: { assetTransferMethod: 'permit2' } })))).toEqual([
      'PRB-007',
    ]);
    expect(codesOf(await lookAtPayment(withOption({ extra: undefined })))).toEqual(['PRB-007', 'PAY-101', 'PAY-102']);
  });

  it('distinguishes two tokens on one network', async () => {
    const { entries } = await lookAtPayment(required({ accepts: [evmOption(), evmOption({ amount: '20000' })] }));
    expect(entries.x402.perTool.forecast?.options.map(({ amount }) => amount)).toEqual(['10000', '20000']);
  });

  it.each([
    [
      { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      { supportsTasks: true, supportsMcpApps: false },
    ],
    [{ extensions: { 'io.modelcontextprotocol/tasks': {} } }, { supportsTasks: true, supportsMcpApps: false }],
    [{ extensions: { 'io.modelcontextprotocol/ui': {} } }, { supportsTasks: false, supportsMcpApps: true }],
    [{ mcpApps: {} }, { supportsTasks: false, supportsMcpApps: true }],
  ])('reads the capabilities %j', async (capabilities, expected) => {
    const { endpoint } = await serveScript({ capabilities });
    expect((await start({ endpoint })).categories).toMatchObject(expected);
  });

  it('treats an empty object as an advertised capability', async () => {
    const { endpoint } = await serveScript({ capabilities: { tasks: { list: {}, cancel: {} } } });
    expect((await start({ endpoint })).entries.taskCapabilities).toEqual({
      list: true,
      cancel: true,
      augmentedToolCall: false,
    });
  });

  it('detects apps that are not advertised', async () => {
    const { endpoint } = await serveSdk2({
      tools: [{ ...plainTool, _meta: { ui: { resourceUri: 'ui://weather/map' } } }],
    });
    expect((await start({ endpoint })).categories.supportsMcpApps).toBe(true);
  });

  it('tries the well-known URLs of an issuer with a path in order, and all authorization servers', async () => {
    const server = await listen((request, response) => {
      const origin = `http://${request.headers.host}`;
      if (request.url === '/.well-known/oauth-protected-resource') {
        send(response, 200, { resource: origin, authorization_servers: [`${origin}/first`, `${origin}/t`] });
      } else if (request.url === '/t/.well-known/openid-configuration')
        send(response, 200, serverDocument(origin, { issuer: `${origin}/t` }));
      else send(response, 404, {});
    });
    const { entries } = await start({ endpoint: server.endpoint });
    expect(entries.oauth).toMatchObject({
      issuer: `${server.origin}/t`,
      authorizationServers: [`${server.origin}/first`, `${server.origin}/t`],
    });
    const asked = server.requests.filter((request) => request.includes('.well-known'));
    expect(asked).toEqual([
      'GET /.well-known/oauth-protected-resource/mcp',
      'GET /.well-known/oauth-protected-resource',
      'GET /.well-known/oauth-authorization-server/first',
      'GET /.well-known/openid-configuration/first',
      'GET /first/.well-known/openid-configuration',
      'GET /.well-known/oauth-authorization-server/t',
      'GET /.well-known/openid-configuration/t',
      'GET /t/.well-known/openid-configuration',
    ]);
  });

  it('supports servers of 2025-03-26, whose own origin is the issuer', async () => {
    const { endpoint } = await serveOAuth({ challenge: () => 'Bearer', server: serverDocument });
    const result = await start({ endpoint });
    expect(codesOf(result)).toEqual(['CON-005', 'AUTH-007', 'AUTH-010']);
    expect(result.entries.oauthFlags).toMatchObject({ supportsOAuth: true, hasAuthServerMetadata: true });
  });

  it('does not report latency, or an equal object, as a change', async () => {
    const { endpoint } = await serveSdk2({ call: () => gatedResult(required()) });
    expect(compare({ before: await start({ endpoint }), after: await start({ endpoint }) }).hasChanges).toBe(false);
  });

  it.each([200, 404, 405, 500, 302])('treats HTTP %i to HEAD as reachable', async (status) => {
    const { endpoint } = await serveScript(
      {},
      ({ method }, response) =>
        method === 'HEAD' && Boolean(response.writeHead(status, { location: 'https://example.com/' }).end()),
    );
    expect(await start({ endpoint })).toMatchObject({ status: true, categories: { isReachable: true } });
  });

  it('reaches servers that never answer HEAD', async () => {
    const { endpoint } = await serveScript({}, ({ method }) => method === 'HEAD');
    expect(await start({ endpoint, timeout: 8000 })).toMatchObject({
      status: true,
      messages: [],
      categories: { isReachable: true },
    });
  });

  it('connects to a server that fails or hangs on unknown requests', async () => {
    const ways: ((response: ServerResponse) => unknown)[] = [
      (response) => send(response, 500, 'broken'),
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
      () => {},
    ];
    for (const answer of ways) {
      const { endpoint } = await serveScript({}, ({ headers }, response) => {
        if (headers['mcp-method'] !== 'server/discover') return false;
        answer(response);
        return true;
      });
      const result = await start({ endpoint, timeout: 4000 });
      expect(result).toMatchObject({ status: true, entries: { protocolVersion: '2025-11-25' } });
    }
  });

  it('keeps valid items of an invalid list', async () => {
    const { endpoint } = await serveScript({
      'tools/list': { tools: [5, { name: 'good', inputSchema: { type: 'object' } }, { title: 'no name' }] },
    });
    const result = await start({ endpoint });
    expect(codesOf(result)).toEqual(['CON-009']);
    expect(result.entries.tools.map(({ name }) => name)).toEqual(['good']);
  });

  it('keeps items from before a failed page', async () => {
    const { endpoint } = await serveScript({
      'tools/list': ({ response, id, params }) =>
        params.cursor === undefined
          ? sendRpc(response, { id, result: { tools: [plainTool], nextCursor: 'two' } })
          : send(response, 500, 'broken'),
      'tools/call': { content: [] },
    });
    const result = await start({ endpoint });
    expect(codesOf(result)).toEqual(['CON-008']);
    expect(result.categories.hasTools).toBe(true);
  });

  it('never follows a redirect or a reference to a private address that the user did not name', async () => {
    const inside = await listen((_, response) => send(response, 200, {}));
    const { endpoint } = await serveOAuth({
      challenge: () => `Bearer resource_metadata="${inside.origin}/metadata"`,
      resource: (origin) => resourceDocument(origin, { authorization_servers: [inside.origin] }),
    });
    expect(codesOf(await start({ endpoint }))).toContain('AUTH-009');
    const redirecting = await listen((_, response) =>
      response.writeHead(307, { location: `${inside.origin}/mcp` }).end(),
    );
    expect(codesOf(await start({ endpoint: redirecting.endpoint }))).toEqual(['CON-002']);
    expect(inside.requests).toEqual([]);
  });
});
