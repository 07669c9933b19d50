import type { Code } from '../findings/codes.ts';
import {
  field,
  isDeeperThan,
  isPlainObject,
  type PlainObject,
  parseBase64Json,
  parseJson,
} from '../findings/plain-object.ts';
import { type Exchange, type HttpTrace, resultOf } from '../network/exchange.ts';

export interface PaymentSignal {
  /** The way in which payment is required. */
  code: Extract<Code, 'PRB-006' | 'PRB-007' | 'PRB-008' | 'PRB-009'>;
  /** Unchanged; null if missing. */
  paymentRequired: unknown;
  /** Set if its two copies should be compared. */
  carriers?: Carriers;
}

export interface Carriers {
  first: string;
  second: string;
  /** The second copy; undefined if missing or unreadable. */
  other: unknown;
}

/** JSON-RPC codes that always mean payment. With other codes, the data decides. */
const PAYMENT_CODES: ReadonlySet<unknown> = new Set([402, -32402]);

/** Replacements for oversized requirements. */
export const NOT_KEPT: readonly [deep: string, large: string] = [
  '[nested too deeply to be kept]',
  '[too large to be kept]',
];

/** Limits for requirements in a snapshot. */
const MAX_SIZE = 64 * 1024;
const MAX_DEPTH = 50;

/** Finds a payment requirement in an exchange, most reliable way first. */
export function paymentSignal(exchange: Exchange): PaymentSignal | undefined {
  const signal =
    signalInResult(resultOf(exchange)) ??
    signalInError(field(exchange.messages.at(-1), 'error')) ??
    signalInHttp(exchange.http);
  return signal && { ...signal, paymentRequired: bounded(signal.paymentRequired) };
}

/** The requirement of an HTTP 402. */
export function signalInHttp(traces: readonly HttpTrace[]): PaymentSignal | undefined {
  const trace = traces.find(({ status }) => status === 402);
  if (trace === undefined) return undefined;
  const header = trace.headers['payment-required'];
  const inHeader = parseBase64Json(header);
  const body = parseJson(trace.body);
  const inBody = [body, field(field(body, 'error'), 'data')].find(isRequirement);
  const signal = { code: 'PRB-008', paymentRequired: bounded(inHeader ?? inBody ?? null) } as const;
  if (header === undefined || (inHeader !== undefined && inBody === undefined)) return signal;
  const [first, second] = ['the body', 'the PAYMENT-REQUIRED header'];
  return { ...signal, carriers: { first, second, other: inHeader && bounded(inBody) } };
}

function signalInResult(result: unknown): PaymentSignal | undefined {
  const isError = field(result, 'isError') === true;
  const structured = field(result, 'structuredContent');
  const parsed = textsOf(result).map(parseJson);
  const inText = isError ? parsed.find(isRequirement) : undefined;
  if (isError && isRequirement(structured)) {
    const carriers = { first: '`structuredContent`', second: 'the text', other: inText && bounded(inText) };
    return { code: 'PRB-007', paymentRequired: structured, carriers };
  }
  // Tools with an output schema cannot use `structuredContent`.
  if (inText !== undefined) return { code: 'PRB-007', paymentRequired: inText };
  const own = [
    field(field(result, '_meta'), 'x402/error'),
    ...parsed.map((value) => field(value, 'x402/error')),
    ...[structured, ...parsed].map((value) => field(value, 'paymentRequired') ?? field(value, 'payment_required')),
    isFullRequirement(structured) ? structured : undefined,
  ].find((value) => value !== undefined && value !== null && typeof value !== 'boolean');
  if (own !== undefined) return { code: 'PRB-009', paymentRequired: unwrapped(own) };
  return field(structured, 'status') === 402
    ? { code: 'PRB-009', paymentRequired: isRequirement(structured) ? structured : null }
    : undefined;
}

/** Accepts an object, its base64, or `{ code, data }`. */
function unwrapped(value: unknown): unknown {
  if (typeof value === 'string') return parseBase64Json(value) ?? parseJson(value) ?? null;
  return isRequirement(value) ? value : (field(value, 'data') ?? value);
}

function signalInError(error: unknown): PaymentSignal | undefined {
  const code = field(error, 'code');
  const data = field(error, 'data');
  const requirement = [data, field(data, 'paymentRequired'), field(data, 'x402')].find(isRequirement);
  if (PAYMENT_CODES.has(code)) return { code: 'PRB-006', paymentRequired: requirement ?? data ?? null };
  return requirement === undefined ? undefined : { code: 'PRB-006', paymentRequired: requirement };
}

/** Recognizes a PaymentRequired, even an incomplete one. */
function isRequirement(value: unknown): value is PlainObject {
  return isPlainObject(value) && (Object.hasOwn(value, 'x402Version') || Array.isArray(field(value, 'accepts')));
}

/** Unmistakable even in a result without `isError`. */
function isFullRequirement(value: unknown): boolean {
  const accepts = field(value, 'accepts');
  return typeof field(value, 'x402Version') === 'number' && Array.isArray(accepts) && accepts.length > 0;
}

export function textsOf(result: unknown): string[] {
  const content = field(result, 'content');
  if (!Array.isArray(content)) return [];
  return content.slice(0, 5).flatMap((block) => {
    const text = field(block, 'text');
    return typeof text === 'string' && text.length <= MAX_SIZE ? [text] : [];
  });
}

function bounded(value: unknown): unknown {
  if (isDeeperThan(value, MAX_DEPTH)) return NOT_KEPT[0];
  return JSON.stringify(value).length > MAX_SIZE ? NOT_KEPT[1] : value;
}
