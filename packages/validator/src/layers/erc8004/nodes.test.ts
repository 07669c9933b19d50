import { gzipSync } from 'node:zlib';
import { encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { type FakeNodeOptions, OWNER, sendError, sendResult, serveNode } from '../../../fixtures/fake-node.ts';
import { listen, readBody } from '../../../fixtures/loopback.ts';
import { dataUri } from '../../../fixtures/registrations.ts';
import { send } from '../../../fixtures/scripted-server.ts';
import { assess } from '../../assess/assess.ts';
import type { AssessmentFinding } from '../../assess/layer-result.ts';
import type { Erc8004Options } from '../../input/agent-options.ts';
import type { LookupOptions } from '../../input/lookup-options.ts';
import { lookupAgent } from '../../lookup-agent.ts';

/** `viem` follows only what the called contract says itself. */
const REGISTRY_ADDRESS = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432';

const agents = { 0: { uri: dataUri(), feedback: [{ value: 1n }] } };

const lookUp = (nodes: string | string[], options: Partial<LookupOptions> = {}) =>
  lookupAgent({ agentId: 0, chainId: 8453, timeout: 5000, rpcNodes: { BASE_MAINNET: nodes }, ...options });

const answers = (name: string, result: string): FakeNodeOptions => ({
  instead: (call) => {
    const isIt = call.name === name || call.method === name;
    if (isIt) sendResult(call.response, call.id, result);
    return isIt;
  },
});

/** Refuses calls of one function, or everything. */
const refuses = (error: Record<string, unknown>, only?: string): FakeNodeOptions => ({
  instead: ({ name, response, id }) => {
    const isIt = only === undefined || name === only;
    if (isIt) sendError(response, id, error);
    return isIt;
  },
});

const compressed = gzipSync(Buffer.alloc(50_000_000));

describe('a node that fails', () => {
  it.each<[about: string, options: FakeNodeOptions, reason: RegExp]>([
    ['says HTML', { instead: ({ response }) => !!response.end('<html>') }, /did not answer in JSON/],
    ['says null', { instead: ({ response }) => !!response.end('null') }, /did not answer as a JSON-RPC node/],
    ['says nothing', { instead: ({ response }) => !!response.end('{}') }, /did not answer as/],
    ['has no key', { instead: ({ response }) => !!response.writeHead(401).end('{}') }, /answered with HTTP 401/],
    [
      'redirects',
      { instead: ({ response }) => !!response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end() },
      /answered with HTTP 307/,
    ],
    ['is too busy', refuses({ code: -32005, message: 'limit exceeded' }), /error -32005: limit exceeded/],
    ['has an internal error', refuses({ code: -32603, message: 'Internal error' }, 'ownerOf'), /Internal error/],
    ['is of another chain', { chainId: 1 }, /is a node of chain 1, not 8453/],
    ['has no registry', answers('ownerOf', '0x'), /has no contract at the address of the registry/],
    ['says a broken address', answers('ownerOf', '0x1234'), /did not answer as expected/],
    [
      'says an endless text',
      { instead: ({ response }) => !!response.end(`"${'a'.repeat(2_000_000)}"`) },
      /more than 1048576 bytes/,
    ],
    [
      'says a bomb',
      {
        instead: ({ response }) => !!response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed),
      },
      /more than 1048576 bytes|TOO_LARGE/,
    ],
    ['never answers', { instead: () => true }, /ETIMEDOUT|did not answer in time/],
    ['never ends', { instead: ({ response }) => !!response.write('{') }, /ETIMEDOUT|did not answer in/],
  ])('%s, and another takes its place', async (_, options, reason) => {
    const [broken, right] = [await serveNode(agents, options), await serveNode(agents)];
    const begin = performance.now();
    const alone = await lookUp(broken.origin, { timeout: 1500 });
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(alone).toMatchObject({ status: false, isRegistered: null });
    expect(alone.messages).toEqual([expect.stringMatching(/^RPC-002 rpcNodes.1: node 1 \(127.0.0.1:\d+\): /)]);
    expect(alone.messages[0]).toMatch(reason);
    const both = await lookUp([broken.origin, right.origin], { timeout: 3000 });
    expect(both).toMatchObject({ status: true, name: 'Tide agent' });
    expect(both.findings.map(({ code }) => code)).toEqual(['RPC-005']);
  });

  it.each([
    ['owner', { 0: { ...agents[0], owner: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as const } }],
    ['agentUri', { 0: { ...agents[0], uri: dataUri({ name: 'Fake' }) } }],
    ['reputation', { 0: { ...agents[0], feedback: [{ value: 100n }] } }],
    ['validations', { 0: { ...agents[0], validations: [100] } }],
    ['existence', {}],
  ])('lies about %s: the nodes disagree', async (name, lies) => {
    const [one, other] = [await serveNode(agents), await serveNode(lies, { block: 99 })];
    const { status, findings } = await lookUp([one.origin, other.origin]);
    expect(status).toBe(false);
    expect(findings.filter(({ code }) => code === 'RPC-004')).toMatchObject([
      { location: `rpcNodes.${name}`, severity: 'ERROR' },
    ]);
  });

  it('only two of several nodes are asked, and each thing once', async () => {
    const nodes = await Promise.all([serveNode(agents), serveNode(agents), serveNode(agents)]);
    expect(await lookUp(nodes.map(({ origin }) => origin))).toMatchObject({ status: true, messages: [] });
    expect(nodes.map(({ requests }) => requests.length)).toEqual([11, 11, 0]);
  });

  it('cannot make the lookup fetch URLs by CCIP-Read', async () => {
    const victim = await listen((_, response) => response.end('{}'));
    const abi = parseAbi([
      'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
    ]);
    const args = [REGISTRY_ADDRESS, [`${victim.origin}/{data}`], '0x', '0x00000000', '0x'] as const;
    const data = encodeErrorResult({ abi, errorName: 'OffchainLookup', args });
    const { origin } = await serveNode(agents, refuses({ code: 3, message: 'execution reverted', data }, 'ownerOf'));
    expect((await lookUp(origin)).status).toBe(false);
    expect(victim.requests).toEqual([]);
  });

  it('cannot leak its key through the result', async () => {
    const { origin } = await serveNode(agents, refuses({ code: -32000, message: 'bad key 0123456789abcdef' }));
    const agent = await lookUp(`${origin}/v2/0123456789abcdef`);
    expect(agent.messages).toEqual([expect.stringContaining('bad key [REDACTED]')]);
    expect(JSON.stringify(agent)).not.toContain('0123456789abcdef');
  });

  it.each(['/v2/KEYSECRET99', '/KEYSECRET99/rpc', '/?k=KEYSECRET99', '/rpc?apikey=KEYSECRET99'])(
    'cannot leak a short key through the result: %s',
    async (path) => {
      const { origin } = await listen(async (request, response) => {
        const { id } = JSON.parse(await readBody(request)) as { id: unknown };
        sendError(response, id, { code: -32000, message: `bad key ${request.url} ${request.headers.authorization}` });
      });
      const password = origin.replace('//', '//user:PASSW0RDX@');
      for (const node of [`${origin}${path}`, `${password}${path}`]) {
        const { messages, findings } = await lookUp(node);
        expect(messages).toEqual([expect.stringContaining('[REDACTED]')]);
        expect(JSON.stringify(findings)).not.toMatch(/KEYSECRET99|PASSW0RDX|UEFTU1cwUkRY|QQVNTVzBSRF/);
      }
    },
  );

  it('that is slow has nearly all of the time, if no other stands in', async () => {
    const { origin } = await serveNode(agents);
    const slow = await listen(async (request, response) => {
      const body = await readBody(request);
      const answer = await fetch(origin, { method: 'POST', body });
      await new Promise((resolve) => setTimeout(resolve, 700));
      response.end(await answer.text());
    });
    expect(await lookUp(slow.origin, { timeout: 6000 })).toMatchObject({ status: true, messages: [] });
  });

  it.each([
    ['getSummary', 'validations', { validations: null, reputation: { feedbackCount: 1 } }],
    ['getAgentWallet', 'agentWallet', { agentWallet: null }],
    ['getVersion', 'registryVersion', { registryVersion: null }],
    ['getClients', 'reputation', { reputation: null }],
  ])('refuses %s only: the rest is kept, and another node is asked', async (name, place, rest) => {
    const limited = await serveNode(agents, {
      instead: (call) => {
        const isIt = call.name === name && (name !== 'getSummary' || call.args === 3);
        if (isIt) sendError(call.response, call.id, { code: -32000, message: 'rate limit' });
        return isIt;
      },
    });
    const agent = await lookUp(limited.origin);
    expect(agent).toMatchObject({ isRegistered: true, owner: OWNER, name: 'Tide agent', ...rest });
    expect(agent.messages).toEqual([`RPC-010 ${place}: The node answered with the error -32000: rate limit`]);
    const both = await lookUp([limited.origin, (await serveNode(agents)).origin]);
    expect(both).toMatchObject({ status: true, messages: [] });
  });

  it('given twice is one node', async () => {
    const { origin, requests } = await serveNode(agents);
    expect((await lookUp([origin, `${origin}/`])).status).toBe(true);
    expect(requests).toHaveLength(11);
  });

  it('tells the reputation without single feedback, if there is too much of it', async () => {
    const feedback = [{ value: 90n, tag1: 'a'.repeat(600_000) }, { value: 70n }];
    const { origin } = await serveNode({ 0: { ...agents[0], feedback } });
    const agent = await lookUp(origin);
    expect(agent).toMatchObject({
      status: true,
      reputation: { feedbackCount: 2, averageDecimal: 80, revokedCount: null, feedback: [], isComplete: false },
    });
    expect(agent.messages).toEqual([expect.stringMatching(/^RPC-010 reputation.feedback: .* more than 1048576 bytes/)]);
    const other = await serveNode({ 0: { ...agents[0], feedback: [{ value: 90n }, { value: 70n }] } });
    expect((await lookUp([origin, other.origin])).messages).toEqual([]);
  });

  it('tells the owner of an agent whose URI is too large', async () => {
    const { origin } = await serveNode({ 0: { ...agents[0], uri: `data:application/json,${'a'.repeat(600_000)}` } });
    const agent = await lookUp(origin);
    expect(agent).toMatchObject({ isRegistered: true, owner: OWNER, agentUri: null, registration: null });
    expect(agent.findings.map(({ code }) => code)).toEqual(['URI-006']);
  });

  it('is not reached with publicOnly, and the agent cannot reach it at all', async () => {
    const { origin, requests } = await serveNode(agents);
    const { messages } = await lookUp(origin, { publicOnly: true });
    expect(messages).toEqual([expect.stringMatching(/^RPC-002 .*ADDRESS_BLOCKED/)]);
    expect(requests).toEqual([]);
    const own: Record<number, { uri: string }> = {};
    const node = await serveNode(own);
    own[0] = { uri: `${node.origin}/agent.json` };
    expect((await lookUp(node.origin)).findings.map(({ code }) => code)).toEqual(['REP-001', 'URI-003']);
    expect(node.requests.filter((line) => line.startsWith('GET'))).toEqual([]);
  });
});

describe('what an agent names', () => {
  const bomb = gzipSync(Buffer.alloc(100_000_000)).toString('base64');
  it.each<[about: string, uri: string, code: string]>([
    ['a bomb of gzip', `data:application/json;enc=gzip;base64,${bomb}`, 'URI-006'],
    ['broken gzip', `data:application/json;base64,${Buffer.from([0x1f, 0x8b, 1, 2]).toString('base64')}`, 'URI-005'],
    ['a deep document', `data:application/json,${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 'URI-007'],
    ['no data', 'data:application/json;base64', 'URI-005'],
    ['a metadata service', 'http://169.254.169.254/latest', 'URI-003'],
    ['a private address', 'http://10.0.0.1/agent.json', 'URI-003'],
    ['a broken URL', 'https://', 'URI-004'],
    ['a file', 'file:///etc/passwd', 'URI-004'],
    ['a page', 'data:text/html,<b>', 'URI-004'],
  ])('%s is refused', async (_, uri, code) => {
    const { origin } = await serveNode({ 0: { uri, feedback: [{ value: 1n }] } });
    const { findings, status, classification } = await lookUp(origin);
    expect(findings.map((found) => found.code)).toEqual([code]);
    expect(status).toBe(true);
    const unread = { isSpecCompliant: null, isX402: null, isMcp: null, isA2A: null, isActive: null };
    expect(classification).toMatchObject({ isParseable: false, ...unread });
  });

  it('a redirect to a private address is not followed', async () => {
    const victim = await listen((_, response) => response.end('{}'));
    const site = await listen((_, response) => response.writeHead(302, { location: `${victim.origin}/` }).end());
    const { origin } = await serveNode({ 0: { uri: `${site.origin}/agent.json` } });
    const { findings } = await lookUp(origin, { privateOrigins: [site.origin] });
    expect(findings.map(({ code }) => code)).toEqual(['REP-001', 'URI-003']);
    expect(victim.requests).toEqual([]);
  });

  it.each(['uri', 'domain'])('a slow %s leaves what the chain says', async (slow) => {
    const site = await listen(() => {});
    const services = [{ name: 'web', endpoint: `${site.origin}/` }];
    const uri = slow === 'uri' ? `${site.origin}/agent.json` : dataUri({ services });
    const { origin } = await serveNode({ 0: { uri } });
    const begin = performance.now();
    const agent = await lookUp(origin, { timeout: 1500, privateOrigins: [site.origin] });
    expect(performance.now() - begin).toBeLessThan(4000);
    expect(agent).toMatchObject({ isRegistered: true, owner: OWNER });
  });

  it('many domains: at most five are asked, each once', async () => {
    const sites = await Promise.all(Array.from({ length: 8 }, () => listen((_, response) => send(response, 404, {}))));
    const services = sites.flatMap(({ origin }) => [1, 2].map((i) => ({ name: 'web', endpoint: `${origin}/${i}` })));
    const { origin } = await serveNode({ 0: { uri: dataUri({ services }) } });
    const privateOrigins = sites.map((site) => site.origin);
    expect((await lookUp(origin, { privateOrigins })).domainVerification).toHaveLength(5);
    expect(sites.map(({ requests }) => requests.length)).toEqual([1, 1, 1, 1, 1, 0, 0, 0]);
  });

  it('an aborted lookup ends at once', async () => {
    const { origin } = await serveNode(agents, { instead: () => true });
    const signal = AbortSignal.timeout(100);
    const begin = performance.now();
    expect((await lookUp(origin, { signal, timeout: 60_000 })).status).toBe(false);
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

describe('the options of a lookup', () => {
  it.each<[options: Record<string, unknown>, message: string]>([
    [{ agentId: undefined }, 'ASM-017 lookup.agentId: Must be a whole number, from 0 on'],
    [{ agentId: -1 }, 'ASM-017 lookup.agentId: Must be a whole number, from 0 on'],
    [{ agentId: '0' }, 'ASM-017 lookup.agentId: Must be a whole number, from 0 on'],
    [
      { chainId: 'moon' },
      'ASM-018 lookup.chainId: Must be the id of a chain, such as 8453, `eip155:8453` or `BASE_MAINNET`',
    ],
    [{ timeout: 0 }, 'ASM-006 lookup.timeout: Must be greater than 0'],
    [{ rpcNodes: { BASE_MAINNET: 'ftp://a' } }, 'ASM-016 lookup.rpcNodes.BASE_MAINNET: Must be an https: or http: URL'],
    [{ ipfsGateways: 'a' }, 'ASM-007 lookup.ipfsGateways: Must be an array of https: or http: URLs'],
    [
      { rpcNodes: undefined },
      'RPC-001 rpcNodes.BASE_MAINNET: No node is given for chain 8453: give one for `BASE_MAINNET`',
    ],
    [
      { rpcNodes: { SEPOLIA_TESTNET: 'https://a.invalid' } },
      'RPC-001 rpcNodes.BASE_MAINNET: No node is given for chain 8453: give one for `BASE_MAINNET`; nodes are given for SEPOLIA_TESTNET',
    ],
    [{ chainId: 61 }, 'RPC-006 chainId: No ERC-8004 registry is known on chain 61'],
  ])('%j', async (options, message) => {
    const given = { agentId: 0, chainId: 8453, rpcNodes: { BASE_MAINNET: 'http://127.0.0.1:1/' }, ...options };
    const { status, messages } = await lookupAgent(given as LookupOptions);
    expect(status).toBe(false);
    expect(messages).toEqual([message]);
  });

  it.each([8453, '8453', 'eip155:8453', 'BASE_MAINNET', 'base'])('the chain may be written %s', async (chainId) => {
    const { origin } = await serveNode(agents);
    const rpcNodes = { [chainId]: origin };
    expect(await lookUp(origin, { chainId, rpcNodes })).toMatchObject({ status: true, chainId: 8453 });
  });
});

describe('the layer of an assessment', () => {
  const PROOF = '/.well-known/agent-registration.json';
  const REGISTRY = 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432';

  /** An endpoint with these documents. */
  const site = (documents: Record<string, unknown>) =>
    listen(({ url = '' }, response) => {
      const document = documents[url];
      return document === undefined ? send(response, 404, {}) : send(response, 200, document);
    });
  const ofLayer = (findings: readonly AssessmentFinding[]) => findings.filter(({ layer }) => layer === 'erc8004');
  const named = [{ agentId: 0, agentRegistry: REGISTRY }];
  const card = { name: 'a', capabilities: { extensions: [{ uri: 'https://example.com/erc-8004', params: named[0] }] } };

  it.each<[about: string, documents: Record<string, unknown>, found: unknown, messages: string[]]>([
    ['a plain server', {}, { detected: false, state: 'not-detected' }, []],
    [
      'a domain that names an agent',
      { [PROOF]: { registrations: named } },
      { state: 'passed', categories: { hasWellKnownRegistration: true, isErc8004OnChainVerified: true } },
      ['REG-034'],
    ],
    [
      'a card that names an agent',
      { '/.well-known/agent-card.json': card },
      {
        state: 'passed',
        categories: { hasWellKnownRegistration: false, hasErc8004Registration: true, isErc8004OnChainVerified: false },
      },
      ['REG-001', 'REG-034'],
    ],
    [
      'a card of an earlier version',
      { '/.well-known/agent.json': { name: 'a', registrations: named } },
      { state: 'passed', categories: { hasErc8004Registration: true } },
      ['REG-001', 'REG-034'],
    ],
    [
      'a card that names an agent that is not there',
      { '/.well-known/agent-card.json': { registrations: [{ ...named[0], agentId: 9 }] } },
      { categories: { hasErc8004Registration: false } },
      ['REG-001', 'RPC-003'],
    ],
    ['a domain with a broken file', { [PROOF]: '[' }, { state: 'not-evaluated' }, ['REG-002']],
  ])('%s', async (_, documents, found, messages) => {
    const [node, { origin, requests }] = [await serveNode(agents), await site(documents)];
    const { layers, findings } = await assess({
      url: origin,
      layers: ['erc8004'],
      erc8004: { rpcNodes: { BASE_MAINNET: node.origin } },
    });
    expect(layers.erc8004).toMatchObject(found as object);
    expect(ofLayer(findings).map(({ code }) => code)).toEqual(messages);
    expect(requests.filter((line) => line === `GET ${PROOF}`)).toHaveLength(1);
  });

  it.each<[about: string, documents: Record<string, unknown>, erc8004: Erc8004Options, found: unknown]>([
    [
      'without a node, which one to give',
      { [PROOF]: { registrations: named } },
      {},
      { code: 'RPC-001', severity: 'INFO', text: expect.stringContaining('BASE_MAINNET') },
    ],
    ['of a given agent without a node', {}, { agentId: 0, chainId: 8453 }, { code: 'RPC-001' }],
    ['of a given id that nothing names', {}, { agentId: 0 }, { code: 'RPC-003' }],
    [
      'of a node that fails',
      {},
      { agentId: 0, chainId: 8453, rpcNodes: { base: 'http://127.0.0.1:1/' } },
      { code: 'RPC-002' },
    ],
    [
      'of a card that links to ERC-8004, but names no agent',
      {
        '/.well-known/agent-card.json': { name: 'a', services: [{ name: 'ERC-8004', endpoint: 'https://a.invalid' }] },
      },
      {},
      { code: 'REG-001' },
    ],
  ])('is not evaluated, and tells why: %s', async (_, documents, erc8004, found) => {
    const { origin } = await site(documents);
    const { layers, findings } = await assess({ url: origin, layers: ['erc8004'], erc8004 });
    expect(ofLayer(findings)).toMatchObject([found]);
    expect(layers.erc8004).toMatchObject({ state: 'not-evaluated', skipped: expect.stringContaining('No agent') });
  });

  it.each(['{}', '{"status":"ok"}', '[]', 'null'])(
    'is not detected where every path is answered with %s',
    async (body) => {
      const { origin } = await listen((_, response) => send(response, 200, body));
      const { layers, findings } = await assess({ url: origin, layers: ['erc8004'] });
      expect(layers.erc8004).toMatchObject({ state: 'not-detected' });
      expect(ofLayer(findings)).toEqual([]);
    },
  );

  it.each([{ '/.well-known/agent-card.json': card }, { [PROOF]: { registrations: named } }])(
    'does not tell the reputation of an agent that does not name the endpoint',
    async (documents) => {
      const node = await serveNode(agents);
      const { origin } = await site(documents);
      const erc8004 = { rpcNodes: { BASE_MAINNET: node.origin } };
      const { categories, messages } = await assess({ url: origin, layers: ['erc8004'], erc8004 });
      expect(categories).toMatchObject({ hasErc8004Registration: true, hasOnChainReputation: false });
      expect(messages).toContainEqual(expect.stringMatching(/^REG-034 /));
    },
  );

  it.each([401, 500])('is not evaluated where the documents are answered with %d', async (status) => {
    const { origin } = await listen((_, response) => send(response, status, {}));
    const { layers } = await assess({ url: origin, layers: ['erc8004'] });
    expect(layers.erc8004).toMatchObject({
      state: 'not-evaluated',
      skipped: expect.stringContaining(`HTTP ${status}`),
    });
  });

  it('tells that the registration of the agent is not as specified', async () => {
    const node = await serveNode({ 0: { uri: dataUri({ type: 'agent' }) } });
    const { origin } = await site({ [PROOF]: { registrations: named } });
    const erc8004 = { rpcNodes: { base: node.origin } };
    const { categories } = await assess({ url: origin, layers: ['erc8004'], erc8004 });
    expect(categories).toMatchObject({ hasErc8004Registration: true, isErc8004SpecCompliant: false });
  });

  it('does not tell as true what one of two nodes denies', async () => {
    const [one, other] = [await serveNode(agents), await serveNode({ 0: { uri: dataUri() } })];
    const { origin } = await site({ [PROOF]: { registrations: named } });
    const erc8004 = { rpcNodes: { base: [one.origin, other.origin] } };
    const { layers } = await assess({ url: origin, layers: ['erc8004'], erc8004 });
    expect(layers.erc8004).toMatchObject({
      state: 'failed',
      categories: {
        hasErc8004Registration: false,
        isErc8004OnChainVerified: false,
        isErc8004SpecCompliant: false,
        hasOnChainReputation: false,
      },
    });
  });

  it('takes the given agent, agent 0 too', async () => {
    const [node, { origin }] = [await serveNode(agents), await site({})];
    const erc8004 = { agentId: 0, chainId: 'eip155:8453', rpcNodes: { BASE_MAINNET: node.origin } };
    const { layers, categories } = await assess({ url: origin, layers: ['erc8004'], erc8004 });
    expect(layers.erc8004).toMatchObject({ entries: { agentId: 0, registrationName: 'Tide agent' } });
    expect(categories).toMatchObject({
      hasErc8004Registration: true,
      isErc8004SpecCompliant: true,
      hasOnChainReputation: true,
    });
  });
});
