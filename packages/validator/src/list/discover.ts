import type { Session } from '../connect/session.ts';
import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, type PlainObject } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { PaymentSignal } from '../probe/payment-signal.ts';
import { type Listing, type ListKind, listAll } from './list-all.ts';

export interface ServerLists {
  tools: PlainObject[];
  resources: PlainObject[];
  resourceTemplates: PlainObject[];
  prompts: PlainObject[];
  /** How many pages the list of tools has. */
  toolPages: number;
  /** In milliseconds; null if not measured. */
  latency: { ping: number | null; listTools: number | null };
}

export type ListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

export interface Discovered {
  listed: ServerLists;
  findings: Finding[];
  /** Whether each list is complete. */
  complete: Partial<Record<ListName, boolean>>;
  /** Set if the list of tools requires payment. */
  signal: PaymentSignal | undefined;
}

interface Kind extends ListKind {
  key: ListName;
  /** The code for a failed or incomplete list. */
  failed: Code;
  /** The code for an invalid response. Default: `failed`. */
  malformed?: Code;
}

const kinds: readonly Kind[] = [
  { key: 'tools', method: 'tools/list', id: 'name', failed: 'CON-008', malformed: 'CON-009' },
  { key: 'resources', method: 'resources/list', id: 'uri', failed: 'CON-010' },
  { key: 'resourceTemplates', method: 'resources/templates/list', id: 'uriTemplate', failed: 'CON-010' },
  { key: 'prompts', method: 'prompts/list', id: 'name', failed: 'CON-011' },
];

const METHOD_NOT_FOUND = -32601;

/** Lists everything that the server has a capability for. */
export async function discover(session: Session, clock: Clock): Promise<Discovered> {
  const listed: ServerLists = { ...noLists(), latency: { ping: await pingMs(session, clock), listTools: null } };
  const found: Discovered = { listed, findings: [], complete: {}, signal: undefined };
  for (const kind of kinds) {
    found.complete[kind.key] = true;
    const [capability = ''] = kind.method.split('/', 1);
    if (field(session.capabilities, capability) === undefined) continue;
    // Tools matter most and may use half of the time, each other list a quarter of the rest.
    const part = clock.part(kind.key === 'tools' ? 1 / 2 : 1 / 4);
    const listing = await listAll(session, kind, part);
    part.release();
    found.complete[kind.key] = listing.isWhole && (listing.failure === undefined || isUnknownTemplates(listing, kind));
    if (kind.key === 'tools') found.signal = listing.signal;
    listed[kind.key] = listing.items;
    if (kind.key === 'tools') {
      listed.latency.listTools = listing.firstPageMs;
      listed.toolPages = listing.pages;
    }
    found.findings.push(...problemsOf(listing, kind));
  }
  return found;
}

/** The lists of a server without a session. */
export function noLists(): ServerLists {
  const latency = { ping: null, listTools: null };
  return { tools: [], resources: [], resourceTemplates: [], prompts: [], toolPages: 0, latency };
}

function problemsOf(listing: Listing, kind: Kind): Finding[] {
  const { key, method, failed, malformed = failed } = kind;
  const { evidence } = listing;
  const failure = isUnknownTemplates(listing, kind) ? undefined : listing.failure;
  return [
    ...(failure === undefined ? [] : [finding(failed, key, `${method}: ${failure}`, { evidence })]),
    ...(listing.malformed === undefined
      ? []
      : [finding(malformed, key, `${method}: ${listing.malformed}`, { evidence })]),
  ];
}

/** Many servers with resources do not implement templates. */
function isUnknownTemplates({ failure = '' }: Listing, { key: name }: Kind): boolean {
  return name === 'resourceTemplates' && failure.includes(String(METHOD_NOT_FOUND));
}

async function pingMs(session: Session, clock: Clock): Promise<number | null> {
  if (session.isStateless) return null;
  const { messages, ms } = await session.request('ping', {}, Math.min(2000, clock.remaining() / 4));
  return messages.length > 0 ? ms : null;
}
