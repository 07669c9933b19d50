import { randomUUID } from 'node:crypto';
import type { CallResult } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import { askUserTool, type UserAnswer } from '../run/built-in-tools.ts';
import type { Question, RunEvent } from '../run/events.ts';
import { createMemoryJournal } from '../run/journal.ts';
import { runAgent } from '../run/run-agent.ts';
import { runResult } from './run-result.ts';
import { traceRun } from './trace-run.ts';

export interface RunToolOptions {
  signal?: AbortSignal | undefined;
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** Asks the user of the client, if it can. */
  ask?: ((question: Question, signal: AbortSignal) => Promise<UserAnswer>) | undefined;
  /** How many agents are above this call. */
  depth?: number;
  /** Whether traces contain what was said. */
  recordContent?: boolean | undefined;
}

/** Agents that call each other end here. */
const maxDepth = 3;

/** Runs an agent once. Never rejects: what goes wrong is a result with `isError`. */
export async function runTool(
  agent: OpenAgent,
  args: unknown,
  { signal = new AbortController().signal, onEvent = () => {}, ask, depth = 0, recordContent }: RunToolOptions = {},
): Promise<CallResult> {
  const { name } = agent.config;
  const problems = agent.checkInput(args);
  if (problems.length > 0) return refused(`The arguments of ${name} do not fit:\n${problems.join('\n')}`);
  if (depth > maxDepth) return refused(`${name} was not run: more than ${maxDepth} agents call each other.`);
  const runId = randomUUID();
  const [settings, trace] = await Promise.all([agent.settings(), traceRun(name, { recordContent })]);
  const state = await runAgent(settings, args as Record<string, unknown>, {
    journal: createMemoryJournal(runId),
    signal,
    onEvent(event) {
      trace?.(event);
      onEvent(event);
    },
    tools: [askUserTool(ask)],
    canAsk: ask !== undefined,
    depth: depth + 1,
  });
  return runResult(runId, state);
}

function refused(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}
