import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { CallResult } from '../catalog/tool-catalog.ts';
import { answerAborted, type InFlight } from '../in-flight.ts';
import { anyParams, type Params, protocolError } from '../protocol.ts';
import { notingRetryAfter } from '../retry-after.ts';
import { hasEnded, taskOwner, unknownTask } from './task-calls.ts';
import type { TaskOwner, TaskProvider, TaskState } from './task-provider.ts';

// Tasks of MCP 2025-11-25 (specification/2025-11-25/basic/utilities/tasks).

/** The capability of the server. */
export const legacyTasksCapability = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** The result of a call that became a task. The SDK demands `content`. */
export function legacyTaskResult(state: TaskState): CallResult {
  return { content: [], task: legacyTask(state) } as CallResult;
}

/** A task that has started, to be followed for the client. */
interface FollowedTask {
  taskId: string;
  owner: TaskOwner;
  /** If the call asked for progress. */
  progressToken: unknown;
}

/** Serves the methods of tasks. Returns a function that notifies the client of a task until the task or the connection ends. */
export function serveLegacyTasks(
  server: Server,
  { tasks, calls }: { tasks: TaskProvider; calls: Pick<InFlight, 'begin'> },
): (task: FollowedTask) => void {
  const watches = new Set<() => void>();
  const { onclose } = server;
  server.onclose = () => {
    for (const stop of watches) stop();
    onclose?.();
  };
  /** Questions that wait for the user, by task. */
  const asking = new Map<string, { abort: AbortController; done: Promise<void> }>();

  const serve = (
    method: string,
    answer: (params: Params, context: ServerContext) => Promise<Record<string, unknown>>,
  ) => server.setRequestHandler(method, { params: anyParams }, notingRetryAfter(answer));
  serve('tasks/get', async (params, context) => legacyTask(await find(tasks, params, context)));
  serve('tasks/list', async ({ cursor }, context) => {
    const after = cursor === undefined ? undefined : String(cursor);
    const listed = await tasks.list(taskOwner(context), after).catch((error) => {
      throw after === undefined ? error : protocolError('Invalid cursor. Request the list without one.');
    });
    return { ...listed, tasks: listed.tasks.map(legacyTask) };
  });
  serve('tasks/cancel', async (params, context) => {
    const before = await find(tasks, params, context);
    const after = hasEnded(before) ? before : await tasks.cancel(before.taskId, taskOwner(context));
    if (after?.status === 'cancelled' && after !== before) return legacyTask(after);
    throw protocolError(`Task ${before.taskId} has ended already: ${(after ?? before).status}.`);
  });
  serve('tasks/result', async ({ taskId }, context) => {
    const id = String(taskId);
    const owner = taskOwner(context);
    const { signal } = context.mcpReq;
    const end = calls.begin(() => answerAborted(server, context.mcpReq.id));
    const unwatch = sendProgress(id, owner, context);
    try {
      for (;;) {
        const state = await tasks.wait(id, owner, signal);
        if (state === undefined) throw unknownTask(taskId);
        if (hasEnded(state)) return { ...resultOf(state) };
        signal.throwIfAborted();
        await ask(state, owner, context);
      }
    } finally {
      unwatch();
      end();
    }
  });

  function follow({ taskId, owner, progressToken }: FollowedTask): void {
    const notify = (notification: object) => {
      // Fails if the client has left.
      server.notification(notification as never).catch(() => {});
    };
    let unwatch = () => {};
    const stop = () => unwatch();
    const show = (state: TaskState) => {
      if (hasEnded(state) && !watches.delete(stop)) return;
      notify({ method: 'notifications/tasks/status', params: legacyTask(state) });
      if (hasEnded(state)) stop();
    };
    watches.add(stop);
    unwatch = tasks.watch(taskId, owner, (change) => {
      if (change.type === 'state') show(change.state);
      else if (change.type === 'message' && progressToken !== undefined)
        notify(progressOf(taskId, progressToken, change));
    });
    // It may have ended already.
    tasks.get(taskId, owner).then(
      (state) => state !== undefined && hasEnded(state) && show(state),
      () => {},
    );
  }

  /** Sends the messages of a task from its first one on, or from `schemakit/from`, to a client that asked for progress. */
  function sendProgress(taskId: string, owner: TaskOwner, { mcpReq }: ServerContext): () => void {
    const { progressToken, 'schemakit/from': from } = (mcpReq._meta ?? {}) as Params;
    if (progressToken === undefined) return () => {};
    const first = Number.isSafeInteger(from) ? Number(from) : 0;
    return tasks.watch(
      taskId,
      owner,
      (change) => {
        if (change.type !== 'message') return;
        const notification = progressOf(taskId, progressToken, change);
        // Fails if the client has left.
        mcpReq.notify(notification as never).catch(() => {});
      },
      first,
    );
  }

  /**
   * Asks the client what the task asks, on the stream of its last request for the result: an earlier stream may be dead, and its
   * question is withdrawn.
   */
  async function ask(state: TaskState, owner: TaskOwner, context: ServerContext): Promise<void> {
    const { taskId } = state;
    asking.get(taskId)?.abort.abort();
    const abort = new AbortController();
    const signal = AbortSignal.any([context.mcpReq.signal, abort.signal]);
    const done = askClient(state, context, signal).then(async (answers) => {
      await tasks.answer(taskId, owner, answers);
    });
    const own = { abort, done };
    asking.set(taskId, own);
    try {
      await done;
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      await asking.get(taskId)?.done.catch(() => {});
    } finally {
      if (asking.get(taskId) === own) asking.delete(taskId);
    }
  }

  return follow;
}

const maxTimerMs = 2 ** 31 - 1;

/** The answers of the client. An error of the client is one, too: it cannot ask. */
async function askClient(
  { taskId, ttlMs, inputRequests = {} }: TaskState,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const options = { signal, timeout: ttlMs ?? maxTimerMs };
  const answers = Object.entries(inputRequests).map(async ([key, request]) => {
    const { method, params } = request as { method: string; params?: Params };
    const related = { ...params, _meta: { ...Object(params?._meta), ...relatedTask(taskId) } };
    try {
      return [key, await mcpReq.send({ method, params: related } as never, options)];
    } catch (error) {
      if (!isClientError(error)) throw error;
      return [key, { action: 'cancel' }];
    }
  });
  return Object.fromEntries(await Promise.all(answers));
}

async function find(tasks: TaskProvider, { taskId }: Params, context: ServerContext): Promise<TaskState> {
  const state = await tasks.get(String(taskId), taskOwner(context));
  if (state === undefined) throw unknownTask(taskId);
  return state;
}

/** A task whose tool failed has failed, too. */
function legacyTask({ ttlMs, pollIntervalMs, result, error, inputRequests, ...task }: TaskState) {
  const isToolError = result?.isError === true;
  const statusMessage = error?.message ?? (isToolError ? textOf(result) : task.statusMessage);
  return {
    ...task,
    ...(isToolError && { status: 'failed' }),
    ...(statusMessage !== undefined && { statusMessage }),
    ...{ ttl: ttlMs, pollInterval: pollIntervalMs },
  };
}

function textOf({ content }: CallResult): string | undefined {
  return content.find((part) => part.type === 'text')?.text;
}

/** What the call would have answered. */
function resultOf({ taskId, result, error }: TaskState): CallResult {
  if (error !== undefined) throw protocolError(error.message, error);
  if (result === undefined) {
    throw protocolError(`Task ${taskId} was cancelled, so it has no result.`, { code: -32000 });
  }
  return { ...result, _meta: { ...result._meta, ...relatedTask(taskId) } };
}

function relatedTask(taskId: string): Record<string, unknown> {
  return { 'io.modelcontextprotocol/related-task': { taskId } };
}

function progressOf(taskId: string, progressToken: unknown, { seq, message }: { seq: number; message: string }) {
  const params = { progressToken, progress: seq + 1, message, _meta: relatedTask(taskId) };
  return { method: 'notifications/progress', params };
}

function isClientError(error: unknown): boolean {
  return error instanceof Error && Number.isSafeInteger((error as { code?: unknown }).code);
}
