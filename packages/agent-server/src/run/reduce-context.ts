import { fitText } from '@schemakit/core/internal';
import type { ModelMessage } from 'ai';
import { addUsage, type Model, type ModelTool, noUsage } from '../model/model.ts';
import { conversation, wholeNote } from './conversation.ts';
import type { RunStep } from './events.ts';
import type { RunState, Turn } from './run-state.ts';

type Reduction = Extract<RunStep, { type: 'context.reduced' }>;

export interface ContextOptions {
  instructions: string;
  tools: readonly ModelTool[];
  /** What the model can read, in tokens. */
  contextTokens: number;
  maxTokens: number;
  model: Model;
  signal: AbortSignal;
}

/** The length of a shortened answer, in UTF-16 units. */
const shortLength = 2_000;
/** Bytes of a token, for text that no provider has counted. */
const bytesPerToken = 4;
/** The share of the context that is used; estimates can be wrong. */
const usedShare = 0.8;

/**
 * Makes room before the conversation reaches the model's limit, one step at a time: shortens the answers of older rounds, and those of
 * the last round where they alone are too long; then replaces the older rounds by a summary, once in a run. Undefined if there is
 * room, or nothing that could be left out.
 */
export async function reduceContext(state: RunState, options: ContextOptions): Promise<Reduction | undefined> {
  const room = Math.floor(options.contextTokens * usedShare) - options.maxTokens;
  const isTooLong = (part: RunState) => tokensOf(conversation(part), options) > room;
  if (!isTooLong(state)) return undefined;
  const last = state.turns.slice(-1);
  const shortened = {
    ...shorten(state, state.turns.slice(0, -1)),
    ...(isTooLong({ ...state, turns: last }) && shorten(state, last)),
  };
  if (Object.keys(shortened).length > 0) return { type: 'context.reduced', shortened };
  if (state.summary !== undefined || state.turns.length < 2) return undefined;
  return { type: 'context.reduced', shortened, summary: await summarize(state, room, options) };
}

/** The estimated tokens of a request. */
function tokensOf(messages: readonly ModelMessage[], { instructions, tools }: ContextOptions): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify([messages, tools]) + instructions) / bytesPerToken);
}

function shorten({ shortened }: RunState, turns: readonly Turn[]): Record<string, string> {
  const results = turns.flatMap((turn) => [...turn.results.values()]);
  const long = results.filter(({ id, text }) => text.length > shortLength && !shortened.has(id));
  return Object.fromEntries(
    long.map(({ id, text }) => {
      const { text: short } = fitText(parseJson(text) ?? text, text, shortLength);
      return [id, `${short}\n${wholeNote({ id })}`];
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function summarize(
  state: RunState,
  room: number,
  { model, instructions, maxTokens, signal }: ContextOptions,
): Promise<NonNullable<Reduction['summary']>> {
  const last = state.turns.at(-1);
  const round = last?.round ?? 1;
  const older = { ...state, turns: state.turns.slice(0, -1) };
  // The first message stays in the conversation, so the end matters most.
  const text = asText(conversation(older)).slice(-Math.max(room, 1) * bytesPerToken);
  const messages: ModelMessage[] = [{ role: 'user', content: `${summaryRequest}\n\n${text}` }];
  const answer = await model({ instructions, messages, tools: [], maxTokens, signal });
  return { text: answer.text, round, usage: addUsage(noUsage, answer.usage) };
}

const summaryRequest =
  'Summarize this work so that it can be continued from the summary alone: the task, every fact that was found with its source, what failed, and what is left to do.';

/** Calls and answers as text: providers refuse messages with calls where no tools are given. */
function asText(messages: readonly ModelMessage[]): string {
  return messages
    .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`)
    .join('\n');
}
