import { type HttpAnswer, HttpError } from '@schemakit/http';
import { type Evidence, httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { isBrokenJson, isPlainObject, type PlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';
import { type Erc8004Link, erc8004Link } from './erc8004-link.ts';
import { hasCardFields } from './normal-card.ts';

interface FoundCard {
  /** As it was sent. */
  document: PlainObject;
  answer: HttpAnswer;
  /** Its path is an old one. */
  fault: Finding | undefined;
  /** What the card says about its ERC-8004 registration. */
  erc8004: Erc8004Link | undefined;
}

interface NoCard {
  document?: undefined;
  erc8004?: undefined;
  /** Why there is no card. */
  fault: Finding;
  /** Whether there may be a card all the same. */
  isUncertain: boolean;
}

/** The agent card at the origin of the URL. */
export type AgentCard = FoundCard | NoCard;

/** Of A2A 1.0 and 0.3, and of earlier versions. */
const PATH = '/.well-known/agent-card.json';
const OLD_PATH = '/.well-known/agent.json';

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

export interface CardAccess {
  /** The user's; sent only to the origin of the card. */
  headers: Record<string, string>;
  network: Network;
  clock: Clock;
}

/** Gets the agent card. Never rejects. */
export async function getCard(url: URL, access: CardAccess): Promise<AgentCard> {
  const card = await cardAt(new URL(PATH, url.origin), access);
  // Without a connection, the other path is out of reach as well.
  if (card.document !== undefined || card.fault.code === 'CON-110') return card;
  const old = await cardAt(new URL(OLD_PATH, url.origin), access);
  if (old.document === undefined) return !card.isUncertain && old.isUncertain ? old : card;
  const text = `Only ${OLD_PATH} has a card; clients of A2A 0.3 and later ask for ${PATH}`;
  return { ...old, fault: finding('CON-115', 'card', text, { evidence: answerEvidence(old.answer) }) };
}

async function cardAt(place: URL, { headers, network, clock }: CardAccess): Promise<AgentCard> {
  try {
    const answer = await network.get(place, clock.remaining() / 2, { ...HEADERS, ...headers });
    const document = answer.status === 200 ? parseJson(answer.text()) : undefined;
    const erc8004 = isPlainObject(document) ? erc8004Link(document) : undefined;
    if (!isPlainObject(document) || !(hasCardFields(document) || erc8004)) return otherAnswer(answer);
    return { document, answer, fault: undefined, erc8004 };
  } catch (error) {
    return { fault: failureOf(error, place), isUncertain: true };
  }
}

/** Credentials, payment, patience or a repair may change answers with this status. */
export function mayChange(status: number): boolean {
  return status >= 500 || [401, 402, 403, 408, 425, 429].includes(status);
}

function otherAnswer(answer: HttpAnswer): NoCard {
  const { status } = answer;
  const evidence = answerEvidence(answer);
  if (status === 200) {
    // Many sites answer every URL with a page, or with some JSON.
    const text = 'The answer is not a JSON object with fields of an agent card';
    return { fault: finding('CON-113', 'card', text, { evidence }), isUncertain: isBrokenJson(answer.text()) };
  }
  const code = status === 404 ? 'CON-111' : 'CON-112';
  const fault = finding(code, 'card', `The answer is HTTP ${status}`, { evidence });
  return { fault, isUncertain: mayChange(status) };
}

const LATE: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ABORTED']);
const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'PROTOCOL_BLOCKED', 'ORIGIN_BLOCKED', 'INVALID_URL']);
const BAD_ANSWER: ReadonlySet<string> = new Set(['TOO_LARGE', 'BAD_RESPONSE', 'TOO_MANY_REDIRECTS']);

/** Why a request has no answer: it came too late, the network policy refused it, it was no good, or there was none. */
export function failureKind(error: unknown): 'late' | 'blocked' | 'bad' | 'none' {
  const code = error instanceof HttpError ? error.code : '';
  if (LATE.has(code)) return 'late';
  if (BLOCKED.has(code)) return 'blocked';
  return BAD_ANSWER.has(code) ? 'bad' : 'none';
}

const CODES = { late: 'CON-114', blocked: 'CON-116', bad: 'CON-113', none: 'CON-110' } as const;

function failureOf(error: unknown, url: URL): Finding {
  const text = error instanceof Error ? error.message : 'No reason given';
  return finding(CODES[failureKind(error)], 'card', text, { evidence: { request: `GET ${url.href}` } });
}

/** The evidence of what is said about a card. */
export function answerEvidence(answer: HttpAnswer): Evidence {
  return httpEvidence({ ...answer, method: 'GET', body: answer.text() }, { names: EXTENSION_HEADERS });
}
