import { describe, expect, it } from 'vitest';
import * as agent from '../../../fixtures/a2a-agent.ts';
import { assess } from '../../assess/assess.ts';

const { agentCard, answer, AP2, serveAgent, serveSdkAgent } = agent;

type Json = Record<string, unknown>;

async function tell(url: string): Promise<{ messages: string[]; entries: Json }> {
  const { messages, layers } = await assess({ url, timeout: 10_000, layers: ['a2a'] });
  if (!layers.a2a.detected) throw new Error(layers.a2a.skipped);
  return { messages, entries: layers.a2a.entries };
}

describe('signatures', () => {
  it('of the SDK are valid, with what its server adds', async () => {
    const signer = await agent.createSigner();
    const scheme = { $case: 'apiKeySecurityScheme', value: { name: 'x', location: 'header', description: '' } };
    const { origin } = await serveSdkAgent({
      signWith: signer,
      changes: () => ({
        securitySchemes: { key: { scheme } },
        capabilities: {
          streaming: false,
          extensions: [{ uri: AP2, required: false, params: { roles: ['merchant'] } }],
        },
        skills: [{ id: 'a', name: 'A', description: 'A.', tags: ['a'], examples: [], inputModes: [] }],
      }),
    });
    const { messages, entries } = await tell(origin);
    expect(messages).toEqual([]);
    expect(entries.signatures).toEqual([
      { state: 'valid', algorithm: 'ES256', keyId: 'key-1', keyUrl: `${origin}/keys` },
    ]);
  });

  it('over the card without its defaults are valid', async () => {
    const signer = await agent.createSigner();
    let card: Json = {};
    const { origin } = await serveAgent({
      card: () => card,
      other: answer(200, { keys: [signer.jwk] }, { isMeant: ({ url }) => url === '/keys' }),
    });
    const capabilities = { streaming: false };
    const plain = agentCard(origin, { description: '', capabilities, skills: [] });
    const signed = await agent.signedCard(plain, signer, { jku: `${origin}/keys` });
    card = { ...signed, capabilities: { ...capabilities, extensions: [] }, documentationUrl: '', securitySchemes: {} };
    expect((await tell(origin)).entries.signatures).toMatchObject([{ state: 'valid' }]);
    card = { ...card, capabilities: { streaming: true } };
    expect((await tell(origin)).entries.signatures).toMatchObject([{ state: 'wrong' }]);
  });

  const place = 'card.signatures[0]';
  it.each<[name: string, header: Json, change: (card: Json) => Json, message: string]>([
    ['exactly what is sent', {}, (card) => card, ''],
    [
      'another card',
      {},
      (card) => ({ ...card, name: 'Other' }),
      `CSV-043 ${place}: The signature does not match the card`,
    ],
    ['another kid', { kid: 'key-2' }, (card) => card, `CSV-044 ${place}: Cannot be checked: no applicable key found`],
    ['no jku', { jku: undefined }, (card) => card, `CSV-044 ${place}: The key is unknown: the header has no`],
    [
      'a private jku',
      { jku: 'https://10.0.0.1/keys' },
      (card) => card,
      `CSV-044 ${place}: The key is unknown: ADDRESS_BLOCKED`,
    ],
    [
      'a jku over http',
      { jku: 'http://example.com/keys' },
      (card) => card,
      `CSV-044 ${place}: The key is unknown: \`jku\` is not an https`,
    ],
    [
      'a jku without keys',
      { jku: '/none' },
      (card) => card,
      `CSV-044 ${place}: The key is unknown: \`jku\` answers HTTP 404`,
    ],
    ['no signature', {}, (card) => ({ ...card, signatures: [{}] }), `CSV-043 ${place}: Not a JWS`],
    ['no list', {}, (card) => ({ ...card, signatures: 'signed' }), `CSV-043 ${place}: Not a JWS`],
    ['no Unicode', {}, (card) => ({ ...card, name: '\ud800' }), `CSV-044 ${place}: The card has no canonical form`],
    [
      'a shared secret',
      {},
      (card) => ({
        ...card,
        signatures: [{ protected: Buffer.from('{"alg":"HS256"}').toString('base64url'), signature: 'AA' }],
      }),
      `CSV-043 ${place}: The algorithm HS256 proves nothing`,
    ],
  ])('over %s', async (_, header, change, message) => {
    const signer = await agent.createSigner();
    let card: Json = {};
    const { origin } = await serveAgent({
      card: () => card,
      other: answer(200, { keys: [signer.jwk] }, { isMeant: ({ url }) => url === '/keys' }),
    });
    const jku = typeof header.jku === 'string' ? new URL(header.jku, origin).href : `${origin}/keys`;
    const full = { ...header, jku: 'jku' in header && header.jku === undefined ? undefined : jku };
    card = change(await agent.signedCard(agentCard(origin), signer, JSON.parse(JSON.stringify(full)) as Json));
    const { messages } = await tell(origin);
    expect(messages).toHaveLength(message === '' ? 0 : 1);
    expect(messages.join()).toContain(message);
  });
});
