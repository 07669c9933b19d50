import { describe, expect, it } from 'vitest';
import { serveNode } from '../../../fixtures/fake-node.ts';
import { dataUri, REGISTRY, registration } from '../../../fixtures/registrations.ts';
import { lookupAgent } from '../../lookup-agent.ts';

async function lookUp(changes: Record<string, unknown>) {
  const { origin } = await serveNode({ 0: { uri: dataUri(changes), feedback: [{ value: 1n }] } });
  return lookupAgent({ agentId: 0, chainId: 8453, rpcNodes: { BASE_MAINNET: origin } });
}

const ens = { name: 'ENS', endpoint: 'tides.eth' };

describe('what the registration file says', () => {
  it.each<[about: string, changes: Record<string, unknown>, messages: string[]]>([
    ['right', {}, []],
    ['no type', { type: undefined }, ['REG-030 registration.type']],
    ['another type', { type: 'agent' }, ['REG-030 registration.type']],
    ['no name', { name: undefined }, ['REG-030 registration.name']],
    ['a name of blanks', { name: ' ' }, ['REG-030 registration.name']],
    ['a number for a description', { description: 5 }, ['REG-030 registration.description']],
    ['a broken image', { image: 'tide' }, ['REG-030 registration.image']],
    ['no services', { services: undefined }, ['REG-030 registration.services']],
    ['empty services', { services: [] }, ['REG-030 registration.services']],
    ['a text as a service', { services: ['mcp'] }, ['REG-030 registration.services[0]']],
    [
      'a service whose name has no text',
      { services: [{ name: { toString: 1, valueOf: 1 }, endpoint: 'a' }] },
      ['REG-030 registration.services[0].name'],
    ],
    ['a service without name', { services: [{ endpoint: 'a' }] }, ['REG-030 registration.services[0].name']],
    ['a service without endpoint', { services: [{ name: 'ENS' }] }, ['REG-030 registration.services[0].endpoint']],
    [
      'an MCP service without URL',
      { services: [{ name: 'MCP', endpoint: 'a' }] },
      ['REG-030 registration.services[0].endpoint'],
    ],
    ['x402Support as a text', { x402Support: 'yes' }, ['REG-030 registration.x402Support']],
    ['active as a number', { active: 1 }, ['REG-030 registration.active']],
    ['supportedTrust as a text', { supportedTrust: 'reputation' }, ['REG-030 registration.supportedTrust']],
    ['earlier: endpoints', { services: undefined, endpoints: [ens] }, ['REG-031 registration.endpoints']],
    [
      'earlier: type and url',
      { services: [{ type: 'ENS', url: 'tides.eth' }] },
      ['REG-031 registration.services[0].type', 'REG-031 registration.services[0].url'],
    ],
    ['earlier: x402support', { x402Support: undefined, x402support: true }, ['REG-031 registration.x402support']],
    [
      'an unknown protocol',
      { services: [{ name: 'gopher', endpoint: 'a' }] },
      ['REG-032 registration.services[0].name'],
    ],
    ['an unknown field', { mood: 'good' }, ['REG-032 registration.fields']],
    ['no registrations', { registrations: undefined }, ['REG-033 registration.registrations']],
    [
      'a registration without id',
      { registrations: [{ agentRegistry: REGISTRY }, { agentId: 0, agentRegistry: REGISTRY }] },
      ['REG-020 registration.registrations[0].agentId'],
    ],
  ])('%s', async (_, changes, expected) => {
    const { messages, classification } = await lookUp(changes);
    expect(messages.map((text) => text.split(': ')[0])).toEqual(expected);
    const isRight = expected.every((text) => /^REG-03[23]/.test(text));
    expect(classification?.isSpecCompliant).toBe(isRight);
  });

  it('endpoints, OASF, flags and trust, in both dialects', async () => {
    const services = [
      { name: 'MCP', endpoint: 'https://a.invalid/mcp', version: '2025-11-25' },
      { type: 'a2a', url: 'https://a.invalid/card.json' },
      { name: 'OASF', endpoint: 'ipfs://x', version: '0.8', skills: ['tides/read', 5], domains: ['sea'] },
      { name: 'DID', endpoint: 'did:web:a.invalid' },
      { name: 'email', endpoint: 'a@a.invalid' },
    ];
    const agent = await lookUp({ services, x402Support: true, active: false });
    expect(agent).toMatchObject({
      name: 'Tide agent',
      image: 'https://agents.example.com/tide.png',
      supportedTrust: ['reputation'],
      endpoints: {
        mcp: 'https://a.invalid/mcp',
        a2a: 'https://a.invalid/card.json',
        web: null,
        did: 'did:web:a.invalid',
        email: 'a@a.invalid',
      },
      classification: {
        isMcp: true,
        isA2A: true,
        isX402: true,
        isActive: false,
        oasf: { version: '0.8', skills: ['tides/read'], domains: ['sea'] },
      },
    });
    expect(agent.endpoints?.all).toHaveLength(5);
  });

  it('hostile texts cannot reach a terminal through findings', async () => {
    const { messages } = await lookUp({ services: [{ name: '\u001b[2J\u202egopher', endpoint: 'a' }] });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what this is about
    expect(messages.join()).not.toMatch(/[\u001b\u202e]/);
  });

  it.each([
    ['as it is', JSON.stringify(registration()), 'json'],
    ['percent-encoded', `data:application/json,${encodeURIComponent(JSON.stringify(registration()))}`, 'json'],
    ['in base64', dataUri(), 'base64'],
    ['in base64 without padding', dataUri().replace(/=+$/, ''), 'base64'],
  ])('is read from a URI that has it %s', async (_, uri, uriType) => {
    const { origin } = await serveNode({ 0: { uri } });
    const agent = await lookupAgent({ agentId: 0, chainId: 8453, rpcNodes: { 8453: origin } });
    expect(agent).toMatchObject({ status: true, uriType, name: 'Tide agent' });
  });
});
