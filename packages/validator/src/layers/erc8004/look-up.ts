import { createScrubber, scrubJson } from '@schemakit/http';
import type { Severity } from '../../findings/code-table.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import type { PlainObject } from '../../findings/plain-object.ts';
import type { Erc8004Options } from '../../input/agent-options.ts';
import type { StartSettings } from '../../input/start-options.ts';
import type { Clock } from '../../network/clock.ts';
import { type Network, openNetwork } from '../../network/network.ts';
import { type ResolvedUri, resolveUri, type UriType } from './agent-uri.ts';
import { readFromNodes } from './agree.ts';
import { aliasOf, registriesOf } from './chains.ts';
import { type DomainVerification, proveDomains } from './domain-proof.ts';
import { loadViem, nodesOf } from './nodes.ts';
import type { OnChainAgent, Reputation, Validations } from './read-agent.ts';
import { type AgentEndpoints, type AgentTarget, checkRegistration, type Registration } from './registration.ts';

/** What the kind of URI and the registration file say about an agent. */
export interface Classification {
  isEmpty: boolean;
  isBase64: boolean;
  isGzip: boolean;
  isJson: boolean;
  isHttp: boolean;
  isIpfs: boolean;
  isUnknown: boolean;
  /** The registration file could be read. */
  isParseable: boolean;
  isSpecCompliant: boolean;
  isX402: boolean;
  isMcp: boolean;
  isA2A: boolean;
  /** Null if the file does not say. */
  isActive: boolean | null;
  /** Skills and domains of the Open Agentic Schema Framework. */
  oasf: Registration['oasf'];
}

/** An agent of ERC-8004. What could not be read is null. */
export interface AgentRecord {
  agentId: number | null;
  chainId: number | null;
  /** Such as `BASE_MAINNET`. */
  chainAlias: string | null;
  /** Such as `eip155:8453:0x8004…`. */
  agentRegistry: string | null;
  registryVersion: string | null;
  /** Of the chain, when the agent was read. */
  blockNumber: number | null;
  /** Null without an answer of the chain. */
  isRegistered: boolean | null;
  owner: string | null;
  agentWallet: string | null;
  agentUri: string | null;
  uriType: UriType | null;
  /** The registration file as it is. */
  registration: PlainObject | null;
  name: string | null;
  description: string | null;
  image: string | null;
  supportedTrust: string[];
  endpoints: AgentEndpoints | null;
  classification: Classification | null;
  reputation: Reputation | null;
  validations: Validations | null;
  domainVerification: DomainVerification[];
}

export const unreadAgent: AgentRecord = {
  agentId: null,
  chainId: null,
  chainAlias: null,
  agentRegistry: null,
  registryVersion: null,
  blockNumber: null,
  isRegistered: null,
  owner: null,
  agentWallet: null,
  agentUri: null,
  uriType: null,
  registration: null,
  name: null,
  description: null,
  image: null,
  supportedTrust: [],
  endpoints: null,
  classification: null,
  reputation: null,
  validations: null,
  domainVerification: [],
};

export interface LookUpOptions {
  settings: Omit<StartSettings, 'endpoint'>;
  erc8004: Erc8004Options;
  network: Network;
  clock: Clock;
  /** Of findings that say that the user gave nothing to read the chain with, and that the agent is not there. */
  severities: { unequipped: Severity; absent: Severity };
}

/** Reads an agent from its chain, and all that it leads to. */
export async function lookUp(
  target: AgentTarget,
  options: LookUpOptions,
): Promise<{ agent: AgentRecord; findings: Finding[] }> {
  const { rpcNodes = {}, ipfsGateways = [] } = options.erc8004;
  const mask = keyMask([...Object.values(rpcNodes).flat(), ...ipfsGateways]);
  return mask(await readAll(target, options));
}

async function readAll(
  target: AgentTarget,
  { settings, erc8004, network, clock, severities }: LookUpOptions,
): Promise<{ agent: AgentRecord; findings: Finding[] }> {
  const { agentId, chainId } = target;
  const { rpcNodes = {}, ipfsGateways = [] } = erc8004;
  const chainAlias = aliasOf(chainId);
  const registries = registriesOf(chainId);
  const agent: AgentRecord = { ...unreadAgent, agentId, chainId, chainAlias };
  const chain = chainAlias ?? `eip155:${chainId}`;
  if (registries === undefined) {
    const text = `No ERC-8004 registry is known on chain ${chainId}`;
    return { agent, findings: [finding('RPC-006', 'chainId', text)] };
  }
  agent.agentRegistry = `eip155:${chainId}:${registries.identity}`;
  const nodes = nodesOf(chainId, rpcNodes);
  const severity = severities.unequipped;
  if (nodes.length === 0) {
    const others = Object.keys(rpcNodes);
    const given = others.length === 0 ? '' : `; nodes are given for ${others.slice(0, 5).join(', ')}`;
    const text = `No node is given for chain ${chainId}: pass \`rpcNodes: { '${chain}': '<url>' }\`${given}`;
    return { agent, findings: [finding('RPC-001', `rpcNodes.${chain}`, text, { severity })] };
  }
  const viem = await loadViem();
  if (viem === undefined) {
    const text = 'The package `viem` is not installed: run `npm install viem@2.57.1`';
    return { agent, findings: [finding('RPC-007', 'viem', text, { severity })] };
  }
  // Only this network may reach the user's private nodes: nothing that the chain names can.
  const given = [...nodes.map(({ url }) => url), ...ipfsGateways.map((text) => new URL(text))];
  const privateOrigins = settings.publicOnly ? [] : given.map(({ origin }) => origin);
  const given$ = { ...settings, endpoint: null, privateOrigins: [...settings.privateOrigins, ...privateOrigins] };
  const own = openNetwork(given$, clock);
  try {
    const { reading, findings } = await readFromNodes(nodes, {
      ...{ viem, registries, agentId, chainId },
      ...{ network: own, clock },
    });
    if (reading === undefined) return { agent, findings };
    agent.blockNumber = Number(reading.block);
    agent.isRegistered = reading.agent !== null;
    if (reading.agent === null) {
      const text = `Agent ${agentId} is not in the registry of ${chain}`;
      return { agent, findings: [...findings, finding('RPC-003', 'agentId', text, { severity: severities.absent })] };
    }
    addOnChain(agent, findings, reading.agent);
    const resolved = await resolveUri(reading.agent.agentUri, { network, gatewayNetwork: own, clock, ipfsGateways });
    findings.push(...resolved.findings);
    const registration = addRegistration(agent, findings, { resolved, target });
    if (registration !== undefined) {
      const { endpoints } = registration;
      const proof = await proveDomains({ endpoints, agentUri: reading.agent.agentUri, target, network, clock });
      agent.domainVerification = proof.domainVerification;
      findings.push(...proof.findings);
    }
    return { agent, findings };
  } finally {
    await own.close();
  }
}

function addOnChain(agent: AgentRecord, findings: Finding[], { reputation, ...read }: OnChainAgent): void {
  Object.assign(agent, read);
  if (typeof reputation === 'string') findings.push(finding('RPC-010', 'reputation', `The node ${reputation}`));
  else if (reputation === null) findings.push(finding('REP-001', 'reputation', 'The agent has no feedback yet'));
  else agent.reputation = reputation;
}

function addRegistration(
  agent: AgentRecord,
  findings: Finding[],
  { resolved: { uriType, document }, target }: { resolved: ResolvedUri; target: AgentTarget },
): Registration | undefined {
  const checked = document === undefined ? undefined : checkRegistration(document, target);
  const registration = checked?.registration;
  findings.push(...(checked?.findings ?? []));
  agent.uriType = uriType;
  agent.registration = document ?? null;
  agent.classification = {
    isEmpty: uriType === 'empty',
    isBase64: uriType === 'base64',
    isGzip: uriType === 'gzip',
    isJson: uriType === 'json',
    isHttp: uriType === 'http',
    isIpfs: uriType === 'ipfs',
    isUnknown: uriType === 'unknown',
    isParseable: document !== undefined,
    isSpecCompliant: registration?.isSpecCompliant ?? false,
    isX402: registration?.x402Support ?? false,
    isMcp: registration?.endpoints.mcp != null,
    isA2A: registration?.endpoints.a2a != null,
    isActive: registration?.isActive ?? null,
    oasf: registration?.oasf ?? null,
  };
  if (registration !== undefined) {
    const { name, description, image, supportedTrust, endpoints } = registration;
    Object.assign(agent, { name, description, image, supportedTrust, endpoints });
  }
  return registration;
}

/** Parts of a URL that are long enough to be a key. */
const MIN_KEY_LENGTH = 12;

/** Makes a function that masks the keys in URLs of nodes, which a node may repeat. */
function keyMask(urls: readonly string[]): <T>(result: T) => T {
  const keys = urls.flatMap((text) => {
    const { pathname, searchParams, username, password } = new URL(text);
    return [...pathname.split('/'), ...searchParams.values(), username, password];
  });
  const long = keys.filter((key) => key.length >= MIN_KEY_LENGTH);
  if (long.length === 0) return (result) => result;
  const scrubber = createScrubber(long);
  return <T>(result: T) => scrubJson(result as never, scrubber) as T;
}
