import { randomBytes } from 'node:crypto';
import { scrubJson } from '@schemakit/http';
import type { CallResult, StartOptions, TaskOwner, TaskProvider, TaskState } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import type { RunEvent } from '../run/events.ts';
import { createRunState } from '../run/run-state.ts';
import { answerOf, canElicit } from '../serve/elicitation.ts';
import { progressText } from '../serve/progress-text.ts';
import { depthOf, withoutToken } from '../serve/served-agent.ts';
import { type RunStore, type StoredRun, UnreadableError } from '../store/run-store.ts';
import { lastMessage, parseEvents, questionKey, taskState, taskStatus } from './task-state.ts';
import { type Every, every as everySystem } from './timers.ts';
import { createWorker } from './worker.ts';

export interface TaskEngineOptions {
  /** Calls wait until it is open. */
  store: RunStore | Promise<RunStore>;
  /** By the name of the MCP tool. */
  agents: ReadonlyMap<string, OpenAgent>;
  /** Receives the events that this process writes. */
  onEvent?: (event: RunEvent, run: Pick<StoredRun, 'tool' | 'owner'>) => void;
  /** Called when a run has ended, once in the process that has ended it; such as to settle its payment. One that was cancelled has failed. */
  onResult?: (taskId: string, result: CallResult) => unknown;
  /** Receives errors of the store. */
  onError?: (error: Error) => void;
  recordContent?: boolean | undefined;
  /** Runs at once in this process; others wait. Default 100. */
  maxRuns?: number;
  /** How long requests in flight may take when it closes, in milliseconds. Default 5,000. */
  graceMs?: number;
  /** Ends calls that wait for a task, before the engine is closed. */
  closing?: AbortSignal;
  /** Milliseconds since 1970. */
  now?: () => number;
  every?: Every;
}

export interface TaskEngine extends TaskProvider {
  /** Needs of a tool only its name. `contextId` is the conversation that an A2A client groups the task in. */
  start(
    tool: { listing: { name: string } },
    args: Record<string, unknown>,
    options: Omit<StartOptions, 'callTool'> & { contextId?: string },
  ): Promise<TaskState>;
  /** The journal of a run. Undefined for unknown tasks. */
  events(taskId: string, owner: TaskOwner): Promise<RunEvent[] | undefined>;
  /** Rejects if the store cannot be opened. */
  ready: Promise<unknown>;
  /** Calls `listener` with the events of a run from number `from` on, then with those to come. Undefined for unknown tasks. */
  follow(
    taskId: string,
    owner: TaskOwner,
    listener: (event: RunEvent, tool: string) => void,
    from?: number,
  ): Promise<(() => void) | undefined>;
  /** Hands its runs back to the store, and closes it. */
  close(): Promise<void>;
}

const closingText = 'The server is closing.';
const expireMs = 60_000;
/** How often waiting calls look for themselves, in case that the store does not tell. */
const recheckMs = 5_000;
const pageSize = 100;
/** Running tasks whose last messages are kept. */
const maxMessages = 1_000;

/** Runs agents as tasks: their journals are in a store, so that they go on after a restart or in another process. */
export function createTaskEngine({
  store: given,
  agents,
  onEvent = () => {},
  onResult = () => {},
  onError: report,
  recordContent,
  maxRuns = 100,
  graceMs = 5_000,
  closing: closingServer,
  now = Date.now,
  every = everySystem,
}: TaskEngineOptions): TaskEngine {
  const closed = new AbortController();
  const closing = closingServer ? AbortSignal.any([closed.signal, closingServer]) : closed.signal;
  const onError = (error: unknown) => {
    if (error instanceof ReportedError) return;
    report?.(error instanceof Error ? error : new Error(String(error)));
  };
  const ready = Promise.resolve(given).then((store) => {
    const worker = createWorker({
      store,
      agents,
      onEvent,
      onResult,
      onError,
      recordContent,
      maxRuns,
      graceMs,
      every,
    });
    const endExpiry = every(expireMs, () => store.expire().catch(onError));
    return { store, worker, endExpiry };
  });
  const fail = (error: unknown): never => {
    onError(error);
    throw new ReportedError();
  };
  const opening = ready.then(({ store, ...rest }) => ({ store: withFailures(store, fail), ...rest }), fail);
  opening.catch(() => {});

  /** Foreign runs are as unknown ones. */
  const find = async (id: string, owner: TaskOwner): Promise<StoredRun | undefined> => {
    const { store } = await opening;
    const run = await store.get(id);
    return run?.owner === undefined || run.owner === owner ? run : undefined;
  };
  const eventsOf = async (id: string, from?: number) => parseEvents(id, await (await opening).store.read(id, from));
  const lastMessages = new Map<string, { from: number; message: string | undefined }>();
  /** Clients ask for running tasks again and again: of a journal, only what is new is read. */
  const messageOf = async (id: string) => {
    const { from, message } = lastMessages.get(id) ?? { from: 0, message: undefined };
    const events = await eventsOf(id, from);
    const known = { from: from + events.length, message: lastMessage(events) ?? message };
    lastMessages.delete(id);
    lastMessages.set(id, known);
    const [oldest] = lastMessages.keys();
    if (lastMessages.size > maxMessages && oldest !== undefined) lastMessages.delete(oldest);
    return known.message;
  };
  const stateOf = async (run: StoredRun) => {
    const status = taskStatus(run);
    try {
      if (status === 'working') return taskState(run, [], await messageOf(run.id));
      lastMessages.delete(run.id);
      return taskState(run, await eventsOf(run.id));
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      // Of these, the journal has only the message.
      if (status === 'working' || status === 'cancelled') return taskState(run, []);
      return fail(error);
    }
  };
  const get = async (id: string, owner: TaskOwner) => {
    const run = await find(id, owner);
    return run && stateOf(run);
  };
  const request = async (id: string, owner: TaskOwner, change: Parameters<RunStore['request']>[1]) => {
    if ((await find(id, owner)) === undefined) return undefined;
    const { store, worker } = await opening;
    const run = await store.request(id, change);
    worker.look();
    return run && stateOf(run);
  };
  /** Reads a journal from `from` on, and again whenever its run has changed. */
  const read = (
    store: RunStore,
    { id, from }: { id: string; from: number },
    onRead: (events: RunEvent[]) => unknown,
  ) => {
    let next = from;
    let isOpen = true;
    let reading = Promise.resolve();
    const pull = async () => {
      const events = isOpen ? await eventsOf(id, next) : [];
      next += events.length;
      if (isOpen) await onRead(events);
    };
    const changed = () => {
      reading = reading.then(pull).catch(onError);
    };
    const stop = store.watch((changedId) => changedId === id && changed());
    changed();
    return () => {
      isOpen = false;
      stop();
    };
  };

  let ended: Promise<void> | undefined;
  const close = async () => {
    closed.abort();
    const opened = await opening.catch(() => undefined);
    if (opened === undefined) return;
    const { store, worker, endExpiry } = opened;
    endExpiry();
    await worker.close();
    await store.close();
  };

  return {
    ready,
    async start(tool, args, { owner, client, ttlMs, contextId }) {
      const { store, worker } = await opening;
      const agent = agents.get(tool.listing.name);
      if (agent === undefined || closing.aborted) throw new Error(closingText);
      const { name, agent: config } = agent.config;
      const { clock, scrub } = agent.settings();
      const id = randomBytes(16).toString('hex');
      const createdAt = now();
      const event: RunEvent = {
        type: 'run.started',
        tool: name,
        model: config.model,
        args: scrubJson(withoutToken(args, client), scrub) as typeof args,
        depth: depthOf(client),
        canAsk: canElicit(client),
        ...(contextId !== undefined && { contextId }),
        ...{ runId: id, seq: 0, time: clock().toISOString() },
      };
      const expiresAt = createdAt + ttlMs;
      const run = { id, tool: name, ...(owner !== undefined && { owner }), createdAt, expiresAt };
      await store.create(run, [JSON.stringify(event)]);
      onEvent(event, run);
      worker.look();
      return taskState({ ...run, phase: 'waiting', updatedAt: createdAt, fence: 0, kills: 0, isCancelled: false }, [
        event,
      ]);
    },
    get,
    events: async (id, owner) => (await find(id, owner)) && eventsOf(id).catch(fail),
    async wait(id, owner, signal) {
      const { store } = await opening;
      const either = AbortSignal.any([signal, closing]);
      let wake = () => {};
      const endings = [store.watch((changed) => changed === id && wake()), every(recheckMs, () => wake())];
      either.addEventListener('abort', () => wake(), { once: true });
      try {
        for (;;) {
          const { promise: changed, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          if (closing.aborted) throw new Error(closingText);
          const run = await find(id, owner);
          if (run === undefined) return undefined;
          if (taskStatus(run) !== 'working' || signal.aborted) return await stateOf(run);
          await changed;
        }
      } finally {
        for (const end of endings) end();
      }
    },
    async list(owner, cursor) {
      // Without an owner, tasks are known to those who know their ids.
      if (owner === undefined) return { tasks: [] };
      if (cursor !== undefined && (await find(cursor, owner)) === undefined)
        throw new Error('Invalid cursor. Request the list without one.');
      const { store } = await opening;
      const runs = await store.list({ owner, limit: pageSize, ...(cursor !== undefined && { after: cursor }) });
      // Only how a run ended needs its journal.
      const states = runs.map((run) => {
        // One that cannot be read, which is reported, does not hide the others.
        return run.phase === 'ended' ? stateOf(run).catch(() => []) : taskState(run, []);
      });
      const tasks = (await Promise.all(states)).flat();
      const last = runs.length === pageSize ? runs.at(-1)?.id : undefined;
      return { tasks, ...(last !== undefined && { nextCursor: last }) };
    },
    cancel: (id, owner) => request(id, owner, { type: 'cancel' }),
    async answer(id, owner, responses) {
      const { paused } = createRunState((await find(id, owner)) && (await eventsOf(id).catch(fail)));
      const key = paused && questionKey(paused);
      if (key === undefined || !Object.hasOwn(responses, key)) return get(id, owner);
      return request(id, owner, { type: 'answer', answer: JSON.stringify(answerOf(responses, key)) });
    },
    watch(id, owner, listener, from = 0) {
      let status: TaskState['status'] | undefined;
      let stop: (() => void) | undefined;
      let isOpen = true;
      const begin = async () => {
        const { store } = await opening;
        if ((await find(id, owner)) === undefined || !isOpen) return;
        stop = read(store, { id, from }, async (events) => {
          for (const event of events) {
            const message = progressText(event);
            if (message !== undefined) listener({ type: 'message', seq: event.seq, message });
          }
          const run = await find(id, owner);
          if (run === undefined || taskStatus(run) === status) return;
          status = taskStatus(run);
          const state = await stateOf(run);
          if (isOpen) listener({ type: 'state', state });
        });
      };
      begin().catch(onError);
      return () => {
        isOpen = false;
        stop?.();
      };
    },
    async follow(id, owner, listener, from = 0) {
      const { store } = await opening;
      const run = await find(id, owner);
      if (run === undefined) return undefined;
      return read(store, { id, from }, (events) => {
        for (const event of events) listener(event, run.tool);
      });
    },
    sessions: {
      async keep(key, session, ttlMs) {
        const { store } = await opening;
        await store.putRecord(`session:${key}`, JSON.stringify(session), { expiresAt: now() + ttlMs });
      },
      async find(key) {
        const { store } = await opening;
        const text = await store.getRecord(`session:${key}`);
        return text === undefined ? undefined : JSON.parse(text);
      },
      async remove(key) {
        const { store } = await opening;
        await store.deleteRecord(`session:${key}`);
      },
    },
    close: () => {
      ended ??= close();
      return ended;
    },
  };
}

/** What clients are told of an error that was reported: nothing of files and keys. */
class ReportedError extends Error {
  override message = 'The tasks of this server cannot be read or stored at the moment. Try again later.';
}

/** @param fail Receives the errors of the store, but not those of a journal that cannot be read. */
function withFailures(store: RunStore, fail: (error: unknown) => never): RunStore {
  const orFail =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      call(...args).catch(fail);
  return {
    ...store,
    create: orFail(store.create),
    get: orFail(store.get),
    list: orFail(store.list),
    read: (id, from) =>
      store.read(id, from).catch((error: unknown) => {
        if (error instanceof UnreadableError) throw error;
        return fail(error);
      }),
    request: orFail(store.request),
    putRecord: orFail(store.putRecord),
    getRecord: orFail(store.getRecord),
    deleteRecord: orFail(store.deleteRecord),
  };
}
