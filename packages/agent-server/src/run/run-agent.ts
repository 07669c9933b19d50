import { scrubJson } from '@schemakit/http';
import { type Model, type ModelTool, noUsage } from '../model/model.ts';
import { isTooLong, modelProblem } from '../model/model-problem.ts';
import { isLate, triesOf, withRetries } from '../model/retry.ts';
import type { AgentTool } from './agent-tool.ts';
import { answerText, askUserTool, type UserAnswer } from './built-in-tools.ts';
import { callTools } from './call-tools.ts';
import { conversation, submitAnswer } from './conversation.ts';
import type { Question, RunEvent } from './events.ts';
import { createAppend, type Journal } from './journal.ts';
import { incomplete, nextStep, type RunEnd, type RunLimits } from './next-step.ts';
import { outerCall } from './outer-call.ts';
import { readAnswerTool } from './read-answer.ts';
import { estimate, makeRoom, shorten } from './reduce-context.ts';
import { answerIdOf, applyEvent, createRunState, type RunState } from './run-state.ts';
import { createTimeLimit } from './time-limit.ts';

/** What an agent is, the same for all of its runs. */
export interface AgentSettings extends RunLimits {
  /** The name of its MCP tool. */
  name: string;
  /** As in its configuration, for reports. */
  modelName: string;
  model: Model;
  /** The system prompt, with what every agent is told. */
  instructions: string;
  /** The tools of a run that starts or goes on, and what is missing. Never rejects; resolves early if the signal aborts. */
  tools: (signal: AbortSignal) => Promise<{ tools: readonly AgentTool[]; missing?: readonly string[] }>;
  /** The tool by which it ends. */
  submit: ModelTool;
  checkAnswer: (answer: unknown) => string[];
  /** Masks secrets in what comes from others: answers of tools, errors, instructions, definitions of tools. */
  scrub: (text: string) => string;
  clock: () => Date;
}

export interface RunOptions {
  journal: Journal;
  signal: AbortSignal;
  /** Stops when the requests in flight are answered, so that another worker can go on. */
  handBack?: AbortSignal | undefined;
  onEvent: (event: RunEvent) => void;
  /** Whether the user can be asked. Then a question pauses the run. */
  canAsk: boolean;
  /** The answer to the question that paused the run. */
  userAnswer?: UserAnswer | undefined;
  /** How many agents are above this run. */
  depth: number;
  /** Waits until the model may be asked, before each request. That time is none of the run's. */
  awaitModel?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** How long one tool call may take, in milliseconds. */
const callTimeoutMs = 60_000;

/** A run that has ended, waits for the answer to a question, or was handed back. */
export interface RunOutcome {
  state: RunState;
  question?: Question;
}

/**
 * Runs an agent until it ends or asks, from wherever its journal stands. Each turn of the loop asks the rules (`nextStep`) what to do, does
 * it, and writes it down. Failures of the model end the run; it rejects only if the journal does.
 *
 * @param args Checked arguments of the caller.
 */
export async function runAgent(
  agent: AgentSettings,
  args: Record<string, unknown>,
  { journal, signal, handBack, onEvent, canAsk, userAnswer, depth, awaitModel }: RunOptions,
): Promise<RunOutcome> {
  const state = createRunState(journal.events);
  outerCall.getStore()?.runs.push(state);
  const append = createAppend(journal, {
    clock: agent.clock,
    onEvent(event) {
      applyEvent(state, event);
      onEvent(event);
    },
  });
  if (state.started === undefined) {
    const asked = scrubJson(args, agent.scrub) as typeof args;
    await append({ type: 'run.started', tool: agent.name, model: agent.modelName, args: asked });
  }
  const time = createTimeLimit(Math.max(agent.timeoutMs - state.workedMs, 0));
  const either = AbortSignal.any([signal, time.signal]);
  const { tools, missing = [] } = await agent.tools(either);
  const all = [...tools, askUserTool, readAnswerTool(() => state)];
  const byName = new Map(all.map((tool) => [tool.name, tool]));
  let waitedMs = 0;
  const limited: Model = async (request) => {
    // Whoever goes on with the run may wait in this one's place.
    if (awaitModel)
      waitedMs += await time.pause(() => awaitModel(AbortSignal.any([either, ...(handBack ? [handBack] : [])])));
    return agent.model(request);
  };
  const model = withRetries(limited, { deadline: time.endsAt });
  const instructions = agent.scrub(agent.instructions);
  // Names stay: a secret that is a word would make them unusable.
  const modelTools = [
    ...all.map(({ name, description, inputSchema }) => ({
      name,
      ...(scrubJson({ description, inputSchema }, agent.scrub) as Pick<ModelTool, 'description' | 'inputSchema'>),
    })),
    agent.submit,
  ];
  const context = { ...agent, instructions, tools: modelTools, model, signal: either };
  const failureOf = (error: unknown): RunEnd => {
    const reason = agent.scrub(modelProblem(error));
    if (isTooLong(error)) return incomplete(state, `The conversation is too long for the model. ${reason}`);
    if (isLate(error))
      return incomplete(state, `The next try would begin after ${agent.timeoutMs} ms (timeoutMs). ${reason}`);
    return { status: 'error', answer: null, reason };
  };
  const endings = () =>
    signal.aborted
      ? ({ status: 'error', answer: null, reason: 'The run was cancelled.' } as const)
      : incomplete(state, `The run took longer than ${agent.timeoutMs} ms (timeoutMs).`);
  const maxLength = agent.maxToolAnswer * charactersPerToken;
  const end = (how: RunEnd) => append({ type: 'run.ended', ...how, ...(missing.length > 0 && { missing }) });
  let answered = userAnswer;
  // Whether the provider has refused the last request as too long.
  let wasTooLong = false;
  while (state.ended === undefined && handBack?.aborted !== true) {
    const step = nextStep(state, { limits: agent, checkAnswer: agent.checkAnswer, canAsk });
    if (step.kind === 'end') await end(step.end);
    else if (either.aborted) await end(endings());
    else if (step.kind === 'ask') {
      const { call, question } = step;
      if (answered === undefined) {
        await append({ type: 'run.paused', question });
        return { state, question };
      }
      await append({
        type: 'tool.answered',
        callId: call.id,
        id: answerIdOf(state, call.id),
        tool: call.name,
        ...answerText(answered, question, maxLength),
        isSent: false,
        durationMs: agent.clock().getTime() - Date.parse(state.time),
      });
      answered = undefined;
    } else if (step.kind === 'refuse')
      await append({ type: 'answer.refused', callId: step.callId, problems: step.problems });
    else if (step.kind === 'calls') {
      await callTools(step.calls, {
        state,
        tools: byName,
        append,
        signal: either,
        handBack,
        concurrency: agent.concurrency,
        maxLength,
        callTimeoutMs,
        depth,
        scrub: agent.scrub,
      });
    } else {
      try {
        const room = await makeRoom(state, context);
        if (typeof room === 'object') {
          // A summary counts towards the limits.
          await append(room);
          continue;
        }
        if (room === 'none') {
          await end(incomplete(state, doesNotFit(agent)));
          continue;
        }
        const { round, note } = step;
        const forced = step.forced || room === 'last';
        const noted = note !== undefined && { note };
        await append({ type: 'round.started', round, forced, ...noted, estimatedTokens: estimate(state, context) });
        const start = performance.now();
        waitedMs = 0;
        const force = forced ? submitAnswer : undefined;
        const answer = await model({ ...context, messages: conversation(state), force });
        const durationMs = Math.round(performance.now() - start - waitedMs);
        const waited = waitedMs >= 1 && { waitedMs: Math.round(waitedMs) };
        await append({ type: 'model.answered', round, ...answer, durationMs, ...waited });
        wasTooLong = false;
      } catch (error) {
        // It only waited for the rate limit: nothing was asked of the model.
        if (handBack?.aborted && !either.aborted && (error as Error).name === 'AbortError') break;
        const usage = { ...noUsage, requests: triesOf(error) };
        const shortened = either.aborted || wasTooLong || !isTooLong(error) ? undefined : shorten(state);
        if (shortened !== undefined) {
          wasTooLong = true;
          await append({ ...shortened, usage });
          continue;
        }
        await end({ ...(either.aborted ? endings() : failureOf(error)), usage });
      }
    }
  }
  return { state };
}

const charactersPerToken = 4;

function doesNotFit({ contextTokens }: AgentSettings): string {
  return `The conversation does not fit the model's context of ${contextTokens} tokens (contextTokens).`;
}
