import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';
import type { Registries } from './chains.ts';
import { isRevert, isWithoutContract, NodeFault, nodeClient, nodeFault, type RpcNode, type Viem } from './nodes.ts';

export interface Feedback {
  client: string;
  index: number;
  value: string;
  valueDecimals: number;
  /** The value as a number. */
  decimal: number;
  tag1: string;
  tag2: string;
  isRevoked: boolean;
}

export interface TagSummary {
  tag: string;
  count: number;
  averageDecimal: number;
}

export interface Reputation {
  clients: number;
  /** Without revoked feedback, as are the averages. */
  feedbackCount: number;
  averageValue: string;
  valueDecimals: number;
  averageDecimal: number;
  /** Null without the feedback itself. */
  revokedCount: number | null;
  /** The most frequent tags first; at most 50. */
  byTag: TagSummary[];
  /** At most 100, revoked ones included. */
  feedback: Feedback[];
  /** False if the agent has more clients, or more feedback, than could be read. */
  isComplete: boolean;
}

export interface Validations {
  count: number;
  averageResponse: number;
  /** At most 20. */
  items: { requestHash: string; validator: string; response: number; tag: string; lastUpdate: string | null }[];
}

/** What the chain says about an agent. */
export interface OnChainAgent {
  owner: string;
  agentUri: string | null;
  agentWallet: string | null;
  registryVersion: string | null;
  /** Null if the agent has no feedback. */
  reputation: Reputation | null;
  /** Null if the chain has no validation registry. */
  validations: Validations | null;
  /** What else is null because it could not be read, and why. */
  unread: Readonly<Record<string, string>>;
}

/** What one node says. */
export interface Reading {
  node: RpcNode;
  block: bigint;
  /** Null if the agent is not in the registry. */
  agent: OnChainAgent | null;
}

export interface ReadAgentOptions {
  viem: Viem;
  registries: Registries;
  agentId: number;
  chainId: number;
  network: Network;
  clock: Clock;
}

const MAX_CLIENTS = 200;
const MAX_FEEDBACK = 100;
const MAX_TAGS = 50;
const MAX_VALIDATIONS = 20;

/** Reads an agent from a node, at the latest block or at a given one. */
export async function readAgent(node: RpcNode, options: ReadAgentOptions, blockNumber?: bigint): Promise<Reading> {
  const { viem, registries, agentId, chainId } = options;
  const client = nodeClient(node, options);
  const [actual, block] = await Promise.all([client.getChainId(), blockNumber ?? client.getBlockNumber()]);
  if (actual !== chainId) throw new NodeFault(`is a node of chain ${actual}, not ${chainId}`);
  const at = blockNumber === undefined ? {} : { blockNumber };
  const id = BigInt(agentId);
  const { parseAbi, getContract } = viem;
  const { read: identity } = getContract({ address: registries.identity, abi: parseAbi(IDENTITY), client });
  const { read: ratings } = getContract({ address: registries.reputation, abi: parseAbi(REPUTATION), client });
  const { read: validation } = getContract({ address: registries.validation, abi: parseAbi(VALIDATION), client });
  const unread: Record<string, string> = {};
  const isAbsent = (error: unknown): boolean => isRevert(error, viem) || isWithoutContract(error, viem);
  /** A node may refuse single calls, for its limits; what the others say is kept. */
  const orNull = async <T>(name: string, answer: Promise<T>, isExpected = isAbsent): Promise<T | null> =>
    answer.catch((error: unknown) => {
      if (!isExpected(error)) unread[name] = nodeFault(error, viem);
      return null;
    });

  const readReputation = async (): Promise<Reputation | null> => {
    const clients = await ratings.getClients([id], at);
    if (clients.length === 0) return null;
    const asked = clients.slice(0, MAX_CLIENTS);
    const [[count, value, valueDecimals], feedback] = await Promise.all([
      ratings.getSummary([id, asked, '', ''], at),
      // Anybody may give feedback, so its size must not hide the rest.
      orNull('reputation.feedback', ratings.readAllFeedback([id, asked, '', '', true], at), () => false),
    ]);
    const [givers, indexes, values, decimals, tag1s, tag2s, revoked] = feedback ?? [[], [], [], [], [], [], []];
    const all = givers.map((client, i): Feedback => {
      const [amount, amountDecimals] = [values[i] ?? 0n, decimals[i] ?? 0];
      return {
        ...{ client, index: Number(indexes[i] ?? 0), tag1: tag1s[i] ?? '', tag2: tag2s[i] ?? '' },
        value: String(amount),
        valueDecimals: amountDecimals,
        decimal: Number(viem.formatUnits(amount, amountDecimals)),
        isRevoked: revoked[i] ?? false,
      };
    });
    return {
      clients: clients.length,
      feedbackCount: Number(count),
      averageValue: String(value),
      valueDecimals,
      averageDecimal: Number(viem.formatUnits(value, valueDecimals)),
      revokedCount: feedback && all.filter(({ isRevoked }) => isRevoked).length,
      byTag: summarizeTags(all),
      feedback: all.slice(0, MAX_FEEDBACK),
      isComplete: feedback !== null && clients.length === asked.length,
    };
  };

  const readValidations = async (): Promise<Validations> => {
    const [[count, averageResponse], hashes] = await Promise.all([
      validation.getSummary([id, [], ''], at),
      validation.getAgentValidations([id], at),
    ]);
    const items = hashes.slice(-MAX_VALIDATIONS).map(async (requestHash) => {
      const [validator, , response, , tag, lastUpdate] = await validation.getValidationStatus([requestHash], at);
      return { requestHash, validator, response, tag, lastUpdate: timeOf(lastUpdate) };
    });
    return { count: Number(count), averageResponse, items: await Promise.all(items) };
  };

  let owner: string;
  try {
    owner = await identity.ownerOf([id], at);
  } catch (error) {
    if (isRevert(error, viem)) return { node, block, agent: null };
    throw error;
  }
  const [agentUri, wallet, registryVersion, reputation, validations] = await Promise.all([
    orNull('agentUri', identity.tokenURI([id], at), () => false),
    orNull('agentWallet', identity.getAgentWallet([id], at)),
    orNull('registryVersion', identity.getVersion(at)),
    orNull('reputation', readReputation(), () => false),
    orNull('validations', readValidations()),
  ]);
  const agentWallet = wallet === viem.zeroAddress ? null : wallet;
  const agent = { owner, agentUri, agentWallet, registryVersion, reputation, validations, unread };
  return { node, block, agent };
}

const IDENTITY = [
  'function ownerOf(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function getVersion() view returns (string)',
] as const;

const REPUTATION = [
  'function getClients(uint256 agentId) view returns (address[])',
  'function getSummary(uint256 agentId, address[] clients, string tag1, string tag2) view returns (uint64 count, int128 value, uint8 decimals)',
  'function readAllFeedback(uint256 agentId, address[] clients, string tag1, string tag2, bool includeRevoked) view returns (address[], uint64[], int128[], uint8[], string[], string[], bool[])',
] as const;

const VALIDATION = [
  'function getSummary(uint256 agentId, address[] validators, string tag) view returns (uint64 count, uint8 average)',
  'function getAgentValidations(uint256 agentId) view returns (bytes32[])',
  'function getValidationStatus(bytes32 requestHash) view returns (address validator, uint256 agentId, uint8 response, bytes32 responseHash, string tag, uint256 lastUpdate)',
] as const;

/** Feedback with two tags counts for both. */
function summarizeTags(all: readonly Feedback[]): TagSummary[] {
  const valid = all.filter(({ isRevoked }) => !isRevoked);
  const tagged = valid.flatMap(({ tag1, tag2, decimal }) =>
    [...new Set([tag1, tag2])].map((tag) => ({ tag, decimal })),
  );
  const groups = Map.groupBy(
    tagged.filter(({ tag }) => tag !== ''),
    ({ tag }) => tag,
  );
  return [...groups]
    .map(([tag, items]) => ({
      tag,
      count: items.length,
      averageDecimal: items.reduce((sum, { decimal }) => sum + decimal, 0) / items.length,
    }))
    .sort((one, other) => other.count - one.count)
    .slice(0, MAX_TAGS);
}

/** Null for times that no calendar has. */
function timeOf(seconds: bigint): string | null {
  const date = new Date(Number(seconds) * 1000);
  return seconds === 0n || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
