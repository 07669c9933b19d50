import type { Layer, LayerContext, LayerOutcome } from '../../assess/layer.ts';
import { asMessage, type Finding, finding } from '../../findings/finding.ts';
import type { PlainObject } from '../../findings/plain-object.ts';
import { chainIdOf } from './chains.ts';
import { type DomainFile, proofOf, readDomainFile } from './domain-proof.ts';
import { type AgentRecord, lookUp, unreadAgent } from './look-up.ts';
import { type AgentTarget, readRegistrations } from './named-agents.ts';
import { nodesOf } from './nodes.ts';

/** The agent on a chain that stands behind the endpoint: the given one, or the one that the agent card or the domain names. */
export const erc8004Layer: Layer = {
  name: 'erc8004',
  async run({ settings, shared, network, clock, url }) {
    const [card, file] = await Promise.all([shared.card(), readDomainFile(url.origin, { network, clock })]);
    const { erc8004 } = settings;
    const isGiven = erc8004.agentId !== undefined || erc8004.chainId !== undefined;
    const linked = readRegistrations(card.erc8004?.registrations, 'card.registrations');
    const named = [...linked.registrations, ...file.registrations];
    const target = choose(named, erc8004);
    if (target === undefined && isGiven)
      return unread([finding('RPC-003', 'agentId', 'No such agent is named; pass `agentId` and `chainId`')]);
    // Some servers answer every path with some JSON, so a file without registrations says nothing.
    if (target === undefined && file.state !== 'found' && linked.findings.length === 0) {
      if (card.erc8004 !== undefined || file.isUncertain) return unread(file.findings);
      if (card.document === undefined && card.isUncertain) return unread([card.fault]);
      const skipped = 'No agent is given, and neither the agent card nor the domain names one.';
      return { detected: false, state: 'not-detected', skipped };
    }
    // In an assessment, missing equipment of the user is no fault of the endpoint.
    const severities = { unequipped: 'INFO', absent: 'WARNING' } as const;
    const read = target && (await lookUp(target, { settings, erc8004, network, clock, severities }));
    if (read?.agent.isRegistered === null) return unread(read.findings);
    const agent = read?.agent ?? unreadAgent;
    const proof = target && proofOf(file, target);
    const findings = [...linked.findings, ...(proof?.findings ?? file.findings), ...(read?.findings ?? [])];
    const reaches = agent.endpoints?.all.some(({ endpoint }) => URL.parse(endpoint)?.origin === url.origin) === true;
    if (agent.endpoints !== null && !reaches) {
      const text = `Agent ${agent.agentId} names no endpoint at ${url.origin}`;
      findings.push(finding('REG-034', 'registration.services', text));
    }
    // What one of the nodes denies is not told as true.
    const isAgreed = !findings.some(({ code }) => code === 'RPC-004');
    const isRegistered = agent.isRegistered === true && isAgreed;
    const isVerified = isRegistered && (proof?.verification.state === 'verified' || reaches);
    return {
      detected: true,
      categories: {
        hasWellKnownRegistration: file.state === 'found',
        hasErc8004Registration: isRegistered,
        isErc8004OnChainVerified: isVerified,
        isErc8004SpecCompliant: isAgreed && agent.classification?.isSpecCompliant === true,
        // Anybody may name an agent that has a good one.
        hasOnChainReputation: isAgreed && agent.reputation !== null && (reaches || isGiven),
      },
      entries: entriesOf(agent, { file, named, isVerified }),
      findings: distinctFindings(findings),
    };
  },
};

/** There may be an agent, but it was not read. */
function unread(findings: readonly Finding[]): LayerOutcome {
  const skipped = `No agent was read: ${findings.map(asMessage).join('; ')}`;
  return { detected: false, state: 'not-evaluated', skipped, findings };
}

function entriesOf(
  agent: AgentRecord,
  { file, named, isVerified }: { file: DomainFile; named: readonly AgentTarget[]; isVerified: boolean },
): PlainObject {
  const { classification, endpoints, reputation, validations, name, description } = agent;
  return {
    ...agent,
    registrationName: name,
    registrationDescription: description,
    isOnChainVerified: isVerified,
    isSpecCompliant: classification?.isSpecCompliant ?? null,
    x402Support: classification?.isX402 ?? null,
    isActive: classification?.isActive ?? null,
    services: endpoints?.all ?? [],
    namedAgents: named,
    wellKnown: { origin: file.origin, state: file.state },
    reputation: reputation && {
      ...reputation,
      validationCount: validations?.count ?? null,
      averageResponse: validations?.averageResponse ?? null,
    },
  };
}

/** The given agent; else the first one on a chain that there is a node for, else the first one. */
function choose(
  named: readonly AgentTarget[],
  { agentId, chainId, rpcNodes = {} }: LayerContext['settings']['erc8004'],
): AgentTarget | undefined {
  const chain = chainIdOf(chainId);
  if (agentId !== undefined && chain !== undefined) return { agentId, chainId: chain };
  const fitting = named.filter(
    (one) => (agentId === undefined || one.agentId === agentId) && (chain === undefined || one.chainId === chain),
  );
  return fitting.find((one) => nodesOf(one.chainId, rpcNodes).length > 0) ?? fitting[0];
}

/** The file of the domain is checked for the endpoint, and again for the services of the agent. */
function distinctFindings(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((found) => [`${found.code}:${found.location}:${found.text}`, found])).values()];
}
