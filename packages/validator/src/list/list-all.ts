import type { Session } from '../connect/session.ts';
import { type Evidence, rpcEvidence } from '../findings/evidence.ts';
import { field, isDeeperThan, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import type { Clock } from '../network/clock.ts';
import { type Exchange, explainAnswer, resultOf } from '../network/exchange.ts';
import { type PaymentSignal, paymentSignal } from '../probe/payment-signal.ts';

export interface Listing {
  items: PlainObject[];
  /** Why the list may be incomplete. */
  failure: string | undefined;
  /** False if received items were dropped. */
  isWhole: boolean;
  /** What violates the protocol. */
  malformed: string | undefined;
  /** Received pages. */
  pages: number;
  /** Time for the first page, in milliseconds. */
  firstPageMs: number | null;
  /** The last response, if something is wrong. */
  evidence: Evidence | undefined;
  /** Set if the list requires payment. */
  signal: PaymentSignal | undefined;
}

/** A list: the method, the field of the response, and the field with an item's name. */
export interface ListKind {
  method: string;
  key: string;
  id: string;
}

const MAX_PAGES = 200;
const MIN_PAGE_MS = 1000;

/** Fetches up to 5,000 items, page by page. Keeps the items from before a failure. */
export async function listAll(session: Session, { method, key, id }: ListKind, clock: Clock): Promise<Listing> {
  const items = createItems({ key, id });
  const seen = new Set<unknown>();
  let failure: string | undefined;
  let signal: PaymentSignal | undefined;
  let last: Exchange | undefined;
  let firstPageMs: number | null = null;
  let cursor: unknown;
  let pages = 0;
  for (let page = 0; failure === undefined; page++) {
    if (page === MAX_PAGES) failure = `more than ${MAX_PAGES} pages`;
    else if (clock.remaining() === 0) failure = clock.why();
    if (failure !== undefined) break;
    // A hanging list must leave time for the others.
    const timeout = Math.min(clock.remaining(), Math.max(MIN_PAGE_MS, clock.remaining() / 2));
    const exchange = await session.request(method, cursor === undefined ? {} : { cursor }, timeout);
    const result = resultOf(exchange);
    last = exchange;
    if (result === undefined) {
      const isCut = exchange.messages.length === 0 && clock.remaining() === 0;
      failure = isCut ? `no response when ${clock.why()}` : explainAnswer(exchange);
      signal = paymentSignal(exchange);
      break;
    }
    if (page === 0) firstPageMs = exchange.ms;
    pages++;
    failure = items.take(field(result, key));
    cursor = field(result, 'nextCursor');
    if (cursor === undefined || cursor === null || cursor === '') break;
    if (typeof cursor !== 'string') {
      failure ??= '`nextCursor` is not a string, so the next page cannot be requested';
      break;
    }
    if (seen.has(cursor)) failure ??= 'the server repeated a cursor';
    seen.add(cursor);
  }
  const malformed = items.malformed();
  const isWrong = failure !== undefined || malformed !== undefined;
  const evidence = isWrong && last !== undefined ? rpcEvidence(method, last) : undefined;
  return { items: items.list, failure, isWhole: items.isWhole(), malformed, pages, firstPageMs, evidence, signal };
}

interface Items {
  list: PlainObject[];
  /** Adds the items of a page. Returns the limit that was reached. */
  take(page: unknown): string | undefined;
  /** False if items or pages were dropped. */
  isWhole(): boolean;
  malformed(): string | undefined;
}

const MAX_ITEMS = 5000;
/** Characters of JSON. */
const MAX_SIZE = 16 * 1024 * 1024;
/** Deeper than real schemas, and safe for recursion. */
const MAX_DEPTH = 100;

function createItems({ key, id }: { key: string; id: string }): Items {
  const list: PlainObject[] = [];
  const seen = new Map<string, number>();
  const deep: string[] = [];
  const withoutSchema: string[] = [];
  let listless = false;
  let nameless = 0;
  let room = MAX_SIZE;

  function take(page: unknown): string | undefined {
    if (!Array.isArray(page)) {
      listless = true;
      return undefined;
    }
    for (const item of page) {
      if (list.length === MAX_ITEMS) return `only the first ${MAX_ITEMS} are kept`;
      const name = field(item, id);
      if (!isPlainObject(item) || typeof name !== 'string') nameless++;
      else if (isDeeperThan(item, MAX_DEPTH)) deep.push(name);
      else {
        room -= JSON.stringify(item).length;
        if (room < 0) return `only the first ${MAX_SIZE / 1024 / 1024} MiB are kept`;
        list.push(item);
        seen.set(name, (seen.get(name) ?? 0) + 1);
        if (key === 'tools' && !isPlainObject(field(item, 'inputSchema'))) withoutSchema.push(name);
      }
    }
    return undefined;
  }

  function malformed(): string | undefined {
    const twice = [...seen].filter(([, times]) => times > 1).map(([name]) => name);
    const problems = [
      listless && `\`${key}\` is not an array`,
      nameless > 0 && `${nameless} without a \`${id}\` dropped`,
      deep.length > 0 && `nested deeper than ${MAX_DEPTH} levels and dropped: ${nameList(deep, { max: 5 })}`,
      twice.length > 0 && `duplicate names: ${nameList(twice, { max: 5 })}`,
      withoutSchema.length > 0 && `no object as \`inputSchema\`: ${nameList(withoutSchema, { max: 5 })}`,
    ].filter((problem) => problem !== false);
    return problems.length === 0 ? undefined : problems.join('; ');
  }

  const isWhole = (): boolean => !listless && nameless === 0 && deep.length === 0;

  return { list, take, isWhole, malformed };
}
