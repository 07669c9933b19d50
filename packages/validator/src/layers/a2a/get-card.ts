import { type HttpAnswer, HttpError } from '@schemakit/http';
import { type Evidence, httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { isPlainObject, type PlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';
import { type Erc8004Link, erc8004Link } from './erc8004-link.ts';

/** The agent card at the origin of the URL, as it was sent. */
export interface AgentCard {
  document: PlainObject | undefined;
  /** The answer that has the card; without a card, the last answer. Undefined without any answer. */
  answer: HttpAnswer | undefined;
  /** Why there is no card, or that its path is an old one. */
  fault: Finding | undefined;
  /** Whether there may be a card all the same. */
  isUncertain: boolean;
  /** What the card says about its ERC-8004 registration. */
  erc8004: Erc8004Link | undefined;
}

/** Of A2A 1.0 and 0.3, and of earlier versions. */
const PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const;

/** Payment protocols; servers confirm those that they activate. */
const WANTED = [
  'https://github.com/google-agentic-commerce/ap2/tree/v0.1',
  'https://github.com/google-agentic-commerce/ap2/v1',
  'https://github.com/google-a2a/a2a-x402/v0.1',
].join(', ');

/** The version chooses the dialect where a server has several. */
const HEADERS = { 'a2a-version': '1.0', 'a2a-extensions': WANTED, 'x-a2a-extensions': WANTED };

/** Names of response headers that tell about extensions. */
export const EXTENSION_HEADERS: readonly string[] = ['a2a-extensions', 'x-a2a-extensions'];

/** Gets the agent card. The user's headers are sent only to its origin. Never rejects. */
export async function getCard(
  url: URL,
  { headers: own, network, clock }: { headers: Record<string, string>; network: Network; clock: Clock },
): Promise<AgentCard> {
  const card: AgentCard = {
    document: undefined,
    answer: undefined,
    fault: undefined,
    isUncertain: false,
    erc8004: undefined,
  };
  for (const path of PATHS) {
    const place = new URL(path, url.origin);
    try {
      const answer = await network.get(place, clock.remaining() / 2, { ...HEADERS, ...own });
      card.answer = answer;
      const document = answer.status === 200 ? parseJson(answer.text()) : undefined;
      if (isPlainObject(document)) {
        const fault = path === PATHS[1] ? legacyPath(answer) : undefined;
        return { document, answer, fault, isUncertain: false, erc8004: erc8004Link(document) };
      }
      remember(card, faultOf(answer));
    } catch (error) {
      const fault = failureOf(error, place);
      remember(card, { fault, isUncertain: true });
      // Without a connection, the other path is out of reach as well.
      if (fault.code === 'CON-110') break;
    }
  }
  return card;
}

/** Keeps the first fault, and the first that leaves room for a card before all others. */
function remember(card: AgentCard, { fault, isUncertain }: Pick<AgentCard, 'fault' | 'isUncertain'>): void {
  if (card.fault !== undefined && (card.isUncertain || !isUncertain)) return;
  card.fault = fault;
  card.isUncertain = isUncertain;
}

/** Credentials, payment, patience or a repair may change these answers. */
const MAY_CHANGE: ReadonlySet<number> = new Set([401, 402, 403, 408, 425, 429]);

function faultOf(answer: HttpAnswer): Pick<AgentCard, 'fault' | 'isUncertain'> {
  const { status } = answer;
  const evidence = answerEvidence(answer);
  if (status === 200) {
    // Many sites answer every URL with a page.
    const isJson = /json/i.test(answer.headers['content-type'] ?? '');
    const fault = finding('CON-113', 'card', 'The answer is not a JSON object', { evidence });
    return { fault, isUncertain: isJson };
  }
  const isUncertain = status >= 500 || MAY_CHANGE.has(status);
  const code = status === 404 ? 'CON-111' : 'CON-112';
  return { fault: finding(code, 'card', `The answer is HTTP ${status}`, { evidence }), isUncertain };
}

const LATE: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ABORTED']);
const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'PROTOCOL_BLOCKED', 'ORIGIN_BLOCKED', 'INVALID_URL']);
const BAD_ANSWER: ReadonlySet<string> = new Set(['TOO_LARGE', 'BAD_RESPONSE', 'TOO_MANY_REDIRECTS']);

/** Whether the network policy refused a request. */
export function isBlocked(error: unknown): boolean {
  return error instanceof HttpError && BLOCKED.has(error.code);
}

export function isLate(error: unknown): boolean {
  return error instanceof HttpError && LATE.has(error.code);
}

function failureOf(error: unknown, url: URL): Finding {
  const evidence = { request: `GET ${url.href}` };
  const text = error instanceof Error ? error.message : 'No reason given';
  if (isLate(error)) return finding('CON-114', 'card', text, { evidence });
  if (isBlocked(error)) return finding('CON-116', 'card', text, { evidence });
  const isBad = error instanceof HttpError && BAD_ANSWER.has(error.code);
  return finding(isBad ? 'CON-113' : 'CON-110', 'card', text, { evidence });
}

function legacyPath(answer: HttpAnswer): Finding {
  const text = `Only ${PATHS[1]} has a card; clients of A2A 0.3 and later ask for ${PATHS[0]}`;
  return finding('CON-115', 'card', text, { evidence: answerEvidence(answer) });
}

/** The evidence of what is said about a card. */
export function answerEvidence(answer: HttpAnswer): Evidence {
  const { url, status, headers } = answer;
  return httpEvidence({ method: 'GET', url, status, headers, body: answer.text() }, { names: EXTENSION_HEADERS });
}
