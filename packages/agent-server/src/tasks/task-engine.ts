import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { scrubJson } from '@schemakit/http';
import type { CallResult, StartOptions, TaskOwner, TaskProvider, TaskState } from '@schemakit/server';
import type { OpenAgent } from '../manifest/open-agent.ts';
import type { RunEvent } from '../run/events.ts';
import { createRunState } from '../run/run-state.ts';
import { depthOf, withoutToken } from '../serve/call-input.ts';
import { answerOf, canElicit } from '../serve/elicitation.ts';
import type { NewRun, RateLimit, RunRequest, RunStore, StoredRun } from '../store/run-store.ts';
import { BusyError, clientStore } from './client-store.ts';
import { followRun, watchTask } from './follow-run.ts';
import { createModelLimit } from './model-limit.ts';
import { runMetrics } from './run-metrics.ts';
import { shareSetting } from './shared-setting.ts';
import { createTaskReader } from './task-reader.ts';
import { questionKey, taskState, taskStatus } from './task-state.ts';
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
  /** Runs at once in this process; others wait. 0: other processes work on them. Default 100. */
  maxRuns?: number;
  /** Runs that may wait for a worker, in all processes together. Default: no limit. */
  maxWaiting?: number;
  /** Requests to the model of `modelKey`, in all processes together. Default: no limit. */
  rateLimit?: RateLimit;
  /** Names the key of the model, and does not tell it. */
  modelKey?: string;
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
  /** The journal of a run from number `from` (0) on. Undefined for unknown tasks, and for those of other tools than `tool`. */
  events(taskId: string, owner: TaskOwner, options?: { tool?: string; from?: number }): Promise<RunEvent[] | undefined>;
  /** Rejects if the store cannot be opened. */
  ready: Promise<unknown>;
  /**
   * Calls `listener` with the events of a run from number `from` on, then with those to come, and `onGone` when the run is not kept any
   * more. Undefined for unknown tasks.
   */
  follow(
    taskId: string,
    owner: TaskOwner,
    listener: (event: RunEvent, tool: string) => void,
    options?: { from?: number; onGone?: () => void },
  ): Promise<(() => void) | undefined>;
  /** Waits until the model may be asked. */
  awaitModel(signal: AbortSignal): Promise<void>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
  /** Hands its runs back to the store, and closes it. */
  close(): Promise<void>;
}

const closingText = 'The server is closing. Try again in 1 second.';
const expireMs = 60_000;
/** How often waiting calls look for themselves, in case that the store does not tell. */
const recheckMs = 5_000;
/** How long metrics wait for the store: less than the 10 seconds after which Prometheus gives up. */
const metricsMs = 2_000;
const pageSize = 100;
const minRetryMs = 1_000;
const maxRetryMs = 60_000;

/** Runs agents as tasks: their journals are in a store, so that they go on after a restart or in another process. */
export function createTaskEngine({
  store: given,
  agents,
  onEvent = () => {},
  onResult = () => {},
  onError: report,
  recordContent,
  maxRuns = 100,
  maxWaiting,
  rateLimit,
  modelKey = '',
  graceMs = 5_000,
  closing: closingServer,
  now = Date.now,
  every = everySystem,
}: TaskEngineOptions): TaskEngine {
  const closed = new AbortController();
  const closing = closingServer ? AbortSignal.any([closed.signal, closingServer]) : closed.signal;
  const onError = (error: unknown) => {
    // It was reported before.
    if (error instanceof BusyError) return;
    report?.(error instanceof Error ? error : new Error(String(error)));
  };
  const opening = Promise.resolve(given);
  const ready = opening.then((opened) => {
    const shared = { store: opened, now, every, onError };
    const modelLimit = createModelLimit({ ...shared, key: modelKey, rateLimit });
    const { wait: awaitModel } = modelLimit;
    const callbacks = { onEvent, onResult, onError };
    return {
      opened,
      modelLimit,
      worker: createWorker({ ...shared, ...callbacks, agents, recordContent, maxRuns, graceMs, awaitModel }),
      queueLimit: shareSetting('maxWaiting', maxWaiting, shared),
      endExpiry: every(expireMs, () => opened.expire().catch(onError)),
    };
  });
  const store = clientStore(opening, onError);
  const reader = createTaskReader(store);
  const get = async (id: string, owner: TaskOwner) => {
    const run = await reader.find(id, owner);
    return run && reader.state(run);
  };
  const request = async (id: string, owner: TaskOwner, change: RunRequest) => {
    if ((await reader.find(id, owner)) === undefined) return undefined;
    const run = await store.request(id, change);
    // It would keep its place in the queue until a worker has room.
    if (run?.isCancelled && run.phase === 'waiting') await ready.then(({ worker }) => worker.end(id)).catch(onError);
    return run && reader.state(run);
  };

  let lastTurn: Promise<unknown> = Promise.resolve();
  /** Queues a run where a queue has room: one after the other, so that each is counted. Some at other servers may pass at once. */
  const createInTurn = async (run: NewRun, entries: readonly string[]) => {
    const { queueLimit } = await ready.catch(store.fail);
    const most = await queueLimit.current();
    if (most === undefined) return store.create(run, entries);
    const turn = lastTurn.then(() => assertRoom(most)).then(() => store.create(run, entries));
    lastTurn = turn.catch(() => {});
    return turn;
  };
  const assertRoom = async (most: number) => {
    const { waiting, oldestWaitingAt = now() } = await store.counts();
    if (waiting < most) return;
    // So long a run waits at the moment.
    const retryMs = Math.min(Math.max(now() - oldestWaitingAt, minRetryMs), maxRetryMs);
    const seconds = Math.ceil(retryMs / 1000);
    const time = seconds === 1 ? '1 second' : `${seconds} seconds`;
    const text = `The queue is full (runs that wait: ${waiting}). Try again in ${time}.`;
    throw new BusyError(text, retryMs);
  };

  let ended: Promise<void> | undefined;
  const close = async () => {
    closed.abort();
    const running = await ready.catch(() => undefined);
    if (running === undefined) return;
    running.endExpiry();
    running.queueLimit.close();
    await running.worker.close();
    running.modelLimit.close();
    await running.opened.close();
  };

  return {
    ready,
    async start(tool, args, { owner, client, ttlMs, contextId }) {
      const agent = agents.get(tool.listing.name);
      if (agent === undefined || closing.aborted) throw new BusyError(closingText, minRetryMs);
      const { name, agent: config, priority } = agent.config;
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
      const chosen = { ...(owner !== undefined && { owner }), ...(priority !== undefined && { priority }) };
      const run = { id, tool: name, ...chosen, createdAt, expiresAt };
      await createInTurn(run, [JSON.stringify(event)]);
      onEvent(event, run);
      return taskState({ ...run, phase: 'waiting', updatedAt: createdAt, fence: 0, kills: 0, isCancelled: false }, [
        event,
      ]);
    },
    get,
    async events(id, owner, { tool, from } = {}) {
      const run = await reader.find(id, owner);
      if (run === undefined || (tool !== undefined && run.tool !== tool)) return undefined;
      return reader.events(id, from).catch(store.fail);
    },
    async wait(id, owner, signal) {
      const either = AbortSignal.any([signal, closing]);
      let wake = () => {};
      const changed = (changedId?: string) => {
        if (changedId === id || changedId === undefined) wake();
      };
      const endings = [store.watch(changed), every(recheckMs, changed)];
      either.addEventListener('abort', () => wake(), { once: true });
      try {
        for (;;) {
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          if (closing.aborted) throw new BusyError(closingText, minRetryMs);
          const run = await reader.find(id, owner);
          if (run === undefined) return undefined;
          if (taskStatus(run) !== 'working' || signal.aborted) return await reader.state(run);
          await promise;
        }
      } finally {
        for (const end of endings) end();
      }
    },
    async list(owner, cursor) {
      // Without an owner, tasks are known to those who know their ids.
      if (owner === undefined) return { tasks: [] };
      if (cursor !== undefined && (await reader.find(cursor, owner)) === undefined)
        throw new Error('Invalid cursor. Request the list without one.');
      const runs = await store.list({ owner, limit: pageSize, ...(cursor !== undefined && { after: cursor }) });
      // Only how a run ended needs its journal.
      const states = runs.map((run) => {
        // One that cannot be read, which is reported, does not hide the others.
        return run.phase === 'ended' ? reader.state(run).catch(() => []) : taskState(run, []);
      });
      const tasks = (await Promise.all(states)).flat();
      const last = runs.length === pageSize ? runs.at(-1)?.id : undefined;
      return { tasks, ...(last !== undefined && { nextCursor: last }) };
    },
    cancel: (id, owner) => request(id, owner, { type: 'cancel' }),
    async answer(id, owner, responses) {
      const { paused } = createRunState((await reader.find(id, owner)) && (await reader.events(id).catch(store.fail)));
      const key = paused && questionKey(paused);
      if (key === undefined || !Object.hasOwn(responses, key)) return get(id, owner);
      return request(id, owner, { type: 'answer', answer: JSON.stringify(answerOf(responses, key)) });
    },
    watch: (id, owner, listener, from = 0) => watchTask({ store, reader, id, owner, from, onError, every }, listener),
    async follow(id, owner, listener, { from = 0, onGone = () => {} } = {}) {
      const run = await reader.find(id, owner);
      if (run === undefined) return undefined;
      return followRun({ store, reader, id, from, onError, every }, async (events) => {
        for (const event of events) listener(event, run.tool);
        if (events.length === 0 && (await reader.find(id, owner)) === undefined) onGone();
      });
    },
    awaitModel: async (signal) => (await ready).modelLimit.wait(signal),
    async metrics() {
      const soon = <T>(answer: Promise<T>) =>
        Promise.race([answer, setTimeout(metricsMs, undefined, { ref: false })]).catch(() => undefined);
      const [counted, opened] = await Promise.all([soon(store.counts()), soon(ready)]);
      const worked = opened?.worker.counts() ?? { running: 0, ended: new Map() };
      return runMetrics(counted, worked, { maxRuns, now: now() });
    },
    sessions: {
      async keep(key, session, ttlMs) {
        await store.putRecord(`session:${key}`, JSON.stringify(session), { expiresAt: now() + ttlMs });
      },
      async find(key) {
        const text = await store.getRecord(`session:${key}`);
        return text === undefined ? undefined : JSON.parse(text);
      },
      remove: (key) => store.deleteRecord(`session:${key}`),
    },
    close: () => {
      ended ??= close();
      return ended;
    },
  };
}
