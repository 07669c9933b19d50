import { type Signal, signal } from '@preact/signals';
import type { Host } from '../host/connect-host.ts';
import type { RunEvent } from './run-steps.ts';

const everyMs = 1_000;
const progressTool = 'run_progress';

/** The events of the run behind the page, as they come. The page asks for them through its host; without that, it has none. */
export function followRun(host: Host): Signal<readonly RunEvent[]> {
  const events = signal<readonly RunEvent[]>([]);
  const tool = host.context.value.toolInfo?.tool.name;
  if (tool === undefined || !host.capabilities.serverTools) return events;
  let runId: string | undefined;
  const ask = async (): Promise<void> => {
    const isOver = host.result.value !== undefined || host.cancelled.value !== undefined;
    const input = host.input.value;
    runId ??= reportOf(host)?.runId;
    if (input !== undefined) {
      const which = runId === undefined ? { tool, arguments: input } : { tool, runId };
      const { structuredContent } = await host.callTool(progressTool, {
        ...which,
        after: events.value.at(-1)?.seq ?? -1,
      });
      const { events: more = [] } = Object(structuredContent) as { events?: RunEvent[] };
      runId = more[0]?.runId ?? runId;
      if (more.length > 0) events.value = [...events.value, ...more];
    }
    if (!isOver) setTimeout(again, everyMs);
  };
  // A host that refuses once may do so for a moment only; the answer comes without this.
  const again = () => void ask().catch(() => setTimeout(again, everyMs * 5));
  again();
  return events;
}

/** What the result says about its run (`docs/agents.md`, Answers). */
export interface RunReport {
  runId: string;
  status: 'success' | 'incomplete' | 'needs_input' | 'error';
  rounds: number;
  model: string;
  usage?: { inputTokens?: number; outputTokens?: number };
  cost?: number;
  durationMs: number;
  tools: { name: string; calls: number; failures: number; ms: number }[];
  reason?: string;
  answer?: unknown;
  question?: { message: string };
}

export function reportOf({ result }: Host): RunReport | undefined {
  return result.value?._meta?.['schemakit/run'] as RunReport | undefined;
}
