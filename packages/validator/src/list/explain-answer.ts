import { field } from '../findings/plain-object.ts';
import type { Exchange } from '../network/exchange.ts';

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
