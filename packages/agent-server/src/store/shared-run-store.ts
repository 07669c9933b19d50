import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { takeRequest } from './rate-limit.ts';
import { assertLength, claimed, leased, newRun, requested, written } from './run-changes.ts';
import type { RunJob, RunQueue } from './run-queue.ts';
import type { RunCounts, RunStore, StoredRun, WatchListener } from './run-store.ts';

/**
 * What a database does for the runs of several machines. Runs and records are texts to it. A write names the text that it replaces, and
 * fails where that is another one by now: so the rules of runs are in one place, and no lock is held between two messages.
 */
export interface RunTable {
  /** Without user and password. */
  place: string;
  /** Whether a call failed for want of the database: it may, or may not, have done its work. */
  isLost(error: unknown): boolean;
  /** The run with this id, and the time of the database: the clocks of its clients may differ. */
  findRun(id: string): Promise<Found>;
  /** False, and nothing is stored, if the run is not `replaces`, or there is one and `replaces` is undefined. */
  saveRun(change: RunChange): Promise<boolean>;
  /** A run whose lease has run out. It is kept from other workers for `holdMs`: time enough to save the claim. */
  pickLost(options: { holdMs: number; tools: readonly string[]; except: readonly string[] }): Promise<Found>;
  listRuns(options: { owner?: string; after?: string; limit: number }): Promise<string[]>;
  /** Those that wait, the oldest first. */
  listWaiting(limit: number): Promise<string[]>;
  readEntries(id: string, from: number): Promise<string[]>;
  countRuns(): Promise<RunCounts>;
  findRecord(key: string): Promise<Found>;
  /** @param replaces As in `saveRun`, or `any`. */
  putRecord(
    key: string,
    text: string,
    options: { expiresAt: number; replaces: string | undefined | typeof any },
  ): Promise<boolean>;
  deleteRecord(key: string): Promise<void>;
  /** Deletes what has expired, and tells which runs. */
  expire(): Promise<string[]>;
  close(): Promise<void>;
}

/** `now`: instead of the clock of the database. */
export type OpenTable = (
  url: string,
  options: { tell: WatchListener; now?: (() => number) | undefined },
) => Promise<RunTable>;

export interface Found {
  text?: string | undefined;
  now: number;
}

export interface RunChange {
  run: StoredRun;
  /** The run, the length of its journal, and what no other change has: two in one millisecond would else leave the same text. */
  text: string;
  replaces: string | undefined;
  /** Number of the first entry. */
  from: number;
  entries: readonly string[];
  /** Whether the lease of another worker has run out. */
  isKill?: boolean;
  /** Whether watchers need not know of it. */
  isQuiet?: boolean;
}

export const any: unique symbol = Symbol('any');

/** A connection that owes an answer for so long is given up. */
export const silentMs = 5_000;
/** How long a worker that looks for a run keeps it from others. One that dies before it has claimed the run holds it no longer. */
const holdMs = 1_000;
/** How long the job of a run is postponed that is not saved as waiting yet, at least and at most. */
const unsavedMs = { min: 200, max: 60_000 };
/** How long such a job is kept: after that, the process that made it has ended. */
const maxUnsavedMs = 3_600_000;
/** How many of those that have waited longest are looked after at once. */
const lookAfter = 100;
/** How long a call tries again while the database cannot be reached, and how long it waits in between. */
const maxWaitMs = 10_000;
const pauseMs = 100;

export interface SharedDatabase {
  openTable: OpenTable;
  openQueue(url: string): Promise<RunQueue>;
}

/**
 * Runs in a database that several machines share. A run that waits has a job in the queue, from before it is saved as waiting until a
 * worker has claimed it: so none is forgotten, whatever ends in between. A job whose run does not wait does nothing.
 *
 * @param options.now Instead of the clock of the database.
 */
export async function openSharedRunStore(
  { openTable, openQueue }: SharedDatabase,
  url: string,
  { now }: { now?: (() => number) | undefined } = {},
): Promise<RunStore> {
  const listeners = new Set<{ listener: WatchListener }>();
  const tell: WatchListener = (...change) => {
    for (const { listener } of listeners) listener(...change);
  };
  const opened = await openTable(url, { tell, now });
  const queue = await openQueue(url).catch(async (error: Error) => {
    await opened.close();
    throw new Error(`Cannot open the runs at ${opened.place}: ${error.message}`, { cause: error });
  });
  /** Calls that fail for want of the database are made again: of writes, the second fails where the first was stored. */
  const again =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      for (const deadline = performance.now() + maxWaitMs; ; await setTimeout(pauseMs)) {
        try {
          return await call(...args);
        } catch (error) {
          if (!opened.isLost(error)) throw error;
          if (performance.now() > deadline)
            throw new Error(`Cannot use the runs at ${opened.place}: ${(error as Error).message}`, { cause: error });
        }
      }
    };
  const table = {
    findRun: again(opened.findRun),
    saveRun: again(opened.saveRun),
    pickLost: again(opened.pickLost),
    listRuns: again(opened.listRuns),
    listWaiting: again(opened.listWaiting),
    readEntries: again(opened.readEntries),
    countRuns: again(opened.countRuns),
    findRecord: again(opened.findRecord),
    putRecord: again(opened.putRecord),
    deleteRecord: again(opened.deleteRecord),
    expire: again(opened.expire),
  };
  const waiting = {
    add: again(queue.add),
    // Whoever looks for runs looks again soon, and has to look for those of workers that are gone, too.
    next: (tools: readonly string[]) =>
      queue.next(tools).catch((error) => {
        if (!opened.isLost(error)) throw error;
        return undefined;
      }),
    remove: again(queue.remove),
  };

  /** How far the clock of the database is ahead of `performance.now()`. */
  let aheadMs = 0;
  const read = (found: Found): State => {
    aheadMs = found.now - performance.now();
    return toState(found);
  };
  const findRun = async (id: string) => read(await table.findRun(id));
  /**
   * @param decide What becomes of the run; undefined: it stays as it is.
   * @param start The run as it may be. If it is another by now, it is read, and decided again.
   */
  const change = async (
    id: string,
    decide: (state: State) => Decision | undefined,
    start?: State,
  ): Promise<Pick<State, 'run' | 'text'>> => {
    let state = start ?? (await findRun(id));
    for (let tried: RunChange | undefined; ; state = await findRun(id)) {
      // It was stored, and the answer got lost.
      if (tried !== undefined && tried.text === state.text) return state;
      const decision = decide(state);
      if (decision === undefined) return state;
      tried = toChange(decision, state);
      if (decision.run.phase === 'waiting' && state.run?.phase !== 'waiting') await waiting.add(decision.run);
      if (await table.saveRun(tried)) return tried;
    }
  };
  /** The runs that this process works on, as its last write left them: the next need not read them before. */
  const ownRuns = new Map<string, string>();
  const keepOwn = ({ run, text }: Pick<State, 'run' | 'text'>) => {
    if (run?.phase === 'running' && text !== undefined) ownRuns.set(run.id, text);
    return run as StoredRun;
  };
  const changeOwn = async (id: string, fence: number, decide: (run: StoredRun, state: State) => Decision) => {
    const own = toState({ text: ownRuns.get(id), now: now?.() ?? Math.round(performance.now() + aheadMs) });
    ownRuns.delete(id);
    const start = own.run?.fence === fence ? own : undefined;
    return keepOwn(await change(id, (state) => decide(leased(state.run, id, fence), state), start));
  };

  const claimLost = async ({ leaseMs, tools, except = [] }: ClaimOptions): Promise<StoredRun | undefined> => {
    for (;;) {
      const found = await table.pickLost({ holdMs, tools, except });
      if (found.text === undefined) return undefined;
      const start = read(found);
      const { run: picked } = start;
      if (picked === undefined) continue;
      let isOurs = false;
      const claim = ({ text, now }: State) => {
        // Else somebody has requested something, or its worker goes on.
        isOurs = text === found.text;
        return isOurs ? { run: claimed(picked, { leaseMs, now }), isKill: true } : undefined;
      };
      const changed = await change(picked.id, claim, start);
      if (isOurs) return keepOwn(changed);
    }
  };
  const claimNext = async ({ leaseMs, tools, except = [] }: ClaimOptions): Promise<StoredRun | undefined> => {
    const left: RunJob[] = [];
    try {
      for (;;) {
        const job = await waiting.next(tools);
        if (job === undefined) return undefined;
        if (except.includes(job.id)) {
          // Held for as long as this takes, else it would come again as the next.
          left.push(job);
          continue;
        }
        const { before, ours } = await claimIf(job.id, leaseMs, ({ fence }) => fence === job.fence);
        const postponeMs = ours === undefined ? postponeFor(job, before) : undefined;
        await quietly(postponeMs === undefined ? job.done() : job.postpone(postponeMs));
        if (ours !== undefined) return ours;
      }
    } finally {
      // In this order, the first comes first again.
      for (const job of left.toReversed()) await quietly(job.giveBack());
    }
  };
  /** A job that does not hear of it comes again, when its lock has run out. */
  const quietly = (call: Promise<unknown>) => call.catch(() => {});
  /** @returns The run as it was, and as it is if this process has it now. */
  const claimIf = async (id: string, leaseMs: number, isIt: (run: StoredRun) => boolean) => {
    let before: StoredRun | undefined;
    let isOurs = false;
    const changed = await change(id, ({ run, now }) => {
      before = run;
      isOurs = run?.phase === 'waiting' && isIt(run);
      return isOurs && run ? { run: claimed(run, { leaseMs, now }) } : undefined;
    });
    return { before, ours: isOurs ? keepOwn(changed) : undefined };
  };

  const findRecord = async (key: string) => {
    const found = await table.findRecord(key);
    return { ...found, record: parseLive<{ text: string; expiresAt: number }>(found)?.text };
  };
  const putRecord = (key: string, text: string, expiresAt: number, replaces: string | undefined | typeof any) =>
    table.putRecord(key, JSON.stringify({ text, expiresAt }), { expiresAt, replaces });

  return {
    async create(given, entries) {
      const run = newRun(given);
      let isTried = false;
      await change(run.id, ({ text }) => {
        if (text !== undefined && !isTried) throw new Error(`The run ${run.id} exists already`);
        isTried = true;
        return text === undefined ? { run, entries } : undefined;
      });
    },
    get: async (id) => (await findRun(id)).run,
    list: async (options) => (await table.listRuns(options)).map((text) => readRun(text).run),
    async read(id, from = 0) {
      const [{ run }, entries] = await Promise.all([findRun(id), table.readEntries(id, from)]);
      return run === undefined ? [] : entries;
    },
    readAnswer: async (id) => (await findRun(id)).run?.answer,
    append: (id, { fence, from, entries, phase = 'running' }) =>
      changeOwn(id, fence, (run, { length, now }) => {
        assertLength(length, id, from ?? length);
        return { run: written(run, { phase, now }), entries };
      }),
    claim: async (options) => (await claimLost(options)) ?? claimNext(options),
    async claimWaiting(id, leaseMs) {
      const { before, ours } = await claimIf(id, leaseMs, () => true);
      if (ours !== undefined && before !== undefined) await waiting.remove(before);
      return ours;
    },
    renew: (id, fence, leaseMs) =>
      changeOwn(id, fence, (run, { now }) => ({ run: { ...run, leaseEndsAt: now + leaseMs }, isQuiet: true })),
    async request(id, request) {
      const { run } = await change(id, ({ run, now }) => {
        const next = run && requested(run, request, now);
        return next && { run: next };
      });
      return run;
    },
    watch(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    async putRecord(key, text, { expiresAt, ifAbsent = false }) {
      if (!ifAbsent) return putRecord(key, text, expiresAt, any);
      for (;;) {
        const found = await findRecord(key);
        if (found.record !== undefined) return false;
        if (await putRecord(key, text, expiresAt, found.text)) return true;
      }
    },
    getRecord: async (key) => (await findRecord(key)).record,
    deleteRecord: table.deleteRecord,
    async take(name, limit) {
      const key = `rate:${name}`;
      for (;;) {
        const { record, text, now } = await findRecord(key);
        const taken = takeRequest(record, limit, now);
        if ('waitMs' in taken) return taken.waitMs;
        if (await putRecord(key, taken.record, now + limit.perMs, text)) return 0;
      }
    },
    counts: table.countRuns,
    async expire() {
      for (const text of await table.expire()) {
        const { run } = readRun(text);
        if (run.phase === 'waiting') await waiting.remove(run);
      }
      // Somebody may have deleted their jobs. Those that have one get no other.
      for (const text of await table.listWaiting(lookAfter)) await waiting.add(readRun(text).run);
    },
    async close() {
      await queue.close().finally(opened.close);
    },
  };
}

/** What watchers are told of a run. */
export function toMessage({ id, phase, isCancelled }: StoredRun): string {
  return JSON.stringify([id, { phase, isCancelled }]);
}

export function fromMessage(message: string): Parameters<WatchListener> {
  return JSON.parse(message) as Parameters<WatchListener>;
}

/** A run as it was at a time of the database. */
interface State extends Found {
  run?: StoredRun;
  /** Of its journal. */
  length: number;
}

type ClaimOptions = Parameters<RunStore['claim']>[0];

/** For a run that may be about to be saved as waiting. Undefined: the job is of an earlier time that it waited, or of a run that never came. */
function postponeFor({ fence, queuedAt }: RunJob, run: StoredRun | undefined): number | undefined {
  const ageMs = Date.now() - queuedAt;
  if (ageMs > maxUnsavedMs || (run !== undefined && run.fence !== fence)) return undefined;
  return Math.min(Math.max(ageMs, unsavedMs.min), unsavedMs.max);
}

/** What becomes of a run. */
type Decision = Pick<RunChange, 'run' | 'isKill' | 'isQuiet'> & { entries?: readonly string[] };

function toChange({ entries = [], ...decision }: Decision, { text, length }: State): RunChange {
  const all = JSON.stringify({ ...decision.run, length: length + entries.length, change: randomUUID() });
  return { ...decision, text: all, replaces: text, from: length, entries };
}

function readRun(text: string): { run: StoredRun; length: number } {
  const { length, change: _, ...run } = JSON.parse(text) as StoredRun & { length: number; change: string };
  return { run, length };
}

function toState(found: Found): State {
  return { ...found, ...(isLive(found) ? readRun(found.text) : { length: 0 }) };
}

function parseLive<T extends { expiresAt: number }>({ text, now }: Found): T | undefined {
  const value = text === undefined ? undefined : (JSON.parse(text) as T);
  return value !== undefined && value.expiresAt > now ? value : undefined;
}

/** Whether there is something that has not expired. */
export function isLive(found: Found): found is Found & { text: string } {
  return parseLive(found) !== undefined;
}
