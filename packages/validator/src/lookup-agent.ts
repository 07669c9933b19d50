import { type AssessmentFinding, assessmentFindings } from './assess/layer-result.ts';
import { asMessage, isClean } from './findings/finding.ts';
import { asPlainJson } from './findings/plain-object.ts';
import { checkLookup, type LookupOptions } from './input/lookup-options.ts';
import { type AgentRecord, lookUp, unreadAgent } from './layers/erc8004/look-up.ts';
import { startClock } from './network/clock.ts';
import { openNetwork } from './network/network.ts';

export type { LookupOptions };

/** The result of `lookupAgent`: plain JSON. */
export interface LookupResult extends AgentRecord {
  /** The agent was read from its chain, and no finding is an `ERROR`. */
  status: boolean;
  /** The findings as `CODE location: text`. */
  messages: string[];
  findings: AssessmentFinding[];
  timestamp: string;
}

/**
 * Looks up an agent in the ERC-8004 registries of a chain, within `timeout` milliseconds (default 15,000): its owner, registration,
 * endpoints, classification, reputation, validations, and whether its domains name it. Reads only. Needs the package `viem` and the
 * URL of a node. Never throws: what is wrong is in `findings`.
 *
 * @example
 * const { status, name, endpoints, reputation } = await lookupAgent({
 *   agentId: 22,
 *   chainId: 8453,
 *   rpcNodes: { BASE_MAINNET: 'https://base.example.com/v2/key' },
 * });
 */
export async function lookupAgent(options: LookupOptions): Promise<LookupResult> {
  const { findings, checked } = checkLookup(options);
  if (checked === undefined) return resultOf(unreadAgent, findings);
  const { target, erc8004, settings } = checked;
  const clock = startClock(settings);
  const network = openNetwork({ ...settings, endpoint: null }, clock);
  try {
    const read = await lookUp(target, {
      ...{ settings, erc8004, network, clock },
      severities: { unequipped: 'ERROR', absent: 'ERROR' },
    });
    return resultOf(read.agent, [...findings, ...read.findings]);
  } finally {
    clock.release();
    await network.close();
  }
}

function resultOf(agent: AgentRecord, found: Parameters<typeof assessmentFindings>[0]): LookupResult {
  const findings = assessmentFindings(found, 'erc8004');
  return asPlainJson({
    status: agent.isRegistered === true && isClean(findings),
    messages: findings.map(asMessage),
    findings,
    ...agent,
    timestamp: new Date().toISOString(),
  });
}
