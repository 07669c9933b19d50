import { fitText } from '@schemakit/core/internal';
import type { ModelMessage } from 'ai';
import { addUsage, type Model, type ModelTool, noUsage } from '../model/model.ts';
import { conversation, wholeNote } from './conversation.ts';
import type { RunStep } from './events.ts';
import type { RunState } from './run-state.ts';

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

/** The length of an older answer that makes room, in UTF-16 units. */
const shortLength = 2_000;
/** Characters of a token, for text that no provider has counted. */
const charactersPerToken = 4;
/** The share of the context that is used; estimates can be wrong. */
const usedShare = 0.8;

/**
 * Makes room before the conversation reaches the model's limit: shortens the answers of older rounds, and where that is not enough,
 * replaces the older rounds by a summary, once in a run. Undefined while there is room.
 */
export async function reduceContext(state: RunState, options: ContextOptions): Promise<Reduction | undefined> {
  const room = Math.floor(options.contextTokens * usedShare) - options.maxTokens;
  const messages = conversation(state);
  if (tokensOf(messages, options) <= room) return undefined;
  const shortened = shortenOlder(state);
  const reduced = { ...state, shortened: new Map([...state.shortened, ...Object.entries(shortened)]) };
  const isEnough = tokensOf(conversation(reduced), options) <= room;
  if (isEnough || state.summary !== undefined || state.turns.length < 2) {
    return Object.keys(shortened).length > 0 ? { type: 'context.reduced', shortened } : undefined;
  }
  return { type: 'context.reduced', shortened, summary: await summarize(reduced, options) };
}

/** The estimated tokens of a request. */
function tokensOf(messages: readonly ModelMessage[], { instructions, tools }: ContextOptions): number {
  return Math.ceil((JSON.stringify([messages, tools]).length + instructions.length) / charactersPerToken);
}

function shortenOlder(state: RunState): Record<string, string> {
  const older = state.turns.slice(0, -1).flatMap(({ results }) => [...results.values()]);
  return Object.fromEntries(
    older.flatMap((result) => {
      const { id, text } = result;
      if (text.length <= shortLength || state.shortened.has(id)) return [];
      return [[id, shorten(result)]];
    }),
  );
}

function shorten({ id, text }: { id: string; text: string }): string {
  const { text: short } = fitText(parseJson(text) ?? text, text, shortLength);
  return `${short}\n${wholeNote({ id })}`;
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
  { model, instructions, maxTokens, signal }: ContextOptions,
): Promise<NonNullable<Reduction['summary']>> {
  const last = state.turns.at(-1);
  const round = last?.round ?? 1;
  const older = { ...state, turns: state.turns.slice(0, -1) };
  const messages: ModelMessage[] = [{ role: 'user', content: `${summaryRequest}\n\n${asText(conversation(older))}` }];
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
