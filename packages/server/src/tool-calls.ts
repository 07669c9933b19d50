import type { CallResult, ClientContext, ServedCallOptions, ServedTool } from './catalog/tool-catalog.ts';

/** A client's tool call, without its arguments. */
export interface ToolCallContext extends Pick<ServedCallOptions, 'onProgress'> {
  signal: AbortSignal;
  client?: ClientContext | undefined;
}

/** Calls a tool. Never rejects. The functions below wrap one in another. */
export type ToolCaller = (
  tool: ServedTool,
  args: Record<string, unknown>,
  context: ToolCallContext,
) => Promise<CallResult>;

/** Ends calls that take longer than `timeoutMs` with an error result. */
export function withTimeout(next: ToolCaller, timeoutMs: number | undefined): ToolCaller {
  if (timeoutMs === undefined) return next;
  return async (tool, args, context) => {
    const timeout = new AbortController();
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      timeout.abort(new DOMException(`The call took longer than ${timeoutMs} ms`, 'TimeoutError'));
      // An aborted request reports at once how far it got. A tool of a program may ignore its signal.
      setImmediate(resolve, undefined);
    }, timeoutMs);
    const signal = AbortSignal.any([context.signal, timeout.signal]);
    try {
      const result = await Promise.race([next(tool, args, { ...context, signal }), late]);
      return result === undefined || timeout.signal.aborted ? timeoutResult(timeoutMs, result) : result;
    } finally {
      clearTimeout(timer);
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
    const outcome = context.signal.aborted ? 'cancelled' : result.isError === true ? 'error' : 'ok';
    record({ tool: name, outcome, durationMs, ...(outcome === 'error' && { error: firstText(result) }) });
    return result;
  };
}

function firstText({ content }: CallResult): string {
  const first = content.find((part) => part.type === 'text');
  return first?.text ?? '';
}
