import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { nodeFault, type RpcNode } from './nodes.ts';
import { type OnChainAgent, type ReadAgentOptions, type Reading, readAgent } from './read-agent.ts';

/** Nodes may use this share of the time that is left; hanging ones of several are replaced after half of it. */
const SHARE = 0.75;

/** Reads the agent from two nodes if there are two. A node that fails is replaced by the next. */
export async function readFromNodes(
  nodes: readonly RpcNode[],
  { clock, ...options }: ReadAgentOptions,
): Promise<{ reading: Reading | undefined; findings: Finding[] }> {
  const limit = clock.part(SHARE);
  const share = nodes.length === 1 ? 1 : 0.5;
  const queue = [...nodes];
  const failures: { node: RpcNode; reason: string }[] = [];
  const readOne = async (node: RpcNode, block?: bigint): Promise<Reading | undefined> => {
    const own = limit.part(share);
    try {
      return await readAgent(node, { ...options, clock: own }, block);
    } catch (error) {
      failures.push({ node, reason: nodeFault(error, options.viem) });
      return undefined;
    } finally {
      own.release();
    }
  };
  const readNext = async (): Promise<Reading | undefined> => {
    const node = queue.shift();
    return node && ((await readOne(node)) ?? (await readNext()));
  };
  const readings = (await Promise.all([readNext(), readNext()])).filter((reading) => reading !== undefined);
  // The fullest reading; else the same result, whichever node answers first.
  const rankOf = ({ node, agent }: Reading): number =>
    Object.keys(agent?.unread ?? {}).length * nodes.length + nodes.indexOf(node);
  readings.sort((one, other) => rankOf(one) - rankOf(other));
  let differences = differencesOf(readings);
  const [first, second] = readings;
  if (differences.length > 0 && first !== undefined && second !== undefined && first.block !== second.block) {
    // One node may be a few blocks behind: compare what both say about the same block.
    const block = first.block < second.block ? first.block : second.block;
    const [one, other] = await Promise.all([readOne(first.node, block), readOne(second.node, block)]);
    if (one !== undefined && other !== undefined) differences = differencesOf([one, other]);
  }
  limit.release();
  const failureCode = first === undefined ? 'RPC-002' : 'RPC-005';
  const failed = failures.map(({ node, reason }) => {
    const { name } = node;
    const evidence = partEvidence(`JSON-RPC to ${name}`, reason);
    return finding(failureCode, `rpcNodes.${nodes.indexOf(node) + 1}`, `${name}: ${reason}`, { evidence });
  });
  const both = readings.map(({ node }) => node.name).join(' and ');
  const disagreement = differences.map(({ name, values }) => {
    const evidence = partEvidence(`JSON-RPC: ${name}`, values);
    return finding('RPC-004', `rpcNodes.${name}`, `${both} disagree about \`${name}\``, { evidence });
  });
  return { reading: first, findings: [...failed, ...disagreement] };
}

const FIELDS = ['owner', 'agentWallet', 'agentUri', 'registryVersion', 'reputation', 'validations'] as const;

function differencesOf([first, second]: readonly Reading[]): { name: string; values: unknown[] }[] {
  if (first === undefined || second === undefined) return [];
  const [one, other] = [first.agent, second.agent];
  if (one === null || other === null)
    return one === other ? [] : [{ name: 'existence', values: [one !== null, other !== null] }];
  return FIELDS.filter((name) => differs(one, other, name)).map((name) => ({ name, values: [one[name], other[name]] }));
}

/** What one node could not read is no disagreement. */
function differs(one: OnChainAgent, other: OnChainAgent, name: (typeof FIELDS)[number]): boolean {
  if (Object.keys({ ...one.unread, ...other.unread }).some((unread) => unread.startsWith(name))) return false;
  return JSON.stringify(one[name]) !== JSON.stringify(other[name]);
}
