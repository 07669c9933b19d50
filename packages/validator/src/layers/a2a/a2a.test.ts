import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import * as agent from '../../../fixtures/a2a-agent.ts';
import type { Loopback } from '../../../fixtures/loopback.ts';
import { serveSdk2 } from '../../../fixtures/sdk-servers.ts';
import { type AssessOptions, assess } from '../../assess/assess.ts';
import type { PlainObject } from '../../findings/plain-object.ts';

const { agentCard, answer, AP2, oldCard, serveAgent, serveSdkAgent, snakeCard, X402 } = agent;

type Json = Record<string, unknown>;

interface Told {
  messages: string[];
  codes: string[];
  categories: Record<string, boolean>;
  entries: PlainObject;
}

async function tell(url: string, options: Partial<AssessOptions> = {}): Promise<Told> {
  const { messages, findings, layers } = await assess({ url, timeout: 10_000, layers: ['a2a'], ...options });
  const { a2a } = layers;
  if (!a2a.detected) throw new Error(a2a.skipped);
  return { messages, codes: findings.map(({ code }) => code), categories: a2a.categories, entries: a2a.entries };
}

const served = (card: (origin: string) => Json) => serveAgent({ card });
const isPost = ({ method }: IncomingMessage): boolean => method === 'POST';
const both = (origin: string): Json => ({
  supportedInterfaces: ['1.0', '0.3'].flatMap((protocolVersion) => [
    { url: `${origin}/a2a`, protocolBinding: 'JSONRPC', protocolVersion, tenant: '' },
    { url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion, tenant: '' },
  ]),
});

describe('on this peer, the layer says this', () => {
  it.each<[peer: string, serve: () => Promise<Loopback>, codes: string[], entries: Json]>([
    [
      'an agent of the SDK (1.0)',
      () => serveSdkAgent(),
      [],
      { dialect: '1.0', protocolVersion: '1.0', protocolBindings: ['JSONRPC', 'HTTP+JSON'], interfaces: answering(2) },
    ],
    [
      'an agent of the SDK for 1.0 and 0.3',
      () => serveSdkAgent({ changes: both, legacy: true }),
      [],
      { dialect: '1.0', interfaces: answering(4) },
    ],
    [
      'the same, where a proxy drops the version',
      () => serveSdkAgent({ changes: both, legacy: true, form: '1.0+0.3' }),
      [],
      { dialect: '1.0+0.3', interfaces: answering(4) },
    ],
    [
      'the same in the form of 0.3 only',
      () => serveSdkAgent({ changes: both, legacy: true, form: '0.3' }),
      ['CSV-042'],
      { dialect: '0.3', protocolVersion: '0.3', interfaces: answering(2) },
    ],
    ['a card of 0.3', () => served(oldCard), ['CSV-042'], { dialect: '0.3', interfaces: answering(1) }],
    [
      'a card of 0.3 that repeats its main interface',
      () =>
        served((origin) =>
          oldCard(origin, {
            additionalInterfaces: [
              { url: `${origin}/a2a`, transport: 'JSONRPC' },
              { url: `${origin}/rest`, transport: 'HTTP+JSON' },
            ],
          }),
        ),
      ['CSV-042'],
      { protocolBindings: ['JSONRPC', 'HTTP+JSON'], interfaces: answering(2) },
    ],
    [
      'a card of 0.3 without transport',
      () => served((origin) => oldCard(origin, { preferredTransport: undefined })),
      ['CSV-042'],
      { protocolBindings: ['JSONRPC'], interfaces: answering(1) },
    ],
    [
      'a card whose interface has no URL',
      () =>
        served((origin) =>
          agentCard(origin, { supportedInterfaces: [{ protocolBinding: 'GRPC', protocolVersion: '1.0' }] }),
        ),
      ['CON-119', 'CSV-030'],
      {},
    ],
    ['a card in snake_case', () => served(snakeCard), ['CSV-029'], { dialect: 'snake_case', interfaces: answering(2) }],
    [
      'a card at the old path',
      () => serveAgent({ card: agentCard, path: agent.OLD_PATH }),
      ['CON-115'],
      { agentName: 'Weather agent' },
    ],
    [
      'an agent that wants credentials',
      () =>
        serveAgent({
          card: agentCard,
          other: answer(401, {}, { isMeant: ({ url }) => url !== agent.CARD_PATH }),
        }),
      ['CON-119', 'CON-119'],
      { interfaces: [{ state: 'refuses' }, { state: 'refuses' }] },
    ],
    [
      'an agent that wants payment',
      () =>
        serveAgent({
          card: agentCard,
          other: answer(402, {}, { isMeant: isPost }),
        }),
      ['CON-119'],
      { interfaces: [{ state: 'refuses' }, { state: 'answers' }] },
    ],
    [
      'an MCP server behind the URLs of the card',
      () =>
        serveAgent({
          card: agentCard,
          other: answer(
            200,
            { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
            { isMeant: isPost },
          ),
        }),
      ['CON-117'],
      { interfaces: [{ state: 'fails' }, { state: 'answers' }] },
    ],
    [
      'an agent with gRPC only',
      () =>
        served((origin) =>
          agentCard(origin, {
            supportedInterfaces: [{ url: 'agent.example.com:443', protocolBinding: 'GRPC', protocolVersion: '1.0' }],
          }),
        ),
      ['CON-119'],
      { interfaces: [{ state: 'not-probed' }] },
    ],
  ])('%s', async (_, serve, codes, entries) => {
    const told = await tell((await serve()).origin);
    expect(told.codes.sort()).toEqual(codes);
    expect(told.entries).toMatchObject(entries);
  });

  it.each<[said: string, body: Json]>([
    ['a task', { id: 1, result: { id: 'x', kind: 'task' } }],
    ['the answer to another request', { id: 7, error: { code: -32001, message: 'Task not found' } }],
  ])('%s is no answer to an unknown task', async (_, body) => {
    const other = answer(200, { jsonrpc: '2.0', ...body }, { isMeant: isPost });
    const { codes, entries } = await tell((await serveAgent({ card: agentCard, other })).origin);
    expect(codes).toEqual(['CON-117']);
    expect(entries).toMatchObject({ interfaces: [{ state: 'fails' }, { state: 'answers' }] });
  });

  it('terms of payment that come with a task are unknown to the layer `payment`', async () => {
    const { origin } = await served((home) => agentCard(home, { capabilities: { extensions: [{ uri: X402 }] } }));
    const { layers } = await assess({ url: origin, layers: ['payment'] });
    expect(layers.payment).toMatchObject({ state: 'not-evaluated', skipped: expect.stringContaining('x402') });
  });

  it.each<[dead: string, isDead: (request: IncomingMessage) => boolean, severities: string[], state: string]>([
    ['one interface', isPost, ['WARNING'], 'passed'],
    ['all interfaces', ({ url }) => url !== agent.CARD_PATH && url !== '/', ['ERROR', 'ERROR'], 'failed'],
  ])('%s that fail', async (_, isMeant, severities, state) => {
    const { origin } = await serveAgent({ card: agentCard, other: answer(404, {}, { isMeant }) });
    const { layers, findings } = await assess({ url: origin, layers: ['a2a'] });
    expect(findings.map(({ severity }) => severity)).toEqual(severities);
    expect(layers.a2a.state).toBe(state);
  });

  it.each<[peer: string, serve: () => Promise<Loopback>, state: string, skipped: string]>([
    ['an MCP server', serveSdk2, 'not-detected', 'CON-112'],
    ['a site without a card', () => serveAgent({}), 'not-detected', 'CON-111'],
    [
      'a site that answers each URL with a page',
      () => serveAgent({ other: answer(200, '<html>', { headers: { 'content-type': 'text/html' } }) }),
      'not-detected',
      'CON-113',
    ],
    [
      'an API that answers each URL with some JSON',
      () => serveAgent({ other: answer(200, { status: 'ok' }) }),
      'not-detected',
      'CON-113',
    ],
    [
      'a site whose old path is broken',
      () => serveAgent({ other: answer(500, '', { isMeant: ({ url }) => url === agent.OLD_PATH }) }),
      'not-evaluated',
      'CON-112',
    ],
    ['a site with a broken card', () => serveAgent({ other: answer(200, '{') }), 'not-evaluated', 'CON-113'],
    ['a site behind a login', () => serveAgent({ other: answer(401, '') }), 'not-evaluated', 'CON-112'],
  ])('%s has no card', async (_, serve, state, skipped) => {
    const { layers } = await assess({ url: (await serve()).origin, layers: ['a2a'] });
    expect(layers.a2a).toMatchObject({ detected: false, state, skipped: expect.stringContaining(skipped) });
  });
});

function answering(count: number): Json[] {
  return Array.from({ length: count }, () => ({ state: 'answers' }));
}

describe('the categories', () => {
  const ap2 = { uri: AP2, params: { roles: ['merchant', 'shopper'] } };
  const grpc = { url: 'agent.example.com:443', protocolBinding: 'GRPC', protocolVersion: '1.0' };
  const full = (origin: string): Json =>
    agentCard(origin, {
      supportedInterfaces: [{ url: `${origin}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }, grpc],
      capabilities: {
        streaming: true,
        pushNotifications: true,
        extendedAgentCard: true,
        extensions: [ap2, { uri: X402 }],
      },
      provider: { organization: 'Weather Ltd', url: 'https://example.com/' },
      documentationUrl: 'https://example.com/docs',
      securitySchemes: { key: { apiKeySecurityScheme: { name: 'x-key', location: 'header' } } },
      services: [{ name: 'ERC-8004', endpoint: 'https://example.com/agent.json' }],
    });

  it('are all true for an agent that has everything', async () => {
    const { categories, entries } = await tell((await served(full)).origin);
    expect(categories).toEqual(Object.fromEntries(Object.keys(categories).map((name) => [name, true])));
    expect(Object.keys(categories)).toHaveLength(16);
    expect(entries).toMatchObject({
      ap2Version: '0.1',
      ap2Roles: ['merchant', 'shopper'],
      x402Version: '0.1',
      erc8004ServiceUrl: 'https://example.com/agent.json',
      securitySchemes: [{ name: 'key', type: 'apiKey' }],
    });
  });

  const without = (name: string): Json => ({ [name]: undefined });
  const capabilities = (changes: Json): Json => ({
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [ap2, { uri: X402 }],
      ...changes,
    },
  });
  it.each<[name: string, changes: Json, others?: string[]]>([
    [
      'isReachable',
      { supportedInterfaces: [{ url: 'https://10.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] },
      ['supportsGrpc'],
    ],
    ['hasValidStructure', without('version')],
    ['hasSkills', { skills: [] }],
    ['hasSecuritySchemes', { securitySchemes: {} }],
    ['hasProvider', without('provider')],
    ['supportsStreaming', capabilities({ streaming: 'yes' })],
    ['supportsPushNotifications', capabilities({ pushNotifications: false })],
    ['supportsJsonRpc', { supportedInterfaces: [grpc] }],
    [
      'supportsGrpc',
      { supportedInterfaces: [{ ...grpc, url: 'https://example.com/', protocolBinding: 'OTHER' }] },
      ['supportsJsonRpc'],
    ],
    ['supportsExtendedCard', capabilities({ extendedAgentCard: undefined })],
    ['hasDocumentation', { documentationUrl: '' }],
    ['supportsAp2', capabilities({ extensions: [{ uri: X402 }] }), ['supportsEmbeddedFlow']],
    ['supportsX402', capabilities({ extensions: [ap2] }), ['supportsEmbeddedFlow']],
    ['hasErc8004ServiceLink', without('services')],
  ])('%s is false without it', async (name, changes, others = []) => {
    const { categories } = await tell((await served((origin) => ({ ...full(origin), ...changes }))).origin);
    const wrong = Object.keys(categories).filter((key) => !categories[key]);
    expect(wrong.sort()).toEqual([name, ...others].sort());
  });

  it.each<[type: string, scheme: Json]>([
    ['apiKey', { type: 'apiKey', in: 'header', name: 'x' }],
    ['http', { httpAuthSecurityScheme: { scheme: 'Bearer' } }],
    ['oauth2', { oauth2_security_scheme: {} }],
    ['openIdConnect', { openIdConnectSecurityScheme: {} }],
    ['mutualTLS', { scheme: { $case: 'mtlsSecurityScheme', value: {} } }],
  ])('the security scheme %s is told in each form', async (type, scheme) => {
    const { entries } = await tell(
      (await served((origin) => agentCard(origin, { securitySchemes: { a: scheme } }))).origin,
    );
    expect(entries.securitySchemes).toEqual([{ name: 'a', type }]);
  });

  it('the extended card of 0.3 counts', async () => {
    const card = (origin: string): Json => oldCard(origin, { supportsAuthenticatedExtendedCard: true });
    expect((await tell((await served(card)).origin)).categories.supportsExtendedCard).toBe(true);
  });
});

describe('payment extensions', () => {
  const declared = (...extensions: unknown[]) =>
    served((origin) => agentCard(origin, { capabilities: { extensions } }));

  it.each<[uri: string, ap2: string | null, x402: string | null]>([
    [AP2, '0.1', null],
    ['https://github.com/google-agentic-commerce/ap2/v1', '1', null],
    ['https://example.com/Agent-Payments/v0.2', '0.2', null],
    [X402, null, '0.1'],
    ['https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2', null, '0.2'],
    ['https://example.com/ap2/x402/v0.3', null, '0.3'],
    ['https://example.com/map2/v3', null, null],
    ['https://github.com/google-agentic-commerce/other/v1', null, null],
  ])('%s is AP2 %s and x402 %s', async (uri, ap2, x402) => {
    const { categories, entries } = await tell((await declared({ uri, params: { roles: ['merchant'] } })).origin);
    expect(entries).toMatchObject({ ap2Version: ap2, x402Version: x402, extensionUris: [uri] });
    expect(categories).toMatchObject({ supportsAp2: ap2 !== null, supportsX402: x402 !== null });
  });

  it.each(['a2a-extensions', 'x-a2a-extensions'])('are asked for in %s, and read from it', async (name) => {
    let asked: unknown;
    const { origin } = await serveAgent({
      card: agentCard,
      headers: { [name]: `${AP2};roles="merchant"` },
      other: ({ url, headers }) => {
        if (url === agent.CARD_PATH) asked = headers[name];
        return false;
      },
    });
    const { categories, entries, codes } = await tell(origin);
    expect(asked).toContain(AP2);
    expect(categories.supportsAp2).toBe(true);
    expect(entries).toMatchObject({ ap2Version: '0.1', ap2Roles: ['merchant'], extensions: `${AP2};roles="merchant"` });
    expect(codes).toEqual([]);
  });
});

describe('the link to ERC-8004', () => {
  it.each<[name: string, changes: Json, url: string | null]>([
    [
      'an extension',
      {
        capabilities: {
          extensions: [{ uri: 'https://example.com/erc-8004/v1', params: { agentURI: 'https://example.com/a' } }],
        },
      },
      'https://example.com/a',
    ],
    ['registrations', { registrations: [{ agentId: 0, agentRegistry: 'eip155:1:0x8004' }] }, null],
    ['a service', { services: [{ type: 'erc8004', url: 'https://example.com/b' }] }, 'https://example.com/b'],
  ])('is found in %s', async (_, changes, url) => {
    const { categories, entries } = await tell((await served((origin) => agentCard(origin, changes))).origin);
    expect(categories.hasErc8004ServiceLink).toBe(true);
    expect(entries.erc8004ServiceUrl).toBe(url);
  });
});

describe('requests', () => {
  it('ask nothing twice, and change nothing', async () => {
    const twice = (origin: string): Json => {
      const card = agentCard(origin);
      const interfaces = card.supportedInterfaces as Json[];
      return { ...card, supportedInterfaces: [...interfaces, ...interfaces] };
    };
    const bodies: Json[] = [];
    const { origin, requests } = await serveAgent({
      card: twice,
      other: (request) => {
        if (request.method === 'POST')
          request.on('data', (data: Buffer) => bodies.push(JSON.parse(data.toString()) as Json));
        return false;
      },
    });
    await tell(origin);
    const places = requests.filter((line) => line !== 'GET /').map((line) => line.replace(/schemakit-.*/, '<id>'));
    expect(places).toEqual([`GET ${agent.CARD_PATH}`, 'POST /a2a', 'GET /rest/tasks/<id>']);
    expect(bodies).toMatchObject([{ method: 'GetTask', params: { id: expect.stringMatching(/^schemakit-/) } }]);
  });

  it('name the version and the tenant of the interface', async () => {
    const seen: unknown[] = [];
    const { origin } = await serveAgent({
      card: (home) =>
        agentCard(home, {
          supportedInterfaces: ['1.1', '0.3.0'].map((protocolVersion) => ({
            url: `${home}/rest/`,
            protocolBinding: 'HTTP+JSON',
            protocolVersion,
            tenant: 'a b',
          })),
        }),
      other: ({ url = '', headers }) => {
        if (url.startsWith('/rest')) seen.push(`${headers['a2a-version']} ${url.replace(/schemakit-.*/, '<id>')}`);
        return false;
      },
    });
    await tell(origin);
    expect(seen.sort()).toEqual(['0.3 /rest/v1/a%20b/tasks/<id>', '1.1 /rest/a%20b/tasks/<id>']);
  });

  it("send the user's headers for the card, but not where it redirects to", async () => {
    const seen: unknown[] = [];
    const other: agent.Agent['other'] = ({ url, headers }, response) => {
      if (url === agent.CARD_PATH) seen.push(headers['x-key']);
      if (url === agent.CARD_PATH && headers['x-key'] !== undefined) {
        response.writeHead(302, { location: `${away.origin}${agent.CARD_PATH}` }).end();
        return true;
      }
      return false;
    };
    const away = await serveAgent({ card: agentCard, other });
    const { origin } = await serveAgent({ other });
    const { entries } = await tell(origin, { headers: { 'x-key': 'top-secret' }, privateOrigins: [away.origin] });
    expect(entries.cardUrl).toBe(`${away.origin}${agent.CARD_PATH}`);
    expect(seen).toEqual(['top-secret', undefined]);
  });

  it("send the user's headers to the origin of the URL only", async () => {
    const seen: unknown[] = [];
    const other: agent.Agent['other'] = ({ method, headers }) => {
      if (method === 'POST') seen.push(headers.authorization);
      return false;
    };
    const away = await serveAgent({ other });
    const urls = (origin: string) => [origin, away.origin].map((home) => `${home}/a2a`);
    const { origin } = await serveAgent({
      card: (home) =>
        agentCard(home, {
          supportedInterfaces: urls(home).map((url) => ({ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' })),
        }),
      other,
    });
    const headers = { authorization: 'Bearer top-secret' };
    const { entries } = await tell(origin, { headers, privateOrigins: [away.origin] });
    expect(entries.interfaces).toMatchObject(answering(2));
    expect(seen.sort()).toEqual(['Bearer top-secret', undefined]);
  });
});
