import type { CallTool } from '../mcp/call-tool.ts';

/** What became of a call, for logs and counts. Texts hold no secrets: they are those that the client gets. */
export interface CallRecord {
  /** MCP name of the tool. */
  tool: string;
  /** `error` where the answer says so, `cancelled` where the client did not wait for it. */
  outcome: 'ok' | 'error' | 'cancelled';
  durationMs: number;
  /** What a failed call answered. */
  error?: string;
}

/** A request over HTTP that was not let in or not read, for logs. It holds no secrets: the reason is what the client was told. */
export interface RefusalRecord {
  /** The status of the answer, such as 401, 403 or 413. */
  status: number;
  method: string;
  /** Without a query. */
  path: string;
  reason: string;
  /** The address that it came from, where the server can tell: that of a proxy, where there is one. */
  address?: string;
}

/** Calls as before, and tells what became of each. */
export function recordedCalls(next: CallTool, record: (call: CallRecord) => void): CallTool {
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

function firstText({ content }: { content: readonly { type: string; text?: string }[] }): string {
  return content.find(({ type }) => type === 'text')?.text ?? '';
}
