import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { anvil, compileRegistries, type LocalChain, startChain } from '../../../fixtures/chain.ts';
import { listen } from '../../../fixtures/loopback.ts';
import { dataUri, REGISTRY, registration } from '../../../fixtures/registrations.ts';
import { send } from '../../../fixtures/scripted-server.ts';
import { assess } from '../../assess/assess.ts';
import { lookupAgent } from '../../lookup-agent.ts';
import { registriesOf } from './chains.ts';

const requestHash = (last: number): string => `0x${String(last).padStart(64, '0')}`;

describe.skipIf(!anvil)('agents on a real chain', () => {
  let compiled: ReturnType<typeof compileRegistries>;
  let chain: LocalChain;

  const start = (chainId: number): Promise<LocalChain> => {
    const addresses = registriesOf(chainId);
    if (addresses === undefined) throw new Error(`no registries on ${chainId}`);
    return startChain(compiled, { chainId, addresses });
  };

  beforeAll(async () => {
    compiled = compileRegistries();
    chain = await start(8453);
    const gzip = gzipSync(JSON.stringify(registration({ registrations: [{ agentId: 1, agentRegistry: REGISTRY }] })));
    await chain.write('identity', 'register', [dataUri()]);
    await chain.write('identity', 'register', [`data:application/json;enc=gzip;base64,${gzip.toString('base64')}`], 1);
    await chain.write('identity', 'setAgentWallet', [1, chain.accounts[5]]);
    await chain.write('reputation', 'giveFeedback', [0, 9000, 2, 'quality', 'tides'], 2);
    await chain.write('reputation', 'giveFeedback', [0, 8000, 2, 'quality', ''], 3);
    await chain.write('reputation', 'giveFeedback', [0, 100, 2, 'spam', ''], 4);
    await chain.write('reputation', 'revokeFeedback', [0, 1], 4);
    await chain.write('validation', 'respond', [0, requestHash(1), 100, 'tee'], 6);
    await chain.write('validation', 'respond', [0, requestHash(2), 50, 'zk'], 6);
  });
  afterAll(() => chain?.stop());

  const lookUp = (agentId: number) => lookupAgent({ agentId, chainId: 8453, rpcNodes: { BASE_MAINNET: chain.url } });

  test('agent 0 with its reputation, tags, revoked feedback and validations', async () => {
    const agent = await lookUp(0);
    const [owner, , first, second, third, , validator] = chain.accounts;
    expect(agent.messages).toEqual([]);
    expect(agent).toMatchObject({
      status: true,
      agentId: 0,
      chainId: 8453,
      chainAlias: 'BASE_MAINNET',
      agentRegistry: REGISTRY,
      registryVersion: '2.0.0',
      isRegistered: true,
      agentWallet: null,
      uriType: 'base64',
      name: 'Tide agent',
      registration: registration(),
      classification: { isBase64: true, isParseable: true, isSpecCompliant: true, isX402: false, isActive: true },
      reputation: {
        clients: 3,
        feedbackCount: 2,
        averageValue: '8500',
        valueDecimals: 2,
        averageDecimal: 85,
        revokedCount: 1,
        byTag: [
          { tag: 'quality', count: 2, averageDecimal: 85 },
          { tag: 'tides', count: 1, averageDecimal: 90 },
        ],
      },
      validations: {
        count: 2,
        averageResponse: 75,
        items: [
          { response: 100, tag: 'tee' },
          { response: 50, tag: 'zk' },
        ],
      },
    });
    expect(agent.owner?.toLowerCase()).toBe(owner?.toLowerCase());
    expect(agent.reputation?.feedback.map(({ client, isRevoked }) => [client.toLowerCase(), isRevoked])).toEqual(
      [first, second, third].map((client) => [client?.toLowerCase(), client === third]),
    );
    expect(agent.validations?.items[0]?.validator.toLowerCase()).toBe(validator?.toLowerCase());
    expect(JSON.parse(JSON.stringify(agent))).toEqual(agent);
  });

  test('an agent with a wallet, a compressed registration and no feedback', async () => {
    const agent = await lookUp(1);
    expect(agent.messages).toEqual(['REP-001 reputation: The agent has no feedback yet']);
    expect(agent).toMatchObject({
      status: true,
      uriType: 'gzip',
      reputation: null,
      validations: { count: 0, items: [] },
    });
    expect(agent.agentWallet?.toLowerCase()).toBe(chain.accounts[5]?.toLowerCase());
  });

  test('an agent that is not there', async () => {
    const agent = await lookUp(2);
    expect(agent).toMatchObject({ status: false, isRegistered: false, owner: null });
    expect(agent.messages).toEqual(['RPC-003 agentId: Agent 2 is not in the registry of BASE_MAINNET']);
  });

  test('a test chain has other registries', async () => {
    const testnet = await start(84532);
    onTestFinished(() => testnet.stop());
    await testnet.write('identity', 'register', [dataUri()]);
    const agent = await lookupAgent({ agentId: 0, chainId: 'eip155:84532', rpcNodes: { 84532: testnet.url } });
    expect(agent).toMatchObject({
      isRegistered: true,
      chainAlias: 'BASE_SEPOLIA_TESTNET',
      agentRegistry: 'eip155:84532:0x8004A818BFB912233c491871b3d84c89A494BD9e',
    });
    const wrongChain = await lookupAgent({ agentId: 0, chainId: 8453, rpcNodes: { BASE_MAINNET: testnet.url } });
    expect(wrongChain.messages).toEqual([
      expect.stringMatching(/^RPC-002 rpcNodes.1: node 1 .* is a node of chain 84532, not 8453$/),
    ]);
  });

  test('a chain without the contracts is no chain without the agent', async () => {
    const empty = await startChain({}, { chainId: 8453, addresses: registriesOf(8453) as never });
    onTestFinished(() => empty.stop());
    const { messages } = await lookupAgent({ agentId: 0, chainId: 8453, rpcNodes: { BASE_MAINNET: empty.url } });
    expect(messages).toEqual([expect.stringMatching(/^RPC-002 .* has no contract at the address of the registry$/)]);
  });

  test('an assessment of an endpoint whose domain and registration name each other', async () => {
    const { origin } = await listen(({ url }, response) => {
      const isProof = url === '/.well-known/agent-registration.json';
      if (!isProof) return send(response, 404, {});
      send(response, 200, { registrations: [{ agentId: Number(agentId), agentRegistry: REGISTRY }] });
    });
    const agentId = 2;
    const registrations = [{ agentId, agentRegistry: REGISTRY }];
    await chain.write('identity', 'register', [
      dataUri({ services: [{ name: 'MCP', endpoint: `${origin}/mcp`, version: '2025-11-25' }], registrations }),
    ]);
    const { layers, categories, entries, messages } = await assess({
      url: `${origin}/mcp`,
      layers: ['erc8004'],
      erc8004: { rpcNodes: { BASE_MAINNET: chain.url } },
    });
    expect(messages).toEqual(['REP-001 reputation: The agent has no feedback yet']);
    expect(layers.erc8004).toMatchObject({ state: 'passed', entries: { agentId, isOnChainVerified: true } });
    expect(categories).toMatchObject({
      hasWellKnownRegistration: true,
      hasErc8004Registration: true,
      isErc8004OnChainVerified: true,
      isErc8004SpecCompliant: true,
      hasOnChainReputation: false,
    });
    expect(entries.erc8004).toMatchObject({
      endpoints: { mcp: `${origin}/mcp` },
      domainVerification: [{ state: 'verified' }],
    });
  });
});
