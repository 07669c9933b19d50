import type { ModelMessage } from 'ai';
import { addUsage, type Model, type ModelTool, noUsage } from '../model/model.ts';
import { conversation, recentTurns, wholeNote } from './conversation.ts';
import type { RunStep } from './events.ts';
import { dataOf, fitAnswer, linesOf } from './fit-answer.ts';
import type { RunLimits } from './next-step.ts';
import type { RunState, Turn } from './run-state.ts';

type Reduction = Extract<RunStep, { type: 'context.reduced' }>;

export interface ContextOptions extends Pick<RunLimits, 'contextTokens' | 'maxTokens'> {
  instructions: string;
  tools: readonly ModelTool[];
  model: Model;
  signal: AbortSignal;
}

/** The length of a shortened answer, in UTF-16 units. */
const shortLength = 2_000;
/** Bytes of a token, for text that no provider has counted. */
const bytesPerToken = 4;
/** The share of the context that is used; estimates can be wrong. */
const usedShare = 0.8;

/** The room for the next request. `last`: for the answer of the run, but not for more calls. `none`: it would be too long. */
export type Room = 'enough' | 'last' | 'none';

/**
 * Makes room before the conversation reaches the model's limit, one step at a time: shortens the answers of older rounds, then those of
 * the last round, then replaces the older rounds by a summary, once in a run. If there is nothing left to do, says how much room there is.
 */
export async function makeRoom(state: RunState, options: ContextOptions): Promise<Reduction | Room> {
  const most = options.contextTokens - options.maxTokens;
  const room = Math.floor(Math.max(most, 0) * usedShare);
  const estimated = estimate(state, options);
  const used = estimated * underestimation(state);
  if (used <= room) return 'enough';
  const turns = recentTurns(state);
  for (const part of [turns.slice(0, -1), turns.slice(-1)]) {
    const shortened = shorten(state, part);
    if (shortened !== undefined) return shortened;
  }
  if (state.summary === undefined && turns.length > 1) {
    const summary = await summarize(state, room, options);
    if (summary !== undefined) return { type: 'context.reduced', shortened: {}, summary };
  }
  // What the provider counts may be wrong for the next request; it says so itself then.
  return estimated <= most ? 'last' : 'none';
}

/** By how much the provider counted more tokens than were estimated, in the last request that it has answered. */
function underestimation({ turns }: RunState): number {
  const { answer, estimatedTokens = 0 } = turns.findLast((turn) => turn.answer !== undefined) ?? {};
  return estimatedTokens > 0 ? Math.max((answer?.usage.inputTokens ?? 0) / estimatedTokens, 1) : 1;
}

/** The estimated tokens of the next request. */
export function estimate(
  state: RunState,
  { instructions, tools }: Pick<ContextOptions, 'instructions' | 'tools'>,
): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify([conversation(state), tools]) + instructions) / bytesPerToken);
}

/** Shortens the long answers of rounds; undefined if there are none. */
export function shorten(state: RunState, turns: readonly Turn[] = recentTurns(state)): Reduction | undefined {
  const results = turns.flatMap((turn) => [...turn.results.values()]);
  const long = results.filter(({ id, text }) => text.length > shortLength && !state.shortened.has(id));
  if (long.length === 0) return undefined;
  const texts = long.map(({ id, text, whole = text }) => {
    const data = dataOf(whole);
    const short = fitAnswer(typeof data === 'string' ? linesOf(data) : data, shortLength);
    return [id, `${short.text}\n${wholeNote(id)}`];
  });
  return { type: 'context.reduced', shortened: Object.fromEntries(texts) };
}

/** Undefined if not even the request for it fits. */
async function summarize(
  state: RunState,
  room: number,
  { model, instructions, maxTokens, signal }: ContextOptions,
): Promise<Reduction['summary']> {
  const round = state.turns.at(-1)?.round ?? 1;
  const older = asText(conversation({ ...state, turns: state.turns.slice(0, -1) }));
  const bytes = room * bytesPerToken - Buffer.byteLength(instructions + summaryRequest);
  if (bytes <= 0) return undefined;
  const messages: ModelMessage[] = [{ role: 'user', content: `${summaryRequest}\n\n${endOf(older, bytes)}` }];
  const { text, usage } = await model({ instructions, messages, tools: [], maxTokens, signal });
  return { text: text.trim(), round, usage: addUsage(noUsage, usage) };
}

/** The end of a text: what the task was stays in the conversation anyway. */
function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // The first character may be half of one.
  return `(The beginning is left out.) ${bytes
    .subarray(-maxBytes)
    .toString()
    .replace(/^\uFFFD+/, '')}`;
}

const summaryRequest =
  'Summarize this work so that it can be continued from the summary alone: the task, every fact that was found with its source, what failed, and what is left to do.';

/** Calls and answers as text: providers refuse messages with calls where no tools are given. */
function asText(messages: readonly ModelMessage[]): string {
  return messages
    .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`)
    .join('\n');
}
