import { inputRequired } from '@modelcontextprotocol/server';
import { type CallResult, type ClientContext, type ServedTool, subjectOwner } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';

export interface QueuedRunOptions {
  engine: TaskEngine;
  client: ClientContext;
  /** Cancels the run. */
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
}

/** How long the run of a call is kept after it was asked for, in milliseconds. */
const ttlMs = 60 * 60_000;

/**
 * Queues a run for a worker, and waits for it: a call of a client that follows no tasks. Undefined if the question that it answers has
 * expired.
 */
export async function queuedRun(
  tool: ServedTool,
  args: Record<string, unknown>,
  { engine, client, signal, onEvent }: QueuedRunOptions,
): Promise<CallResult | undefined> {
  const owner = client.authInfo && subjectOwner(client.authInfo);
  const { requestState, inputResponses = {} } = client;
  const [, asked, told] = /^([0-9a-f]{32})\.(\d{1,9})$/.exec(requestState ?? '') ?? [];
  const options = { owner, client, ttlMs, callTool: async () => ({ content: [] }) };
  const task =
    requestState === undefined
      ? await engine.start(tool, args, options)
      : asked && (await engine.answer(asked, owner, inputResponses as Record<string, unknown>));
  if (!task) return undefined;
  const { taskId } = task;
  let next = told === undefined ? 1 : Number(told);
  const follow = (event: RunEvent) => {
    next = event.seq + 1;
    onEvent(event);
  };
  const stop = await engine.follow(taskId, owner, follow, { from: next });
  try {
    const state = await engine.wait(taskId, owner, signal);
    // Nobody waits for it any more.
    if (signal.aborted) await engine.cancel(taskId, owner);
    const { inputRequests, result } = state ?? {};
    if (inputRequests !== undefined)
      return inputRequired({ inputRequests: inputRequests as never, requestState: `${taskId}.${next}` }) as never;
    return result ?? { content: [{ type: 'text', text: 'The run was cancelled.' }], isError: true };
  } finally {
    stop?.();
  }
}
