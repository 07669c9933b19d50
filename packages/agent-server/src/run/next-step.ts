import type { ToolCall } from '../model/model.ts';
import { submitAnswer } from './conversation.ts';
import type { Question, RunStep } from './events.ts';
import { questionOf } from './question.ts';
import type { RunState, Turn } from './run-state.ts';

/** Limits of the runs of an agent. */
export interface RunLimits {
  /** Requests to the model, without retries and one summary. In the last one it must submit its answer. Default 10. */
  maxRounds: number;
  /** Tokens of one answer of the model. Default 4096. */
  maxTokens: number;
  /** Input and output tokens of a run. Default: no limit. */
  maxTotalTokens?: number | undefined;
  /** Cost of a run, in the currency of `prices`. Default: no limit. */
  maxCost?: number | undefined;
  /** How long a run may take, in milliseconds. Default 120,000. */
  timeoutMs: number;
  /** Tool calls at once. Default 8. */
  concurrency: number;
  /** The longest answer of a tool that the model reads, in tokens. Longer ones are shortened. Default 12,000. */
  maxToolAnswer: number;
  /** What the model can read, in tokens. Default: by a table of known models, 32,000 for others. */
  contextTokens: number;
}

export interface StepOptions {
  limits: RunLimits;
  /** What in an answer does not fit the agent's answer schema. */
  checkAnswer: (answer: unknown) => string[];
  /** Whether the user can be asked during the run. */
  canAsk: boolean;
}

export type NextStep =
  | { kind: 'round'; round: number; forced: boolean; note?: string }
  | { kind: 'calls'; calls: readonly ToolCall[] }
  | { kind: 'ask'; call: ToolCall; question: Question }
  | { kind: 'refuse'; callId: string; problems: string[] }
  | { kind: 'end'; end: RunEnd };

export type RunEnd = Omit<Extract<RunStep, { type: 'run.ended' }>, 'type'>;

const submitNote = `Call ${submitAnswer} now with your answer. Text alone is not an answer.`;

/** What comes next in a run. These are the agent's rules (docs/agents.md, "How a run goes"); nothing else decides. */
export function nextStep(state: RunState, options: StepOptions): NextStep {
  const turn = state.turns.at(-1);
  if (turn?.answer === undefined) return nextRound(state, options, turn?.note);
  const { calls, isCutOff } = turn.answer;
  if (isCutOff) {
    // Nothing of a message that was cut off is run.
    return turn.forced ? end(lastAnswerMissing(state)) : nextRound(state, options, calls.length > 0 ? '' : cutOffNote);
  }
  const submitted = calls.find(({ name }) => name === submitAnswer);
  if (submitted !== undefined) return afterSubmit(submitted, turn, state, options);
  if (turn.forced) return end(lastAnswerMissing(state));
  const open = calls.filter(({ id }) => !turn.results.has(id));
  const [asked] = open.flatMap((call) => {
    const question = questionOf(call);
    return question === undefined ? [] : [{ kind: 'ask', call, question } as const];
  });
  if (asked !== undefined && !options.canAsk)
    return end({ status: 'needs_input', answer: null, question: asked.question });
  // The user is asked last, when everything else of the round is there.
  const others = open.filter((call) => questionOf(call) === undefined);
  if (others.length > 0) return { kind: 'calls', calls: others };
  if (asked !== undefined) return asked;
  if (calls.length > 0) return nextRound(state, options);
  const wasAsked = state.turns.some(({ note }) => note === submitNote);
  if (wasAsked) return end(incomplete(state, 'The model answered with text and did not submit an answer.'));
  return nextRound(state, options, submitNote);
}

const cutOffNote = 'Your message was cut off by the token limit. Be shorter.';

function afterSubmit({ id, args, problem }: ToolCall, turn: Turn, state: RunState, options: StepOptions): NextStep {
  const problems = problem === undefined ? options.checkAnswer(args) : [problem];
  if (problems.length === 0) {
    const degraded = turn.forced ? 'forced' : state.refusals >= 2 ? 'refused' : undefined;
    return end({ status: 'success', answer: args, ...(degraded && { degraded }) });
  }
  if (turn.forced) return end(lastAnswerMissing(state, problems));
  if (turn.problems === undefined) return { kind: 'refuse', callId: id, problems };
  return nextRound(state, options);
}

function nextRound(state: RunState, { limits }: StepOptions, note = ''): NextStep {
  const last = state.turns.at(-1);
  // A request that got no answer is repeated.
  const round = (last?.round ?? 0) + (last !== undefined && last.answer === undefined ? 0 : 1);
  const { maxRounds, maxTotalTokens = Number.POSITIVE_INFINITY, maxCost = Number.POSITIVE_INFINITY } = limits;
  const { inputTokens, outputTokens, cost = 0 } = state.usage;
  if (round > maxRounds) return end(incomplete(state, `The limit of ${maxRounds} rounds (maxRounds) was reached.`));
  if (inputTokens + outputTokens >= maxTotalTokens)
    return end(incomplete(state, `The limit of ${maxTotalTokens} tokens (maxTotalTokens) was reached.`));
  if (cost >= maxCost) return end(incomplete(state, `The limit of cost (maxCost: ${maxCost}) was reached.`));
  return { kind: 'round', round, forced: round === maxRounds, ...(note !== '' && { note }) };
}

function lastAnswerMissing(state: RunState, problems: readonly string[] = []): RunEnd {
  const why = problems.length > 0 ? `does not fit its schema: ${problems.join('; ')}` : 'was not submitted';
  return incomplete(state, `The answer of the last round ${why}.`);
}

/** Ends a run without an answer that fits, with what there is: the last answer that was submitted. */
export function incomplete(state: RunState, reason: string): RunEnd {
  const submitted = state.turns
    .flatMap(({ answer }) => answer?.calls ?? [])
    .filter(({ name }) => name === submitAnswer);
  return { status: 'incomplete', answer: submitted.at(-1)?.args ?? null, reason };
}

function end(how: RunEnd): NextStep {
  return { kind: 'end', end: how };
}
