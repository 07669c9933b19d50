import { randomUUID } from 'node:crypto';
import type { CallResult } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import type { UserAnswer } from '../run/built-in-tools.ts';
import type { Question, RunEvent } from '../run/events.ts';
import { createAppend, createMemoryJournal, type Journal } from '../run/journal.ts';
import { outerCall } from '../run/outer-call.ts';
import { type RunOptions, runAgent } from '../run/run-agent.ts';
import { runResult } from './run-result.ts';
import { type RunTrace, traceRun } from './trace-run.ts';

export interface RunToolOptions {
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
  /** Whether the caller's user can be asked. */
  canAsk?: boolean;
  /** How many agents are above this call. */
  depth?: number;
  /** Stops when the requests in flight are answered. */
  handBack?: AbortSignal;
  awaitModel?: RunOptions['awaitModel'];
  /** Whether traces contain what was said. */
  recordContent?: boolean | undefined;
}

/** A run that waits for its user. */
export interface PausedRun {
  journal: Journal;
  question: Question;
  args: Record<string, unknown>;
  /** Its trace goes on when the run does. */
  trace: RunTrace | undefined;
  /** Ends it without an answer. */
  end: (reason: string, onEvent: (event: RunEvent) => void) => Promise<void>;
}

export type ToolOutcome = { result: CallResult } | { paused: PausedRun };

/** Agents that call each other end here. */
const maxDepth = 3;

/** Runs an agent once. What goes wrong is a result with `isError`. */
export async function runTool(agent: OpenAgent, args: unknown, options: RunToolOptions): Promise<ToolOutcome> {
  const depth = Math.max(options.depth ?? 0, outerCall.getStore()?.depth ?? 0);
  const refusal = refusalOf(agent, args, depth);
  if (refusal !== undefined) return { result: { content: [{ type: 'text', text: refusal }], isError: true } };
  return goOn(
    agent,
    { journal: createMemoryJournal(randomUUID()), args: args as Record<string, unknown> },
    { ...options, depth },
  );
}

/** Continues a run, or begins one. Rejects only if its journal does. */
export async function goOn(
  agent: OpenAgent,
  {
    journal,
    args,
    userAnswer,
    ...paused
  }: Pick<PausedRun, 'journal' | 'args'> & {
    userAnswer?: UserAnswer;
    trace?: PausedRun['trace'];
  },
  { signal, handBack, onEvent, canAsk = false, depth = 0, recordContent, awaitModel }: RunToolOptions,
): Promise<ToolOutcome> {
  const trace = paused.trace ?? (await traceRun(agent.config.name, { recordContent }));
  // A run that another worker began is a trace of its own here.
  const [started] = journal.events;
  if (paused.trace === undefined && started) trace?.listen(started);
  const settings = agent.settings();
  const going = runAgent(settings, args, {
    journal,
    signal,
    handBack,
    awaitModel,
    onEvent(event) {
      trace?.listen(event);
      onEvent(event);
    },
    canAsk,
    userAnswer,
    depth: depth + 1,
  });
  const { state, question } = await going.catch((error: unknown) => {
    trace?.end();
    throw error;
  });
  if (question === undefined) {
    // It may have been handed back.
    trace?.end();
    return { result: runResult(journal.runId, state) };
  }
  const end: PausedRun['end'] = (reason, onEnd) => {
    const append = createAppend(journal, {
      clock: settings.clock,
      onEvent(event) {
        trace?.listen(event);
        onEnd(event);
      },
    });
    return append({ type: 'run.ended', status: 'needs_input', answer: null, reason, question });
  };
  return { paused: { journal, question, args, trace, end } };
}

/** Why an agent is not run; undefined if it is. */
export function refusalOf(agent: OpenAgent, args: unknown, depth = 0): string | undefined {
  const { name } = agent.config;
  const problems = agent.checkInput(args);
  if (problems.length > 0) return `The arguments of ${name} are invalid:\n${problems.join('\n')}`;
  return depth > maxDepth ? `${name} was not run: more than ${maxDepth} agents call each other.` : undefined;
}
