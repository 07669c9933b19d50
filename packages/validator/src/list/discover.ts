import type { Session } from '../connect/session.ts';
import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, type PlainObject } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { PaymentSignal } from '../probe/payment-signal.ts';
import { type Listing, type ListKind, listAll } from './list-all.ts';

/** What a server offers, as it says. */
export interface Offer {
  tools: PlainObject[];
  resources: PlainObject[];
  resourceTemplates: PlainObject[];
  prompts: PlainObject[];
  /** In milliseconds; null where it was not measured. */
  latency: { ping: number | null; listTools: number | null };
}

/** The lists of a server. */
export type ListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** What listing came to. */
export interface Discovered {
  offer: Offer;
  findings: Finding[];
  /** Whether each list was seen to its end. */
  complete: Partial<Record<ListName, boolean>>;
  /** The list of tools is only for those who pay. */
  signal: PaymentSignal | undefined;
}

interface Kind extends ListKind {
  key: ListName;
  /** The code of a list that failed or ended early. */
  failed: Code;
  /** The code of an answer in another form. Default: that of a failure. */
  misformed?: Code;
}

const kinds: readonly Kind[] = [
  { key: 'tools', method: 'tools/list', id: 'name', failed: 'CON-008', misformed: 'CON-009' },
  { key: 'resources', method: 'resources/list', id: 'uri', failed: 'CON-010' },
  { key: 'resourceTemplates', method: 'resources/templates/list', id: 'uriTemplate', failed: 'CON-010' },
  { key: 'prompts', method: 'prompts/list', id: 'name', failed: 'CON-011' },
];

const METHOD_NOT_FOUND = -32601;

/** Lists all that the server says it has. What it has no capability for is not asked for. */
export async function discover(session: Session, clock: Clock): Promise<Discovered> {
  const offer: Offer = { ...noOffer(), latency: { ping: await pingMs(session, clock), listTools: null } };
  const found: Discovered = { offer, findings: [], complete: {}, signal: undefined };
  for (const kind of kinds) {
    found.complete[kind.key] = true;
    const [capability = ''] = kind.method.split('/', 1);
    if (field(session.capabilities, capability) === undefined) continue;
    // Tools matter most; the other lists share half of what they leave.
    const part = clock.part(kind.key === 'tools' ? 1 / 2 : 1 / 4);
    const listing = await listAll(session, kind, part);
    part.release();
    found.complete[kind.key] = listing.isWhole && (listing.failure === undefined || isUnknownTemplates(listing, kind));
    if (kind.key === 'tools') found.signal = listing.signal;
    offer[kind.key] = listing.items;
    if (kind.key === 'tools') offer.latency.listTools = listing.firstPageMs;
    found.findings.push(...problemsOf(listing, kind));
  }
  return found;
}

/** What is known of a server that could not be asked. */
export function noOffer(): Offer {
  return { tools: [], resources: [], resourceTemplates: [], prompts: [], latency: { ping: null, listTools: null } };
}

function problemsOf(listing: Listing, kind: Kind): Finding[] {
  const { key, method, failed, misformed = failed } = kind;
  const failure = isUnknownTemplates(listing, kind) ? undefined : listing.failure;
  return [
    ...(failure === undefined ? [] : [finding(failed, key, `${method}: ${failure}`)]),
    ...(listing.misformed === undefined ? [] : [finding(misformed, key, `${method}: ${listing.misformed}`)]),
  ];
}

/** Templates are a later addition; many servers with resources know nothing of them. */
function isUnknownTemplates({ failure = '' }: Listing, { key: name }: Kind): boolean {
  return name === 'resourceTemplates' && failure.includes(String(METHOD_NOT_FOUND));
}

async function pingMs(session: Session, clock: Clock): Promise<number | null> {
  if (session.isStateless) return null;
  const { messages, ms } = await session.request('ping', {}, Math.min(2000, clock.remaining() / 4));
  return messages.length > 0 ? ms : null;
}
