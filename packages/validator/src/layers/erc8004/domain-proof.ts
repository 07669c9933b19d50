import { HttpError } from '@schemakit/http';
import { type Evidence, httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { isBrokenJson, isPlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';
import { mayChange } from '../a2a/get-card.ts';
import { type AgentTarget, isSameAgent, readRegistrations } from './named-agents.ts';
import type { AgentEndpoints } from './registration.ts';

/** What the well-known file of a domain says. */
export interface DomainFile {
  origin: string;
  state: 'found' | 'missing' | 'broken';
  /** Whether there may be a file all the same. */
  isUncertain: boolean;
  registrations: AgentTarget[];
  findings: Finding[];
  evidence: Evidence | undefined;
}

/** Whether a domain names the agent that names it. */
export interface DomainVerification {
  origin: string;
  /** `same-origin`: the URI of the agent is there, so the domain needs no proof. */
  state: 'verified' | 'same-origin' | 'not-named' | 'missing' | 'broken';
}

export interface Proof {
  verification: DomainVerification;
  findings: Finding[];
}

const PATH = '/.well-known/agent-registration.json';
const MAX_DOMAINS = 5;

/** Gets the file that says which agents a domain has. Never rejects. */
export async function readDomainFile(
  origin: string,
  { network, clock }: { network: Network; clock: Clock },
): Promise<DomainFile> {
  const { host } = new URL(origin);
  let evidence: Evidence | undefined;
  let isUncertain = true;
  const without = (state: 'missing' | 'broken', code: `REG-00${1 | 2 | 3}`, text: string): DomainFile => {
    return {
      origin,
      state,
      isUncertain,
      registrations: [],
      findings: [finding(code, host, text, { evidence })],
      evidence,
    };
  };
  try {
    const answer = await network.get(new URL(PATH, origin), clock.remaining() / 2);
    isUncertain = mayChange(answer.status);
    evidence = httpEvidence({ ...answer, method: 'GET', body: answer.text() });
    const isPage = /^text\/html\b/i.test(answer.headers['content-type'] ?? '');
    // Some sites answer every path with a page.
    if (answer.status !== 200 || isPage) return without('missing', 'REG-001', `${PATH} answers HTTP ${answer.status}`);
    const document = parseJson(answer.text());
    isUncertain = isBrokenJson(answer.text());
    if (!isPlainObject(document)) return without('broken', 'REG-002', 'The file is not a JSON object');
    if (!Array.isArray(document.registrations))
      return without('broken', 'REG-003', 'The file has no array `registrations`');
    return {
      origin,
      state: 'found',
      isUncertain,
      evidence,
      ...readRegistrations(document.registrations, `${host}.registrations`),
    };
  } catch (error) {
    const reason = error instanceof HttpError ? error.message : 'does not answer';
    return without('missing', 'REG-001', `${PATH} ${reason}`);
  }
}

/** Checks whether the domains of an agent's services name the agent. */
export async function proveDomains({
  endpoints,
  agentUri,
  target,
  ...access
}: {
  endpoints: AgentEndpoints;
  agentUri: string;
  target: AgentTarget;
  network: Network;
  clock: Clock;
}): Promise<Proof[]> {
  const urls = endpoints.all.flatMap(({ endpoint }) => URL.parse(endpoint) ?? []);
  const origins = new Set(urls.filter(({ protocol }) => /^https?:$/.test(protocol)).map(({ origin }) => origin));
  const own = URL.parse(agentUri)?.origin;
  const proofs = [...origins].slice(0, MAX_DOMAINS).map(async (origin): Promise<Proof> => {
    if (origin === own) return { verification: { origin, state: 'same-origin' }, findings: [] };
    return proofOf(await readDomainFile(origin, access), target);
  });
  return await Promise.all(proofs);
}

export function proofOf({ origin, state, registrations, findings, evidence }: DomainFile, target: AgentTarget): Proof {
  if (state !== 'found') return { verification: { origin, state }, findings };
  if (registrations.some((one) => isSameAgent(one, target)))
    return { verification: { origin, state: 'verified' }, findings };
  const text = `${PATH} does not name agent ${target.agentId} of chain ${target.chainId}`;
  const unnamed = finding('REG-004', new URL(origin).host, text, { evidence });
  return { verification: { origin, state: 'not-named' }, findings: [...findings, unnamed] };
}
