import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpError } from '@schemakit/http';
import { field, type PlainObject } from '../findings/plain-object.ts';

export interface HttpTrace {
  method: string;
  url: string;
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Only for responses other than 2xx. */
  body: string | null;
}

/** The traffic of one step or request. The SDK's client hides what a validator needs, such as the headers of a 402 and malformed results. */
export interface Exchange {
  http: HttpTrace[];
  /** Failed HTTP requests. */
  failures: HttpError[];
  /** Raw JSON-RPC responses. */
  messages: PlainObject[];
  /** The error of the client. */
  error: unknown;
  ms: number;
  /** How large a response may be. */
  maxBytes: number;
}

/** A list of 5,000 tools has a few MiB. */
export const MAX_LIST_BYTES: number = 8 * 1024 * 1024;
/** Several of them are read at once. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

export const currentExchange: AsyncLocalStorage<Exchange> = new AsyncLocalStorage();

/** Records the traffic of `run`; never rejects. */
export async function recorded(
  run: () => Promise<unknown>,
  { maxBytes = MAX_ANSWER_BYTES }: { maxBytes?: number } = {},
): Promise<Exchange> {
  const exchange: Exchange = { http: [], failures: [], messages: [], error: undefined, ms: 0, maxBytes };
  const begin = performance.now();
  try {
    await currentExchange.run(exchange, run);
  } catch (error) {
    exchange.error = error ?? new Error('no reason given');
  }
  exchange.ms = Math.round(performance.now() - begin);
  return exchange;
}

/** The raw result of a request, even if the client rejected it. */
export function resultOf({ messages }: Exchange): unknown {
  return field(messages.at(-1), 'result');
}

/** Explains briefly why a request has no result. */
export function explainAnswer({ http, failures, messages, error }: Exchange): string {
  const rpcError = field(messages.at(-1), 'error');
  if (rpcError !== undefined)
    return `JSON-RPC error ${short(field(rpcError, 'code'))}: ${short(field(rpcError, 'message'))}`;
  const failure = failures.at(-1);
  if (failure !== undefined) return failure.message;
  const refusal = http.findLast(({ status }) => status >= 300);
  if (refusal !== undefined) return `HTTP ${refusal.status}`;
  const text = error instanceof Error ? error.message : error;
  // Replaces a dump of schema errors.
  return typeof text === 'string' && /^\s*\[/.test(text) ? 'the response is not valid MCP' : short(text);
}

/** The value may be anything. */
function short(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : 'no reason given';
}
