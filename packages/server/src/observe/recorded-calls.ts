import type { CallTool } from '../mcp/call-tool.ts';
import type { CallRecord } from './call-record.ts';

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
