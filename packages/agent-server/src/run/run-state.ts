import { addUsage, markUnknownCost, noUsage, type Usage } from '../model/model.ts';
import type { EventOf, RunEvent } from './events.ts';

/** A request to the model, its answer, and the answers to its calls. */
export interface Turn extends EventOf<'round.started'> {
  answer?: EventOf<'model.answered'>;
  /** The calls that were sent, by their ids. */
  called: Map<string, EventOf<'tool.called'>>;
  /** By the id of the call. */
  results: Map<string, EventOf<'tool.answered'>>;
  /** Whether a tool was called that may change something. */
  hasWritten?: boolean;
  /** Why the submitted answer was refused. */
  problems?: readonly string[];
}

/** What is known about calls of a tool with the same arguments. */
export interface CallHistory {
  failures: number;
  /** The last answer that was no error. */
  answer?: EventOf<'tool.answered'> & { round: number };
}

/** Where a run stands: what its events add up to. */
export interface RunState {
  /** The time of the last event. */
  time: string;
  /** Milliseconds in which the run was worked on: not those in which it waited for a worker, for its user or for the rate limit. */
  workedMs: number;
  /** What its user is asked. */
  paused?: EventOf<'run.paused'>;
  started?: EventOf<'run.started'>;
  turns: Turn[];
  usage: Usage;
  refusals: number;
  /** By `callKey`. */
  calls: Map<string, CallHistory>;
  /** Shorter texts for older answers, by their ids. */
  shortened: Map<string, string>;
  summary?: NonNullable<EventOf<'context.reduced'>['summary']>;
  ended?: EventOf<'run.ended'>;
}

/** Adds up events, the same for a run that goes on and for one that is read from its journal. */
export function createRunState(events: readonly RunEvent[] = []): RunState {
  const state: RunState = {
    time: '',
    workedMs: 0,
    turns: [],
    usage: noUsage,
    refusals: 0,
    calls: new Map(),
    shortened: new Map(),
  };
  for (const event of events) applyEvent(state, event);
  return state;
}

export function applyEvent(state: RunState, event: RunEvent): void {
  const turn = state.turns.at(-1);
  if (!hasWaited(state, event)) state.workedMs += Date.parse(event.time) - Date.parse(state.time);
  state.time = event.time;
  switch (event.type) {
    case 'run.started':
      state.started = event;
      break;
    case 'run.resumed':
      // A request to the model that was interrupted is made again, and what it has cost is not known.
      if (turn?.answer === undefined && turn !== undefined && state.ended === undefined)
        state.usage = addUsage(state.usage, { requests: 1 });
      delete state.ended;
      break;
    case 'run.paused':
      state.paused = event;
      break;
    case 'round.started':
      // A request that was interrupted is repeated; its round counts once.
      if (turn !== undefined && turn.answer === undefined) state.turns.pop();
      state.turns.push({ ...event, called: new Map(), results: new Map() });
      break;
    case 'model.answered':
      if (turn) turn.answer = event;
      state.workedMs -= event.waitedMs ?? 0;
      state.usage = addUsage(state.usage, markUnknownCost(event.usage));
      break;
    case 'tool.called':
      turn?.called.set(event.callId, event);
      if (event.effect === 'read') break;
      // What was read before a write, or at the same time, may have changed.
      if (turn) turn.hasWritten = true;
      for (const history of state.calls.values()) delete history.answer;
      break;
    case 'tool.answered':
      turn?.results.set(event.callId, event);
      delete state.paused;
      state.usage = addUsage(state.usage, event.usage ?? {});
      if (turn) remember(state, turn, event);
      break;
    case 'answer.refused':
      if (turn) turn.problems = event.problems;
      state.refusals += 1;
      break;
    case 'context.reduced':
      for (const [id, text] of Object.entries(event.shortened)) state.shortened.set(id, text);
      state.usage = addUsage(state.usage, event.usage ?? {});
      if (event.summary) {
        state.summary = event.summary;
        state.usage = addUsage(state.usage, markUnknownCost(event.summary.usage));
      }
      break;
    case 'run.ended':
      state.ended = event;
      // If it is tried again, it asks again.
      delete state.paused;
      state.usage = addUsage(state.usage, event.usage ?? {});
      break;
  }
}

/** Whether nobody worked on the run between the event before and this one. */
function hasWaited({ started, turns, paused }: RunState, event: RunEvent): boolean {
  const isFirst = started === undefined || turns.length === 0;
  return isFirst || event.type === 'run.resumed' || (paused !== undefined && event.type === 'tool.answered');
}

function remember(state: RunState, { round, answer, hasWritten }: Turn, result: EventOf<'tool.answered'>): void {
  const call = answer?.calls.find(({ id }) => id === result.callId);
  if (call === undefined || !result.isSent) return;
  const key = callKey(call.name, call.args);
  const { failures, ...history } = state.calls.get(key) ?? { failures: 0 };
  if (result.isError) state.calls.set(key, { ...history, failures: failures + 1 });
  else state.calls.set(key, { failures: 0, ...(!hasWritten && { answer: { ...result, round } }) });
}

/** The same for calls of one tool with the same arguments, in whatever order their keys are. */
export function callKey(name: string, args: unknown): string {
  return `${name} ${JSON.stringify(args, sortKeys)}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The name of an answer for `read_answer`: the round and the number of the call in it. */
export function answerIdOf({ turns }: RunState, callId: string): string {
  const { round = 0, answer } = turns.at(-1) ?? {};
  return `${round}.${(answer?.calls.findIndex(({ id }) => id === callId) ?? 0) + 1}`;
}
