import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { nodeFault, type RpcNode } from './nodes.ts';
import { type OnChainAgent, type ReadAgentOptions, type Reading, readAgent } from './read-agent.ts';

/** Nodes may use this share of the time that is left; hanging ones are replaced after half of it. */
const SHARE = 0.75;

/** Reads the agent from two nodes if there are two. A node that fails is replaced by the next. */
export async function readFromNodes(
  nodes: readonly RpcNode[],
  { clock, ...options }: ReadAgentOptions,
): Promise<{ reading: Reading | undefined; findings: Finding[] }> {
  const limit = clock.part(SHARE);
  const queue = [...nodes];
  const readings: Reading[] = [];
  const failures: { node: RpcNode; reason: string }[] = [];
  const readOne = async (node: RpcNode, block?: bigint): Promise<Reading | undefined> => {
    const own = limit.part(0.5);
    try {
      return await readAgent(node, { ...options, clock: own }, block);
    } catch (error) {
      failures.push({ node, reason: nodeFault(error, options.viem) });
      return undefined;
    } finally {
      own.release();
    }
  };
  const worker = async (): Promise<void> => {
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      const reading = await readOne(node);
      if (reading === undefined) continue;
      readings.push(reading);
      return;
    }
  };
  await Promise.all([worker(), worker()]);
  // The same result, whichever node answers first.
  readings.sort((one, other) => nodes.indexOf(one.node) - nodes.indexOf(other.node));
  let differences = differencesOf(readings);
  const [first, second] = readings;
  if (differences.length > 0 && first !== undefined && second !== undefined && first.block !== second.block) {
    // One node may be a few blocks behind: compare what both say about the same block.
    const block = first.block < second.block ? first.block : second.block;
    const again = await Promise.all([readOne(first.node, block), readOne(second.node, block)]);
    const both = again.filter((one) => one !== undefined);
    if (both.length === 2) differences = differencesOf(both);
  }
  limit.release();
  const failed = failures.map(({ node, reason }) =>
    finding(
      first === undefined ? 'RPC-002' : 'RPC-005',
      `rpcNodes.${nodes.indexOf(node) + 1}`,
      `${node.name}: ${reason}`,
      {
        evidence: partEvidence(`JSON-RPC to ${node.name}`, reason),
      },
    ),
  );
  const disagreement = differences.map(({ name, values }) =>
    finding(
      'RPC-004',
      `rpcNodes.${name}`,
      `${readings.map(({ node }) => node.name).join(' and ')} disagree about \`${name}\``,
      {
        evidence: partEvidence(`JSON-RPC: ${name}`, values),
      },
    ),
  );
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

/** A reputation that one node could not read is no disagreement. */
function differs(one: OnChainAgent, other: OnChainAgent, name: (typeof FIELDS)[number]): boolean {
  if (name === 'reputation' && [one, other].some(({ reputation }) => typeof reputation === 'string')) return false;
  return JSON.stringify(one[name]) !== JSON.stringify(other[name]);
}
