import type { Session } from '../connect/session.ts';
import { field, isDeeperThan, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import type { Clock } from '../network/clock.ts';
import { explainAnswer, resultOf } from '../network/exchange.ts';
import { type PaymentSignal, paymentSignal } from '../probe/payment-signal.ts';

/** Everything of one kind that a server lists, as far as it could be read. */
export interface Listing {
  items: PlainObject[];
  /** Why there may be more. */
  failure: string | undefined;
  /** False if something of what was listed is not among the items. */
  isWhole: boolean;
  /** What was not of the protocol's form. */
  misformed: string | undefined;
  /** Of the first page, in milliseconds; null if there was none. */
  firstPageMs: number | null;
  /** The list itself is only for those who pay. */
  signal: PaymentSignal | undefined;
}

/** What is listed: the method, the field of the answer, and the field that names an item. */
export interface ListKind {
  method: string;
  key: string;
  id: string;
}

const MAX_PAGES = 200;
const MIN_PAGE_MS = 1000;

/** Lists page by page, up to 5,000 items. What came before a failure is kept. */
export async function listAll(session: Session, { method, key, id }: ListKind, clock: Clock): Promise<Listing> {
  const items = takeItems({ key, id });
  const seen = new Set<unknown>();
  let failure: string | undefined;
  let signal: PaymentSignal | undefined;
  let firstPageMs: number | null = null;
  let cursor: unknown;
  for (let page = 0; failure === undefined; page++) {
    if (page === MAX_PAGES) failure = `more than ${MAX_PAGES} pages`;
    else if (clock.remaining() === 0) failure = clock.why();
    if (failure !== undefined) break;
    // A list that hangs must leave time for what else there is to see.
    const timeout = Math.min(clock.remaining(), Math.max(MIN_PAGE_MS, clock.remaining() / 2));
    const exchange = await session.request(method, cursor === undefined ? {} : { cursor }, timeout);
    const result = resultOf(exchange);
    if (result === undefined) {
      const isCut = exchange.messages.length === 0 && clock.remaining() === 0;
      failure = isCut ? `no answer had come when ${clock.why()}` : explainAnswer(exchange);
      signal = paymentSignal(exchange);
      break;
    }
    if (page === 0) firstPageMs = exchange.ms;
    failure = items.take(field(result, key));
    cursor = field(result, 'nextCursor');
    if (cursor === undefined || cursor === null || cursor === '') break;
    if (typeof cursor !== 'string') {
      failure ??= '`nextCursor` is not a string, so that what follows cannot be asked for';
      break;
    }
    if (seen.has(cursor)) failure ??= 'a cursor came twice';
    seen.add(cursor);
  }
  return { items: items.kept, failure, isWhole: items.isWhole(), misformed: items.misformed(), firstPageMs, signal };
}

/** What a list was found to hold, page after page. */
interface Items {
  kept: PlainObject[];
  /** Takes the items of a page. Returns why no more are kept, if that is so. */
  take(page: unknown): string | undefined;
  /** False if items, or all of a page, had to be left out. */
  isWhole(): boolean;
  misformed(): string | undefined;
}

const MAX_ITEMS = 5000;
/** Characters of JSON. */
const MAX_SIZE = 16 * 1024 * 1024;
/** Deeper than any schema that people write, and less than what programs that walk through snapshots can bear. */
const MAX_DEPTH = 100;

/** Collects the items of a list: `key` is the field of a page that holds them, `id` the field that names one. */
function takeItems({ key, id }: { key: string; id: string }): Items {
  const kept: PlainObject[] = [];
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
      if (kept.length === MAX_ITEMS) return `only the first ${MAX_ITEMS} are kept`;
      const name = field(item, id);
      if (!isPlainObject(item) || typeof name !== 'string') nameless++;
      else if (isDeeperThan(item, MAX_DEPTH)) deep.push(name);
      else {
        room -= JSON.stringify(item).length;
        if (room < 0) return `only the first ${MAX_SIZE / 1024 / 1024} MiB are kept`;
        kept.push(item);
        seen.set(name, (seen.get(name) ?? 0) + 1);
        if (key === 'tools' && !isPlainObject(field(item, 'inputSchema'))) withoutSchema.push(name);
      }
    }
    return undefined;
  }

  function misformed(): string | undefined {
    const twice = [...seen].filter(([, times]) => times > 1).map(([name]) => name);
    const problems = [
      listless && `\`${key}\` is not an array`,
      nameless > 0 && `${nameless} without a \`${id}\` left out`,
      deep.length > 0 && `nested deeper than ${MAX_DEPTH} levels and left out: ${nameList(deep, { max: 5 })}`,
      twice.length > 0 &&
        `listed more than once, so that nobody can tell which is meant: ${nameList(twice, { max: 5 })}`,
      withoutSchema.length > 0 && `no object as \`inputSchema\`: ${nameList(withoutSchema, { max: 5 })}`,
    ].filter((problem) => problem !== false);
    return problems.length === 0 ? undefined : problems.join('; ');
  }

  const isWhole = (): boolean => !listless && nameless === 0 && deep.length === 0;

  return { kept, take, isWhole, misformed };
}
