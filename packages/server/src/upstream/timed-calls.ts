import type { CallTool } from '../mcp/call-tool.ts';
import type { CallResult } from '../offer/offer.ts';

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
    const { promise: late, resolve } = Promise.withResolvers<CallResult>();
    const timer = setTimeout(() => {
      resolve(tooLate(timeoutMs));
      controller.abort(new DOMException(`The call took longer than ${timeoutMs} ms`, 'TimeoutError'));
    }, limitMs);
    try {
      // A tool of a program may not listen to its signal.
      return await Promise.race([next(tool, args, { ...context, signal: controller.signal }), late]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

function tooLate(timeoutMs: number): CallResult {
  const text = `The call was ended because it took longer than ${timeoutMs} ms. Ask for less, or try again later.`;
  return { content: [{ type: 'text', text }], isError: true };
}
