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

/** A tool, or the endpoint, asks for payment. */
export interface PaymentSignal {
  /** By which way it asks. */
  code: Extract<Code, 'PRB-006' | 'PRB-007' | 'PRB-008' | 'PRB-009'>;
  /** As it came; null where it does not say what it costs. */
  paymentRequired: unknown;
  /** What else is wrong with the way in which it asks. */
  carriers?: Carriers;
}

/** A requirement that should stand in two places, and what stands in the second. */
export interface Carriers {
  first: string;
  second: string;
  /** What stands in the place whose requirement is not kept; undefined where the second holds nothing that could be read. */
  other: unknown;
}

/** JSON-RPC codes that mean payment whatever comes with them. With any other, it is the data that tells. */
const PAYMENT_CODES: ReadonlySet<unknown> = new Set([402, -32402]);

/** What stands in the snapshot in place of requirements that nobody could want. */
export const NOT_KEPT: readonly [deep: string, large: string] = [
  '[nested too deeply to be kept]',
  '[too large to be kept]',
];

/** Requirements are small; what is not would only fill the snapshot. */
const MAX_SIZE = 64 * 1024;
const MAX_DEPTH = 50;

/** Reads from an exchange whether payment was asked for, in the order in which the ways are to be trusted. */
export function paymentSignal(exchange: Exchange): PaymentSignal | undefined {
  const signal =
    signalInResult(resultOf(exchange)) ??
    signalInError(field(exchange.messages.at(-1), 'error')) ??
    signalInHttp(exchange.http);
  return signal && { ...signal, paymentRequired: bounded(signal.paymentRequired) };
}

/** The signal of an endpoint that answers HTTP 402 itself. */
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
  // Servers whose tools have an output schema cannot put it anywhere else.
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

/** As an object, as base64 of it, or inside `{ code, data }`. */
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

/** Enough of a PaymentRequired to be meant as one; what is missing is told by its check. */
function isRequirement(value: unknown): value is PlainObject {
  return isPlainObject(value) && (Object.hasOwn(value, 'x402Version') || Array.isArray(field(value, 'accepts')));
}

/** Nobody answers so but who wants to be paid, whether the result is marked as an error or not. */
function isFullRequirement(value: unknown): boolean {
  const accepts = field(value, 'accepts');
  return typeof field(value, 'x402Version') === 'number' && Array.isArray(accepts) && accepts.length > 0;
}

/** The texts of a result's content. */
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
