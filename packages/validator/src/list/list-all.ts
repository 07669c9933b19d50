import type { Session } from '../connect/session.ts';
import { field, type PlainObject } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import { resultOf } from '../network/exchange.ts';
import { type PaymentSignal, paymentSignal } from '../probe/payment-signal.ts';
import { explainAnswer } from './explain-answer.ts';
import { takeItems } from './take-items.ts';

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
