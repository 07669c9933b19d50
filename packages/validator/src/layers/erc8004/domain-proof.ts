import { HttpError } from '@schemakit/http';
import { type Evidence, httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { isPlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';
import { type AgentEndpoints, type AgentTarget, isSameAgent, readRegistrations } from './registration.ts';

/** What the well-known file of a domain says. */
export interface DomainFile {
  origin: string;
  state: 'found' | 'missing' | 'broken';
  /** Why there is nothing to read, as the end of a sentence. */
  reason: string;
  registrations: AgentTarget[];
  /** Of the file itself. */
  findings: Finding[];
  evidence?: Evidence;
}

/** Whether a domain names the agent that names it. */
export interface DomainVerification {
  origin: string;
  /** `same-origin`: the URI of the agent is there, so the domain needs no proof. */
  state: 'verified' | 'same-origin' | 'not-named' | 'missing' | 'broken';
}

const PATH = '/.well-known/agent-registration.json';
const MAX_DOMAINS = 5;

/** Gets the file that says which agents a domain has. Never rejects. */
export async function readDomainFile(
  origin: string,
  { network, clock }: { network: Network; clock: Clock },
): Promise<DomainFile> {
  const none = { origin, registrations: [], findings: [] };
  try {
    const answer = await network.get(new URL(PATH, origin), clock.remaining() / 2);
    const evidence = httpEvidence({ ...answer, method: 'GET', body: answer.text() });
    const html = /^text\/html\b/i.test(answer.headers['content-type'] ?? '');
    // Some sites answer every path with a page.
    if (answer.status !== 200 || html)
      return { ...none, state: 'missing', reason: `answers HTTP ${answer.status}`, evidence };
    const document = parseJson(answer.text());
    const broken = (code: 'REG-002' | 'REG-003', text: string): DomainFile => {
      return {
        ...none,
        state: 'broken',
        reason: text,
        findings: [finding(code, originName(origin), text, { evidence })],
        evidence,
      };
    };
    if (!isPlainObject(document)) return broken('REG-002', 'The file is not a JSON object');
    if (!Array.isArray(document.registrations)) return broken('REG-003', 'The file has no array `registrations`');
    const { registrations, findings } = readRegistrations(
      document.registrations,
      `${originName(origin)}.registrations`,
    );
    return { origin, state: 'found', reason: '', registrations, findings, evidence };
  } catch (error) {
    const reason = error instanceof HttpError ? error.message : 'does not answer';
    return { ...none, state: 'missing', reason };
  }
}

/** The origin for locations, which have no colons. */
function originName(origin: string): string {
  return new URL(origin).host;
}

export interface ProveOptions {
  endpoints: AgentEndpoints;
  agentUri: string;
  target: AgentTarget;
  network: Network;
  clock: Clock;
}

/** Checks whether the domains of an agent's services name the agent. */
export async function proveDomains({ endpoints, agentUri, target, network, clock }: ProveOptions): Promise<{
  domainVerification: DomainVerification[];
  findings: Finding[];
}> {
  const origins = endpoints.all.flatMap(({ endpoint }) => {
    const url = URL.parse(endpoint);
    return url !== null && /^https?:$/.test(url.protocol) ? [url.origin] : [];
  });
  const own = URL.parse(agentUri)?.origin;
  const proofs = [...new Set(origins)].slice(0, MAX_DOMAINS).map(async (origin) => {
    if (origin === own) return { verification: { origin, state: 'same-origin' as const }, findings: [] };
    return proofOf(await readDomainFile(origin, { network, clock }), target);
  });
  const proved = await Promise.all(proofs);
  return {
    domainVerification: proved.map(({ verification }) => verification),
    findings: proved.flatMap(({ findings }) => findings),
  };
}

export function proofOf(
  { origin, state, reason, registrations, findings, evidence }: DomainFile,
  target: AgentTarget,
): { verification: DomainVerification; findings: Finding[] } {
  const find = (code: 'REG-001' | 'REG-004', text: string): Finding =>
    finding(code, originName(origin), text, { evidence });
  if (state === 'missing')
    return { verification: { origin, state }, findings: [...findings, find('REG-001', `${PATH} ${reason}`)] };
  if (state === 'broken') return { verification: { origin, state }, findings };
  if (registrations.some((one) => isSameAgent(one, target)))
    return { verification: { origin, state: 'verified' }, findings };
  const text = `${PATH} does not name agent ${target.agentId} of chain ${target.chainId}`;
  return { verification: { origin, state: 'not-named' }, findings: [...findings, find('REG-004', text)] };
}
