import { describe, expect, test } from 'vitest';
import { CLIENT, OWNER, serveNode } from '../../packages/validator/fixtures/fake-node.ts';
import { listen } from '../../packages/validator/fixtures/loopback.ts';
import { dataUri, REGISTRY } from '../../packages/validator/fixtures/registrations.ts';
import { send } from '../../packages/validator/fixtures/scripted-server.ts';
import { hasTerminal, runAtTerminal, startCommand } from './support/command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const agents = {
  0: {
    uri: dataUri({ name: '\u001b[2JTide agent', services: [{ name: 'OASF', endpoint: 'x', skills: ['read/tides'] }] }),
    feedback: [
      { value: 9000n, decimals: 2, tag1: 'quality' },
      { value: 8000n, decimals: 2, tag1: 'quality', isRevoked: true },
    ],
    validations: [100],
  },
};

const PROOF = '/.well-known/agent-registration.json';

const lookUp = async (...args: string[]) => startCommand(['lookup', ...args], { cwd: await temporaryFolder({}) });

describe('schemakit lookup', () => {
  test('prints what the chain says about an agent, as JSON', async () => {
    const { origin } = await serveNode(agents);
    const { status, json } = await lookUp('BASE_MAINNET', '0', '--rpc', `8453=${origin}`);
    expect(json).toMatchObject({
      ...{ status: true, agentId: 0, chainId: 8453, owner: OWNER },
      reputation: { feedbackCount: 1, revokedCount: 1, feedback: [{ client: CLIENT }, {}] },
    });
    expect(status).toBe(0);
  });

  test.runIf(hasTerminal)('is readable at a terminal, and safe', async () => {
    const { origin } = await serveNode(agents);
    const { screen } = await runAtTerminal(['lookup', 'base', '0', '--rpc', `base=${origin}`], '', {
      cwd: await temporaryFolder({}),
    });
    for (const text of [
      'Agent       0 on BASE_MAINNET, block 100',
      'Tide agent',
      'read/tides',
      '90 on average, 1 rating of 1 client; 1 revoked',
      'quality 90 (1)',
    ])
      expect(screen).toContain(text);
    expect(screen).not.toContain('\u001b[2J');
  });

  test('two nodes that disagree fail it', async () => {
    const [one, other] = [await serveNode(agents), await serveNode({ 0: {} })];
    const rpc = ['--rpc', `BASE_MAINNET=${one.origin}`, '--rpc', `BASE_MAINNET=${other.origin}`];
    const { status, json } = await lookUp('8453', '0', ...rpc);
    expect(status).toBe(4);
    expect(json.error).toMatch(/^RPC-004 rpcNodes.agentUri: node 1 .* and node 2 .* disagree about `agentUri`$/);
  });

  test.each<[about: string, args: string[], exit: number, text: string]>([
    ['no agent', ['BASE_MAINNET'], 2, 'agentId'],
    ['an agent that is no number', ['BASE_MAINNET', 'x'], 2, 'The id of an agent is a whole number'],
    ['an unknown chain', ['moon', '0'], 2, 'ASM-018'],
    ['no node', ['BASE_MAINNET', '0'], 2, 'RPC-001'],
    ['a node without chain', ['BASE_MAINNET', '0', '--rpc', 'http://127.0.0.1:1'], 2, '--rpc takes a chain'],
    ['a node that is not there', ['BASE_MAINNET', '0', '--rpc', 'BASE_MAINNET=http://127.0.0.1:1'], 5, 'RPC-002'],
  ])('%s', async (_, args, exit, text) => {
    const { status, json } = await lookUp(...args);
    expect(status).toBe(exit);
    expect(json).toMatchObject({ status: false, error: expect.stringContaining(text), fix: expect.any(String) });
  });

  test('inspect --all reads the agent of an endpoint by the same nodes', async () => {
    const { origin } = await serveNode(agents);
    const proof = { registrations: [{ agentId: 0, agentRegistry: REGISTRY }] };
    const site = await listen(({ url }, response) =>
      url === PROOF ? send(response, 200, proof) : send(response, 404, {}),
    );
    const inspect = async (...args: string[]) =>
      startCommand(['inspect', site.origin, '--rpc', `base=${origin}`, ...args], { cwd: await temporaryFolder({}) });
    const { json } = await inspect('--all');
    expect(json).toMatchObject({ entries: { erc8004: { agentId: 0, owner: OWNER, isOnChainVerified: true } } });
    expect(await inspect()).toMatchObject({ status: 2, json: { error: '--rpc and --ipfs-gateway need --all.' } });
  });

  test('an agent that is not there', async () => {
    const { origin } = await serveNode({});
    const { status, json } = await lookUp('8453', '0', '--rpc', `8453=${origin}`);
    expect(status).toBe(3);
    expect(json).toMatchObject({ isRegistered: false, error: expect.stringContaining('RPC-003') });
  });
});
