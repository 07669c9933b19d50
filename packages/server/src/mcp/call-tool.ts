import type { CallResult, ServedTool } from '../catalog/offer.ts';

/** A tool call of a client, beside its arguments. */
export interface ToolCallContext {
  signal: AbortSignal;
  /** `_meta` of the request. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** The part of the answer that the caller wants: a JMESPath expression. */
  select?: string;
  /** Takes a text on each step of the call; present where the client asked for it. */
  onProgress?: (message: string) => void;
}

/** Calls a tool. Servers put theirs together from several of these, each around the next. Never throws. */
export type CallTool = (
  tool: ServedTool,
  args: Record<string, unknown>,
  context: ToolCallContext,
) => Promise<CallResult>;

/** The innermost one. */
export const callTool: CallTool = (tool, args, { signal, onProgress }) => tool.call(args, { signal, onProgress });

/** The longest that a timer of Node.js can wait. */
const longestMs = 2 ** 31 - 1;

/** Ends calls that take longer, with an answer that says so. Default: they take as long as they take. */
export function timedCalls(next: CallTool, timeoutMs: number | undefined): CallTool {
  if (timeoutMs === undefined) return next;
  const limitMs = Math.min(timeoutMs, longestMs);
  return async (tool, args, context) => {
    const { signal } = context;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort(new DOMException(`The call took longer than ${timeoutMs} ms`, 'TimeoutError'));
      // A request that is ended says at once how far it came. A tool of a program may not listen to its signal.
      setImmediate(resolve, undefined);
    }, limitMs);
    try {
      const result = await Promise.race([next(tool, args, { ...context, signal: controller.signal }), late]);
      return result === undefined || isLate ? tooLate(timeoutMs, result) : result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

/** @param ended What the call answered when it was ended, if it did. */
function tooLate(timeoutMs: number, ended: CallResult | undefined): CallResult {
  const use = ended?._meta?.['schemakit/upstream'] as { waitedMs?: number } | undefined;
  const { waitedMs = 0 } = use ?? {};
  const reason = waitedMs > 0 ? `, and for ${waitedMs} ms of that it stood in line for the API` : '';
  const advice = waitedMs > timeoutMs / 2 ? 'Try again later.' : 'Ask for less, or try again later.';
  const text = `The call was ended because it took longer than ${timeoutMs} ms${reason}. ${advice}`;
  return { content: [{ type: 'text', text }], isError: true, ...(use && { _meta: { 'schemakit/upstream': use } }) };
}
