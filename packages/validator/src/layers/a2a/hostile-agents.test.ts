import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { agentCard, CARD_PATH, createSigner, serveAgent, signedCard } from '../../../fixtures/a2a-agent.ts';
import { send } from '../../../fixtures/scripted-server.ts';
import { type Assessment, type AssessOptions, assess } from '../../assess/assess.ts';

type Json = Record<string, unknown>;
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** For answers without an end. */
const SHORT = 1500;
const TIMEOUT = 10_000;
/** What a loaded machine may need beyond the deadline. */
const SLACK = 8000;

async function assessInTime(url: string, options: Partial<AssessOptions> = {}): Promise<Assessment> {
  const begin = performance.now();
  const result = await assess({ url, timeout: TIMEOUT, layers: ['a2a'], ...options });
  expect(performance.now() - begin).toBeLessThan((options.timeout ?? TIMEOUT) + SLACK);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(JSON.stringify(result).length).toBeLessThan(1024 * 1024);
  return result;
}

// Without the finding that nothing else was found.
const codesOf = ({ findings }: Assessment): string[] =>
  findings.flatMap(({ code, layer }) => (layer === null ? [] : [code]));

const at =
  (path: string, answer: Answer) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.url !== path) return false;
    answer(response, request);
    return true;
  };

const endless: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const write = (): void => {
    while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
  };
  response.on('drain', write);
  write();
};
const slow: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};
const silent: Answer = () => {};
const bomb: Answer = (response) =>
  void response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(gzipSync(Buffer.alloc(16 * 1024 * 1024, ' ')));
const redirect =
  (location: string): Answer =>
  (response) =>
    void response.writeHead(307, { location }).end();

/** `String` throws for it. */
const unprintable: Json = { toString: 1, valueOf: 1 };

describe('a hostile card', () => {
  it.each<[name: string, answer: Answer, code: string, timeout?: number]>([
    ['without an end', endless, 'CON-113'],
    ['that arrives slowly', slow, 'CON-114', SHORT],
    ['that never arrives', silent, 'CON-114', SHORT],
    ['that is a bomb', bomb, 'CON-113'],
    ['at a private address', redirect('http://10.0.0.1/'), 'CON-116'],
    ['at a metadata service', redirect('http://169.254.169.254/'), 'CON-116'],
    ['that redirects in a circle', redirect(CARD_PATH), 'CON-113'],
  ])('%s is no card', async (_, answer, code, timeout = TIMEOUT) => {
    const { origin } = await serveAgent({ other: at(CARD_PATH, answer) });
    const result = await assessInTime(origin, { timeout });
    expect(result.layers.a2a).toMatchObject({ state: 'not-evaluated', skipped: expect.stringContaining(code) });
    expect(codesOf(result)).toEqual([code]);
  });

  it.each<[name: string, changes: (origin: string) => Json]>([
    [
      'with 10,000 interfaces',
      () => ({ supportedInterfaces: Array.from({ length: 10_000 }, (_, i) => ({ url: `x${i}` })) }),
    ],
    ['with 10,000 skills', () => ({ skills: Array.from({ length: 10_000 }, () => ({})) })],
    ['with 10,000 signatures', () => ({ signatures: Array.from({ length: 10_000 }, () => ({})) })],
    ['with numbers in place of all', () => Object.fromEntries(Object.keys(agentCard('')).map((name) => [name, 1]))],
    ['with null in place of all', () => Object.fromEntries(Object.keys(agentCard('')).map((name) => [name, null]))],
    [
      'with null in all lists',
      () => ({
        supportedInterfaces: [null, 1],
        skills: [null, 1],
        signatures: [null],
        capabilities: { extensions: [null] },
        securitySchemes: { a: null },
        services: [null],
        registrations: [null],
      }),
    ],
    [
      'with objects that are no text',
      () => ({
        supportedInterfaces: [{ url: unprintable, protocolBinding: unprintable, protocolVersion: unprintable }],
        signatures: [{ protected: Buffer.from('{"alg":{"toString":1}}').toString('base64url'), signature: 'AA' }],
        services: [{ name: unprintable }],
        capabilities: { extensions: [{ uri: unprintable }] },
      }),
    ],
    [
      'that names inherited fields',
      () => JSON.parse('{"__proto__":{"a":1},"constructor":{"b":1},"provider":{"__proto__":1}}') as Json,
    ],
  ])('%s is checked in time', async (_, changes) => {
    const { origin } = await serveAgent({ card: (home) => agentCard(home, changes(home)) });
    const result = await assessInTime(origin);
    expect(result.layers.a2a.detected).toBe(true);
    expect(result.findings.length).toBeLessThan(40);
    expect(({} as Json).a).toBeUndefined();
  });

  it('that is deep has no canonical form, and is told all the same', async () => {
    const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const place = `{"url":${nested},"protocolBinding":${nested}}`;
    const deep = `{"capabilities":{"a":${nested}},"supportedInterfaces":[${place}],`;
    const signatures = [{ protected: Buffer.from('{"alg":"ES256"}').toString('base64url'), signature: 'AA' }];
    const { capabilities: _, supportedInterfaces: __, ...flat } = agentCard('https://example.com', { signatures });
    const { origin } = await serveAgent({ card: () => JSON.stringify(flat).replace('{', deep) });
    const result = await assessInTime(origin);
    expect(result.messages).toContain('CSV-044 card.signatures[0]: The card has no canonical form');
    expect(result.layers.a2a).toMatchObject({ entries: { agentName: 'Weather agent' } });
  });

  it('cannot control a terminal, or hide text', async () => {
    const evil = '\u001b[2Jred\u202e\u200b\n<script>';
    const spoil = (value: unknown): unknown => {
      if (typeof value === 'string') return value + evil;
      if (Array.isArray(value)) return value.map(spoil);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, spoil(part)]));
    };
    const extra = {
      provider: { organization: 'a', url: 'b' },
      capabilities: { extensions: [{ uri: 'https://example.com/ap2/v1' }] },
      securitySchemes: { [evil]: { type: 'apiKey' } },
      documentationUrl: 'c',
      services: [{ name: 'erc8004', endpoint: 'd' }],
      signatures: [{ protected: 'e', signature: 'f' }],
    };
    const { origin } = await serveAgent({ card: () => spoil(agentCard('https://x', extra)) });
    const { layers, messages, findings } = await assessInTime(origin);
    const texts: string[] = [];
    JSON.stringify([layers, messages, findings], (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    expect(texts.filter((text) => /[\p{Cc}\u202e\u200b]/u.test(text))).toEqual([]);
  });
});

describe('a hostile interface', () => {
  const places = [
    { url: '/a2a', protocolBinding: 'JSONRPC' },
    { url: '/rest', protocolBinding: 'HTTP+JSON' },
  ];

  it.each<[name: string, answer: Answer, timeout?: number]>([
    ['sends endlessly', endless],
    ['sends slowly', slow, SHORT],
    ['is silent', silent, SHORT],
    ['sends a bomb', bomb],
    ['redirects to a private address', redirect('http://10.0.0.1/')],
    ['hangs up', (response) => void response.destroy()],
    ['sends JSON of another kind', (response) => send(response, 200, '[null]')],
    ['sends a deep answer', (response) => send(response, 200, `${'['.repeat(30_000)}${']'.repeat(30_000)}`)],
  ])('%s, and the card is told all the same', async (_, answer, timeout = TIMEOUT) => {
    const { origin } = await serveAgent({
      card: (home) =>
        agentCard(home, {
          supportedInterfaces: places.map((entry) => ({ ...entry, url: home + entry.url, protocolVersion: '1.0' })),
        }),
      other: (request, response) => {
        if (request.url === CARD_PATH || request.url === '/') return false;
        answer(response, request);
        return true;
      },
    });
    const result = await assessInTime(origin, { timeout });
    expect(result.layers.a2a).toMatchObject({ detected: true, entries: { agentName: 'Weather agent' } });
    expect(codesOf(result)).toEqual(['CON-117', 'CON-117']);
  });

  it('at a private address is never asked', async () => {
    const { origin: other, requests } = await serveAgent({ card: agentCard });
    const urls = [
      'http://10.0.0.1/',
      'http://169.254.169.254/',
      'http://[::ffff:169.254.169.254]/',
      `${other}/a2a`,
      'file:///etc/passwd',
      'http://user:pass@example.com/',
    ];
    const { origin } = await serveAgent({
      card: () =>
        agentCard('', {
          supportedInterfaces: urls.map((url) => ({ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' })),
        }),
    });
    const result = await assessInTime(origin);
    expect(codesOf(result).filter((code) => code === 'CON-118')).toHaveLength(urls.length);
    expect(requests).toEqual([]);
  });

  it('at the own origin is not asked either with `publicOnly`', async () => {
    const { origin, requests } = await serveAgent({ card: agentCard });
    expect(codesOf(await assessInTime(origin, { publicOnly: true }))).toEqual(['CON-116']);
    expect(requests).toEqual([]);
  });
});

describe('hostile keys', () => {
  it.each<[name: string, answer: Answer, timeout?: number]>([
    ['without an end', endless],
    ['that never arrive', silent, SHORT],
    ['that are a bomb', bomb],
    ['at a private address', redirect('http://10.0.0.1/')],
    ['of no kind', (response) => send(response, 200, { keys: [{}, null, { kty: 'RSA', kid: 'key-1', n: '', e: '' }] })],
    ['that are secrets', (response) => send(response, 200, { keys: [{ kty: 'oct', kid: 'key-1', k: 'AA' }] })],
    [
      'of another type',
      (response) =>
        send(response, 200, { keys: [{ kty: 'EC', crv: 'P-256', kid: 'key-1', alg: 'ES256', x: 'AA', y: 'AA' }] }),
    ],
  ])('%s are unknown keys', async (_, answer, timeout = TIMEOUT) => {
    const signer = await createSigner();
    let card: Json = {};
    const { origin } = await serveAgent({ card: () => card, other: at('/keys', answer) });
    card = await signedCard(agentCard(origin), signer, { jku: `${origin}/keys` });
    const result = await assessInTime(origin, { timeout });
    expect(codesOf(result)).toEqual(['CSV-044']);
    expect(result.layers.a2a).toMatchObject({ entries: { signatures: [{ state: 'unchecked' }] } });
  });
});
