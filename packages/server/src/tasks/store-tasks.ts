import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { CallResult, ClientContext, ServedTool } from '../catalog/tool-catalog.ts';
import type { StartOptions, TaskChange, TaskOwner, TaskProvider, TaskState } from './task-provider.ts';
import type { Task, TaskStore } from './task-store.ts';

/** A task that this process runs. */
interface RunningTask {
  owner: TaskOwner;
  abort: AbortController;
  /** Its listeners, by the event `change`. */
  changes: EventEmitter;
  /** The last ones. */
  messages: { seq: number; message: string }[];
  question?: Question;
  /** Writes to the store, in order. */
  written: Promise<unknown>;
  hasEnded: boolean;
  expiry: NodeJS.Timeout;
}

/** What a tool asks the client, and the answers so far. */
interface Question {
  open: Map<string, unknown>;
  answers: Record<string, unknown>;
  resolve: (answers: Record<string, unknown>) => void;
}

const maxMessages = 1000;
const askAgainMs = 1000;
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs tasks in this process and stores how they stand. A task whose process has ended does not go on.
 *
 * @example
 * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * const server = createServer(schemas, { tasks: storeTasks(new InMemoryTaskStore()) });
 * const { close } = await server.http();
 * await close();
 */
export function storeTasks(store: TaskStore): TaskProvider {
  const running = new Map<string, RunningTask>();
  const sessions = new Map<string, { session: unknown; end: number }>();

  function ownTask(taskId: string, owner: TaskOwner): RunningTask | undefined {
    const task = running.get(taskId);
    return task?.owner === owner ? task : undefined;
  }

  async function stateOf({ ttl, pollInterval = 1000, ...task }: Task, owner: TaskOwner): Promise<TaskState> {
    const state: TaskState = { ...task, ttlMs: ttl, pollIntervalMs: pollInterval };
    const { status, taskId } = state;
    if (status === 'completed' || status === 'failed') return { ...state, ...(await endOf(taskId, owner)) };
    const { question } = ownTask(taskId, owner) ?? {};
    if (status !== 'input_required' || question === undefined) return state;
    return { ...state, inputRequests: Object.fromEntries(question.open) };
  }

  /** In the store, as in MCP 2025-11-25, a task has failed whose tool did. */
  async function endOf(taskId: string, owner: TaskOwner): Promise<Pick<TaskState, 'status' | 'result' | 'error'>> {
    const result = await store.getTaskResult(taskId, owner);
    const { error } = Object(result) as Pick<TaskState, 'error'>;
    return error === undefined ? { status: 'completed', result: result as CallResult } : { status: 'failed', error };
  }

  async function get(taskId: string, owner: TaskOwner): Promise<TaskState | undefined> {
    await ownTask(taskId, owner)?.written;
    const task = await store.getTask(taskId, owner);
    return task === null ? undefined : stateOf(task, owner);
  }

  /** Writes to the store and then tells the listeners. */
  function write(taskId: string, task: RunningTask, change: () => Promise<void>, tell: () => Promise<TaskChange>) {
    task.written = task.written
      .then(change)
      .then(tell)
      .then((told) => void task.changes.emit('change', told))
      // Another process has ended the task, or it has expired.
      .catch(() => stop(taskId, task));
    return task.written;
  }

  const stateChange = (taskId: string, owner: TaskOwner) => async (): Promise<TaskChange> => {
    const task = await store.getTask(taskId, owner);
    if (task === null) throw new Error(`There is no task ${taskId}.`);
    return { type: 'state', state: await stateOf(task, owner) };
  };

  function watch(taskId: string, owner: TaskOwner, listener: (change: TaskChange) => void, from = 0): () => void {
    const task = ownTask(taskId, owner);
    if (task === undefined) return () => {};
    // A message is told when it is stored, which the last ones may not be yet.
    let next = from;
    const tell = (change: TaskChange) => {
      if (change.type === 'message') {
        if (change.seq < next) return;
        next = change.seq + 1;
      }
      listener(change);
    };
    for (const message of task.messages) tell({ type: 'message', ...message });
    task.changes.on('change', tell);
    return () => void task.changes.off('change', tell);
  }

  function stop(taskId: string, task: RunningTask): void {
    task.hasEnded = true;
    clearTimeout(task.expiry);
    running.delete(taskId);
    task.abort.abort(new DOMException('The task was cancelled', 'AbortError'));
  }

  function report(taskId: string, task: RunningTask, message: string): void {
    if (task.hasEnded) return;
    const seq = (task.messages.at(-1)?.seq ?? -1) + 1;
    task.messages.push({ seq, message });
    if (task.messages.length > maxMessages) task.messages.shift();
    const change = () => store.updateTaskStatus(taskId, 'working', message, task.owner);
    void write(taskId, task, change, async () => ({ type: 'message', seq, message }));
  }

  async function end(taskId: string, task: RunningTask, result: CallResult | { error: TaskState['error'] }) {
    if (task.hasEnded) return;
    task.hasEnded = true;
    const status = 'error' in result || result.isError === true ? 'failed' : 'completed';
    const change = () => store.storeTaskResult(taskId, status, result, task.owner);
    await write(taskId, task, change, stateChange(taskId, task.owner));
    clearTimeout(task.expiry);
    running.delete(taskId);
  }

  /** Asks the client. Never resolves if the task is cancelled. */
  async function ask(taskId: string, task: RunningTask, requests: [key: string, request: unknown][], round: number) {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    // A task uses a key once, a tool may use it in each round.
    const suffix = round === 0 ? '' : `#${round + 1}`;
    const open = new Map(requests.map(([key, request]) => [`${key}${suffix}`, request]));
    const change = async () => {
      task.question = { open, answers: {}, resolve };
      await store.updateTaskStatus(taskId, 'input_required', undefined, task.owner);
    };
    await write(taskId, task, change, stateChange(taskId, task.owner));
    const answers = Object.entries(await promise);
    return Object.fromEntries(answers.map(([key, answer]) => [key.slice(0, key.length - suffix.length), answer]));
  }

  async function run(
    taskId: string,
    task: RunningTask,
    tool: ServedTool,
    args: Record<string, unknown>,
    { client, callTool }: Pick<StartOptions, 'client' | 'callTool'>,
  ): Promise<void> {
    const { signal } = task.abort;
    const onProgress = (message: string) => report(taskId, task, message);
    let context: ClientContext = client;
    for (let round = 0; ; round += 1) {
      const result: unknown = await callTool(tool, args, { signal, onProgress, client: context });
      if (!isInputRequiredResult(result)) return end(taskId, task, result as CallResult);
      if (task.hasEnded) return;
      const { inputRequests = {}, requestState } = result;
      const requests = Object.entries(inputRequests);
      // Without a question, the tool only wants to be called again.
      if (requests.length === 0) await sleep(askAgainMs, undefined, { signal });
      const inputResponses = requests.length === 0 ? {} : await ask(taskId, task, requests, round);
      context = { ...client, inputResponses, requestState };
    }
  }

  return {
    get,
    watch,
    async start(tool, args, { owner, ttlMs, client, callTool }) {
      // Without the arguments, which the store has no use for.
      const request = { method: 'tools/call', params: { name: tool.listing.name } };
      const created = await store.createTask({ ttl: ttlMs }, 0, request, owner);
      const { taskId } = created;
      const expiry = setTimeout(() => stop(taskId, task), Math.min(ttlMs, maxTimerMs)).unref();
      const task: RunningTask = {
        ...{ owner, abort: new AbortController(), changes: new EventEmitter().setMaxListeners(0), messages: [] },
        ...{ written: Promise.resolve(), hasEnded: false, expiry },
      };
      running.set(taskId, task);
      run(taskId, task, tool, args, { client, callTool }).catch((error) =>
        end(taskId, task, { error: errorOf(error) }),
      );
      return stateOf(created, owner);
    },
    async wait(taskId, owner, signal) {
      for (;;) {
        const changed = new AbortController();
        const unwatch = watch(taskId, owner, ({ type }) => type === 'state' && changed.abort());
        try {
          const state = await get(taskId, owner);
          if (state?.status !== 'working' || signal.aborted) return state;
          // Another process may run it.
          await sleep(state.pollIntervalMs, undefined, { signal: AbortSignal.any([signal, changed.signal]) });
        } catch {
          // It has changed, or the caller waits no longer.
        } finally {
          unwatch();
        }
      }
    },
    async list(owner, cursor) {
      const { tasks, nextCursor } = await store.listTasks(cursor, owner);
      const states = await Promise.all(tasks.map((task) => stateOf(task, owner)));
      return { tasks: states, ...(nextCursor !== undefined && { nextCursor }) };
    },
    async cancel(taskId, owner) {
      const task = ownTask(taskId, owner);
      const change = () => store.updateTaskStatus(taskId, 'cancelled', 'Cancelled by the client.', owner);
      if (task === undefined) await change().catch(() => undefined);
      else if (!task.hasEnded) {
        const written = write(taskId, task, change, stateChange(taskId, owner));
        stop(taskId, task);
        await written;
      } else await task.written;
      return get(taskId, owner);
    },
    async answer(taskId, owner, responses) {
      const task = ownTask(taskId, owner);
      const { question } = task ?? {};
      if (task !== undefined && question !== undefined) {
        for (const [key, response] of Object.entries(responses)) {
          if (question.open.delete(key)) question.answers[key] = response;
        }
        if (question.open.size === 0) {
          delete task.question;
          const change = () => store.updateTaskStatus(taskId, 'working', undefined, owner);
          await write(taskId, task, change, stateChange(taskId, owner));
          question.resolve(question.answers);
        }
      }
      return get(taskId, owner);
    },
    sessions: {
      async keep(key, session, ttlMs) {
        for (const [id, { end }] of [...sessions]) if (end < Date.now()) sessions.delete(id);
        sessions.set(key, { session, end: Date.now() + ttlMs });
      },
      async find(key) {
        const kept = sessions.get(key);
        return kept === undefined || kept.end < Date.now() ? undefined : kept.session;
      },
      async remove(key) {
        sessions.delete(key);
      },
    },
  };
}

/** What a tool threw, as an error of JSON-RPC. */
function errorOf(error: unknown): NonNullable<TaskState['error']> {
  const { code, message, data } = Object(error) as { code?: unknown; message?: unknown; data?: unknown };
  const internalError = -32603;
  return {
    code: Number.isSafeInteger(code) ? Number(code) : internalError,
    message: typeof message === 'string' ? message : String(error),
    ...(data !== undefined && { data }),
  };
}
