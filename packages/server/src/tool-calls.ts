import type { CallResult, ServedCallOptions, ServedTool } from './catalog/tool-catalog.ts';

/** A client's tool call, beside its arguments. */
export interface ToolCallContext extends Pick<ServedCallOptions, 'onProgress'> {
  signal: AbortSignal;
  /** `_meta` of the request. */
  meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Calls a tool. Never rejects. The functions below wrap one in another. */
export type ToolCaller = (
  tool: ServedTool,
  args: Record<string, unknown>,
  context: ToolCallContext,
) => Promise<CallResult>;

/** The maximum delay of a timer in Node.js. */
export const maxTimerMs: number = 2 ** 31 - 1;

/** Ends calls that take longer than `timeoutMs` with an error result. */
export function withTimeout(next: ToolCaller, timeoutMs: number | undefined): ToolCaller {
  if (timeoutMs === undefined) return next;
  return async (tool, args, context) => {
    const { signal } = context;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        controller.abort(new DOMException(`The call took longer than ${timeoutMs} ms`, 'TimeoutError'));
        // An aborted request reports at once how far it got. A tool of a program may ignore its signal.
        setImmediate(resolve, undefined);
      },
      Math.min(timeoutMs, maxTimerMs),
    );
    try {
      const result = await Promise.race([next(tool, args, { ...context, signal: controller.signal }), late]);
      return result === undefined || isLate ? timeoutResult(timeoutMs, result) : result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

/** @param aborted The result of the aborted call, if it gave one in time. */
function timeoutResult(timeoutMs: number, aborted: CallResult | undefined): CallResult {
  const use = aborted?._meta?.['schemakit/upstream'] as { waitedMs?: number } | undefined;
  const { waitedMs = 0 } = use ?? {};
  const reason = waitedMs > 0 ? `, ${waitedMs} ms of that in the queue for the API` : '';
  const advice = waitedMs > timeoutMs / 2 ? 'Try again later.' : 'Ask for less, or try again later.';
  const text = `The call was ended because it took longer than ${timeoutMs} ms${reason}. ${advice}`;
  return { content: [{ type: 'text', text }], isError: true, ...(use && { _meta: { 'schemakit/upstream': use } }) };
}

/** The outcome of a call, for logs and metrics. Contains no secrets: the error is the text that the client got. */
export interface CallRecord {
  /** MCP name of the tool. */
  tool: string;
  /** `error` for a result with `isError`, `cancelled` if the client gave up. */
  outcome: 'ok' | 'error' | 'cancelled';
  durationMs: number;
  /** The text of a failed call's result. */
  error?: string;
}

/** Reports the outcome of each call. */
export function withRecord(next: ToolCaller, record: (call: CallRecord) => void): ToolCaller {
  return async (tool, args, context) => {
    const start = performance.now();
    const result = await next(tool, args, context);
    const durationMs = performance.now() - start;
    const { name } = tool.listing;
    if (context.signal.aborted) record({ tool: name, outcome: 'cancelled', durationMs });
    else if (result.isError !== true) record({ tool: name, outcome: 'ok', durationMs });
    else record({ tool: name, outcome: 'error', durationMs, error: firstText(result) });
    return result;
  };
}

function firstText({ content }: CallResult): string {
  const first = content.find((part) => part.type === 'text');
  return first?.text ?? '';
}
