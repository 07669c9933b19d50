import type { Layer, LayerContext } from '../../assess/layer.ts';
import type { Finding } from '../../findings/finding.ts';
import { finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../../findings/plain-object.ts';
import { chainIdOf } from './chains.ts';
import { type DomainFile, proofOf, readDomainFile } from './domain-proof.ts';
import { type AgentRecord, lookUp, unreadAgent } from './look-up.ts';
import { nodesOf } from './nodes.ts';
import { type AgentTarget, isSameAgent, readRegistrations } from './registration.ts';

/** The agent on a chain that stands behind the endpoint: the given one, or the one that the agent card or the domain names. */
export const erc8004Layer: Layer = {
  name: 'erc8004',
  async run(context) {
    const { settings, shared, network, clock, url } = context;
    const domain = { network, clock };
    const [{ document: card }, file] = await Promise.all([shared.card(), readDomainFile(url.origin, domain)]);
    const linked = agentsOfCard(card);
    const { agentId, chainId } = settings.erc8004;
    const isGiven = agentId !== undefined || chainId !== undefined;
    if (file.state !== 'found' && file.state !== 'broken' && !linked.isLinked && !isGiven) {
      const skipped = 'No agent is given, and neither the agent card nor the domain names one.';
      return { detected: false, state: 'not-detected', skipped };
    }
    const named = [...linked.registrations, ...file.registrations];
    const target = choose(named, settings.erc8004);
    const read = target === undefined ? undefined : await lookUpHere(target, context);
    const findings = distinctFindings([
      ...linked.findings,
      ...(target === undefined ? file.findings : proofOf(file, target).findings),
      ...(read?.findings ?? []),
    ]);
    if (isGiven && target === undefined)
      findings.push(
        finding(
          'RPC-003',
          'agentId',
          'Neither the agent card nor the domain names such an agent; pass `agentId` and `chainId`',
        ),
      );
    const agent = read?.agent ?? unreadAgent;
    const isNamed = target !== undefined && file.registrations.some((one) => isSameAgent(one, target));
    const reaches = agent.endpoints?.all.some(({ endpoint }) => URL.parse(endpoint)?.origin === url.origin) === true;
    if (agent.endpoints !== null && !reaches)
      findings.push(
        finding('REG-034', 'registration.services', `Agent ${agent.agentId} names no endpoint at ${url.origin}`),
      );
    const isVerified =
      agent.isRegistered === true && (isNamed || reaches) && !findings.some(({ code }) => code === 'RPC-004');
    return {
      detected: true,
      categories: {
        hasWellKnownRegistration: file.state === 'found',
        hasErc8004Registration: agent.isRegistered === true,
        isErc8004OnChainVerified: isVerified,
        isErc8004SpecCompliant: agent.classification?.isSpecCompliant === true,
        hasOnChainReputation: agent.reputation !== null,
      },
      entries: entriesOf(agent, { file, named, isVerified }),
      findings,
    };
  },
};

/** In an assessment, missing equipment of the user is no fault of the endpoint. */
function lookUpHere(
  target: AgentTarget,
  { settings, network, clock }: LayerContext,
): Promise<{ agent: AgentRecord; findings: Finding[] }> {
  const severities = { unequipped: 'INFO', absent: 'WARNING' } as const;
  return lookUp(target, { settings, erc8004: settings.erc8004, network, clock, severities });
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

/** The agents that a card names: in `registrations`, or in the parameters of an extension for ERC-8004. */
function agentsOfCard(card: PlainObject | undefined): ReturnType<typeof readRegistrations> & { isLinked: boolean } {
  const extensions = [field(field(card, 'capabilities'), 'extensions'), field(card, 'extensions')].flat();
  const params = extensions
    .filter((one) => isPlainObject(one) && /erc-?8004|eip-?8004/i.test(String(field(one, 'uri'))))
    .map((one) => field(one, 'params'));
  const lists = [field(card, 'registrations'), ...params.map((one) => field(one, 'registrations') ?? one)];
  const items = lists
    .flat()
    .filter((one) => field(one, 'agentRegistry') !== undefined || field(one, 'agentId') !== undefined);
  const isLinked = params.length > 0 || items.length > 0;
  return { ...readRegistrations(items, 'card.registrations'), isLinked };
}

/** The file of the domain is checked for the endpoint, and again for the services of the agent. */
function distinctFindings(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((found) => [`${found.code}:${found.location}:${found.text}`, found])).values()];
}
