import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpError } from '@schemakit/http';
import { field, type PlainObject } from '../findings/plain-object.ts';

/** One HTTP answer as the server gave it. */
export interface HttpTrace {
  method: string;
  url: string;
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Of answers that are no success; else null. */
  body: string | null;
}

/**
 * What happened on the wire during one step or one request. The SDK's client keeps to itself what clients need not know (the headers of a 402, results that
 * are not quite of the protocol's form), and just that is what a validator is after.
 */
export interface Exchange {
  http: HttpTrace[];
  /** Why there was no HTTP answer. */
  failures: HttpError[];
  /** JSON-RPC answers, as they came. */
  messages: PlainObject[];
  /** What the client made of it, if it was an error. */
  error: unknown;
  /** Milliseconds. */
  ms: number;
}

/** The exchange that the code which runs now belongs to. */
export const currentExchange: AsyncLocalStorage<Exchange> = new AsyncLocalStorage();

/** Runs something and collects what happened on the wire; never rejects. */
export async function recorded(run: () => Promise<unknown>): Promise<Exchange> {
  const exchange: Exchange = { http: [], failures: [], messages: [], error: undefined, ms: 0 };
  const begin = performance.now();
  try {
    await currentExchange.run(exchange, run);
  } catch (error) {
    exchange.error = error ?? new Error('no reason given');
  }
  exchange.ms = Math.round(performance.now() - begin);
  return exchange;
}

/** The result of a request as it came, even where the client refused it. */
export function resultOf({ messages }: Exchange): unknown {
  return field(messages.at(-1), 'result');
}

/** Why a request led to no result, in a few words. */
export function explainAnswer({ http, failures, messages, error }: Exchange): string {
  const rpcError = field(messages.at(-1), 'error');
  if (rpcError !== undefined)
    return `JSON-RPC error ${short(field(rpcError, 'code'))}: ${short(field(rpcError, 'message'))}`;
  const failure = failures.at(-1);
  if (failure !== undefined) return failure.message;
  const refusal = http.findLast(({ status }) => status >= 300);
  if (refusal !== undefined) return `HTTP ${refusal.status}`;
  const text = error instanceof Error ? error.message : error;
  // A dump of a schema's complaints is for programmers of the client.
  return typeof text === 'string' && /^\s*\[/.test(text) ? 'the answer is not of the form that MCP has' : short(text);
}

/** A server may send anything where a text belongs. */
function short(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : 'no reason given';
}
