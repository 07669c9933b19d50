import type { CallResult } from '@schemakit/server';
import type { Usage } from '../model/model.ts';
import type { Question, RunStatus } from '../run/events.ts';
import type { RunState } from '../run/run-state.ts';

/** What a run was and what it took: `_meta['schemakit/run']` of its result. */
export interface RunReport {
  runId: string;
  status: RunStatus;
  rounds: number;
  /** As in the agent's configuration. */
  model: string;
  usage: Omit<Usage, 'cost' | 'costIsPartial'>;
  cost?: number;
  durationMs: number;
  tools: { name: string; calls: number; failures: number; ms: number }[];
  degraded?: 'forced' | 'refused';
  /** Why the run did not succeed. */
  reason?: string;
  /** MCP servers whose tools were missing, and why. */
  missing?: readonly string[];
  /** Whether an agent that it called did not know its cost, so that `cost` is too low. */
  costIsPartial?: true;
  /** The last answer that was submitted. */
  answer?: unknown;
  /** What the agent needs to know (`needs_input`). */
  question?: Question;
}

/** The result of a call of an agent. */
export type AgentResult = CallResult & { _meta?: { 'schemakit/run'?: RunReport } };

/** The MCP result of a run that has ended. All but `success` have `isError`. */
export function runResult(runId: string, state: RunState): AgentResult {
  const { status = 'error', answer = null, reason = '', question } = state.ended ?? {};
  const report = runReport(runId, state);
  const ending = status === 'success' ? {} : { reason, answer, ...(question && { question }) };
  const meta = { 'schemakit/run': { ...report, ...ending } };
  if (status === 'success') {
    const structuredContent = answer as Record<string, unknown>;
    return { content: [{ type: 'text', text: readable(answer) }], structuredContent, _meta: meta };
  }
  const { text: lastText = '' } = state.turns.at(-1)?.answer ?? {};
  const texts = {
    needs_input: `The agent needs to know: ${question?.message ?? ''}`,
    incomplete: [
      `The agent did not finish. ${reason}`,
      answer === null ? lastText : `Last submitted answer:\n${readable(answer)}`,
    ]
      .join('\n\n')
      .trim(),
    error: `The agent failed. ${reason}`,
  };
  // No structured content: clients of the first SDK check it against the answer schema and lose the whole result.
  return { content: [{ type: 'text', text: texts[status] }], isError: true, _meta: meta };
}

function runReport(runId: string, { started, turns, usage, ended }: RunState): RunReport {
  const { cost, costIsPartial, ...tokens } = usage;
  const answers = turns.flatMap(({ results }) => [...results.values()]);
  const calls = Map.groupBy(answers, ({ tool }) => tool);
  return {
    runId,
    status: ended?.status ?? 'error',
    rounds: turns.at(-1)?.round ?? 0,
    model: started?.model ?? '',
    usage: tokens,
    ...(cost !== undefined && { cost, ...(costIsPartial && { costIsPartial }) }),
    durationMs: Date.parse(ended?.time ?? '') - Date.parse(started?.time ?? ''),
    tools: [...calls].map(([name, results]) => ({
      name,
      calls: results.length,
      failures: results.filter(({ isError }) => isError).length,
      ms: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    })),
    ...(ended?.degraded && { degraded: ended.degraded }),
    ...(ended?.missing && { missing: ended.missing }),
  };
}

/** An answer as Markdown: a heading for each field, a list for each array. */
function readable(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return String(answer);
  return Object.entries(answer)
    .map(([key, value]) => (typeof value === 'string' ? `## ${key}\n${value}` : `## ${key}\n${listed(value)}`))
    .join('\n\n');
}

function listed(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.map((item) => `- ${typeof item === 'string' ? item : JSON.stringify(item)}`).join('\n');
}
