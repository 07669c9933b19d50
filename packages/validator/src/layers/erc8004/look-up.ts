import { createScrubber, scrubJson } from '@schemakit/http';
import type { Severity } from '../../findings/code-table.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import type { PlainObject } from '../../findings/plain-object.ts';
import type { Erc8004Options } from '../../input/agent-options.ts';
import type { StartSettings } from '../../input/start-options.ts';
import type { Clock } from '../../network/clock.ts';
import { type Network, openNetwork } from '../../network/network.ts';
import { resolveUri, type UriType } from './agent-uri.ts';
import { readFromNodes } from './agree.ts';
import { aliasOf, registriesOf } from './chains.ts';
import { type DomainVerification, proveDomains } from './domain-proof.ts';
import type { AgentTarget } from './named-agents.ts';
import { loadViem, nodesOf, TOO_LARGE } from './nodes.ts';
import type { Reputation, Validations } from './read-agent.ts';
import { type AgentEndpoints, checkRegistration, type Registration } from './registration.ts';

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
  /** This and the following: null if the file could not be read. */
  isSpecCompliant: boolean | null;
  isX402: boolean | null;
  isMcp: boolean | null;
  isA2A: boolean | null;
  /** Null, too, if the file does not say. */
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

interface Found {
  agent: AgentRecord;
  findings: Finding[];
}

/** Reads an agent from its chain, and all that it leads to. Keys in the URLs of nodes are masked. */
export async function lookUp(target: AgentTarget, options: LookUpOptions): Promise<Found> {
  const { rpcNodes = {}, ipfsGateways = [] } = options.erc8004;
  return withoutKeys(await readAll(target, options), [...Object.values(rpcNodes).flat(), ...ipfsGateways]);
}

async function readAll(
  target: AgentTarget,
  { settings, erc8004, network, clock, severities }: LookUpOptions,
): Promise<Found> {
  const { agentId, chainId } = target;
  const { rpcNodes = {}, ipfsGateways = [] } = erc8004;
  const chainAlias = aliasOf(chainId);
  const chain = chainAlias ?? `eip155:${chainId}`;
  const registries = registriesOf(chainId);
  const agent: AgentRecord = { ...unreadAgent, agentId, chainId, chainAlias };
  const stop = (code: 'RPC-001' | 'RPC-006' | 'RPC-007', location: string, text: string): Found => {
    const severity = code === 'RPC-006' ? undefined : severities.unequipped;
    return { agent, findings: [finding(code, location, text, severity && { severity })] };
  };
  if (registries === undefined) return stop('RPC-006', 'chainId', `No ERC-8004 registry is known on chain ${chainId}`);
  agent.agentRegistry = `eip155:${chainId}:${registries.identity}`;
  const nodes = nodesOf(chainId, rpcNodes);
  if (nodes.length === 0) {
    const others = Object.keys(rpcNodes).slice(0, 5).join(', ');
    const text = `No node is given for chain ${chainId}: give one for \`${chain}\``;
    return stop('RPC-001', `rpcNodes.${chain}`, others === '' ? text : `${text}; nodes are given for ${others}`);
  }
  const viem = await loadViem();
  if (viem === undefined)
    return stop('RPC-007', 'viem', 'The package `viem` is not installed: run `npm install viem@2.57.1`');
  // Only this network may reach the user's private nodes: nothing that the chain names can.
  const given = [...nodes.map(({ url }) => url), ...ipfsGateways.map((text) => new URL(text))];
  const privateOrigins = settings.publicOnly ? [] : given.map(({ origin }) => origin);
  const own = openNetwork(
    { ...settings, endpoint: null, privateOrigins: [...settings.privateOrigins, ...privateOrigins] },
    clock,
  );
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
    const { unread, ...onChain } = reading.agent;
    Object.assign(agent, onChain);
    for (const [name, reason] of Object.entries(unread)) findings.push(unreadFinding(name, reason));
    if (onChain.reputation === null && unread.reputation === undefined)
      findings.push(finding('REP-001', 'reputation', 'The agent has no feedback yet'));

    const { agentUri } = onChain;
    if (agentUri === null) return { agent, findings };
    const { uriType, document, ...resolved } = await resolveUri(agentUri, {
      ...{ network, gatewayNetwork: own, clock, ipfsGateways },
    });
    findings.push(...resolved.findings);
    agent.uriType = uriType;
    agent.classification = classify(uriType);
    if (document === undefined) return { agent, findings };
    const { registration, findings: faults } = checkRegistration(document, target);
    findings.push(...faults);
    agent.classification = classify(uriType, registration);
    Object.assign(agent, { registration: document }, registration.facts);
    const { endpoints } = registration.facts;
    const proofs = await proveDomains({ endpoints, agentUri, target, network, clock });
    agent.domainVerification = proofs.map(({ verification }) => verification);
    return { agent, findings: [...findings, ...proofs.flatMap((proof) => proof.findings)] };
  } finally {
    await own.close();
  }
}

/** Large answers are the fault of what is on the chain. */
function unreadFinding(name: string, reason: string): Finding {
  if (name === 'agentUri' && reason === TOO_LARGE) return finding('URI-006', name, `The node ${reason}`);
  const severity = name === 'reputation.feedback' ? 'WARNING' : 'ERROR';
  return finding('RPC-010', name, `The node ${reason}`, { severity });
}

function classify(uriType: UriType, registration?: Registration): Classification {
  return {
    isEmpty: uriType === 'empty',
    isBase64: uriType === 'base64',
    isGzip: uriType === 'gzip',
    isJson: uriType === 'json',
    isHttp: uriType === 'http',
    isIpfs: uriType === 'ipfs',
    isUnknown: uriType === 'unknown',
    isParseable: registration !== undefined,
    isSpecCompliant: registration?.isSpecCompliant ?? null,
    isX402: registration?.isX402 ?? null,
    isMcp: registration === undefined ? null : registration.facts.endpoints.mcp !== null,
    isA2A: registration === undefined ? null : registration.facts.endpoints.a2a !== null,
    isActive: registration?.isActive ?? null,
    oasf: registration?.oasf ?? null,
  };
}

/** Parts of a path that are keys, not words such as `mainnet`. */
const KEY = /^(?=.*\d).{6,}$|^.{12,}$/;

/** Masks the keys in URLs of nodes, which a node may repeat. */
function withoutKeys(found: Found, urls: readonly string[]): Found {
  const keys = urls.flatMap((text) => {
    const { pathname, searchParams, username, password } = new URL(text);
    return [...pathname.split('/').filter((part) => KEY.test(part)), ...searchParams.values(), username, password];
  });
  return scrubJson(found, createScrubber(keys)) as Found;
}
