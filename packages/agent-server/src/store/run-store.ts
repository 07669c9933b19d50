/**
 * Where runs are stored: their journals, who works on them, and how they ended. Every write of a worker carries the number of its lease
 * (`fence`), so that one that was stopped for a while cannot write after another has taken over.
 *
 * Texts are JSON, which has no NUL character: SQLite in Node.js 22 cuts texts at one. Times are whole milliseconds since 1970. Runs, journals and records that have expired are as if they had never been there.
 */
export interface RunStore {
  /** Stores a new run, which waits for a worker, with the first entries of its journal. Rejects if there is one with this id. */
  create(run: NewRun, entries: readonly string[]): Promise<void>;
  get(id: string): Promise<StoredRun | undefined>;
  /** Oldest first, those of one owner or of all. `after`: the id of the last run of the page before; without that run the list is empty. */
  list(options: { owner?: string; after?: string; limit: number }): Promise<StoredRun[]>;
  /** The entries of a journal from number `from` (0). */
  read(id: string, from?: number): Promise<string[]>;
  /** The answer to the last question of a run, until it asks another. */
  readAnswer(id: string): Promise<string | undefined>;
  /**
   * Adds entries to the journal and changes the phase of the run, all or nothing. Resolves with the run after that: `isCancelled` tells a
   * worker whether its last entry came after a request to cancel the run.
   *
   * @throws {@link LeaseLostError} if the run has another lease by now, does not run any more or is gone, or if its journal is not as long
   *   as the worker thinks, as after an append that failed without saying whether it was stored.
   */
  append(id: string, entries: NewEntries): Promise<StoredRun>;
  /**
   * Leases a run of these tools: one whose lease has run out, or the run with the highest priority that waits for a worker, of several
   * the one that waits longest. The number of the lease is one more than that of the last.
   */
  claim(options: {
    leaseMs: number;
    tools: readonly string[];
    /** Ids of runs to leave to others. */
    except?: readonly string[];
  }): Promise<StoredRun | undefined>;
  /** Leases this run, if it waits for a worker. */
  claimWaiting(id: string, leaseMs: number): Promise<StoredRun | undefined>;
  /**
   * Extends a lease, also one that has run out as long as nobody has claimed the run.
   *
   * @throws {@link LeaseLostError} if the run has another lease by now, does not run any more or is gone.
   */
  renew(id: string, fence: number, leaseMs: number): Promise<StoredRun>;
  /**
   * Changes a run from outside. Resolves with the run after that, which is unchanged where the request came too late or too early: see
   * {@link RunRequest}.
   */
  request(id: string, request: RunRequest): Promise<StoredRun | undefined>;
  /**
   * Calls `listener` when a run is new, was claimed, requested or written to, also by another process. It may hear of a change twice, and
   * of several at once. Extended leases and expired runs are no changes. Returns the function that ends this.
   */
  watch(listener: WatchListener): () => void;
  /** Stores what is not a run, such as receipts of payments. False if `ifAbsent` is set and there is a record. */
  putRecord(key: string, text: string, options: { expiresAt: number; ifAbsent?: boolean }): Promise<boolean>;
  getRecord(key: string): Promise<string | undefined>;
  deleteRecord(key: string): Promise<void>;
  /**
   * Takes one of the `requests` that all processes together may make in any `perMs` milliseconds. Resolves with 0 if it was taken, else
   * with the milliseconds until one may be free.
   */
  take(key: string, limit: RateLimit): Promise<number>;
  /** How many runs there are, without reading them all. */
  counts(): Promise<RunCounts>;
  /** Deletes what has expired. */
  expire(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param id Undefined: any run may have changed, as the connection to the store was lost for a while.
 * @param change The run after the change, where it is known.
 */
export type WatchListener = (id: string | undefined, change?: Pick<StoredRun, 'phase' | 'isCancelled'>) => void;

export interface RateLimit {
  requests: number;
  perMs: number;
}

/** Those that have expired may be among them until they are deleted. */
export interface RunCounts extends Record<RunPhase, number> {
  /** Leases that have run out since the store was made. */
  kills: number;
  /** When the oldest of those that wait was created. */
  oldestWaitingAt?: number;
}

export interface NewRun {
  /** 128 random bits as text. */
  id: string;
  /** Name of the MCP tool. */
  tool: string;
  /** Who may see the run; undefined: whoever knows its id. */
  owner?: string;
  /** 0 to 9: workers take higher ones first. Default 0. */
  priority?: number;
  createdAt: number;
  /** When it is deleted. */
  expiresAt: number;
}

/** What a worker adds to the journal of its run. */
export interface NewEntries {
  /** Number of the worker's lease. */
  fence: number;
  /** Number of the first of these entries: how long the journal is before. Unknown to a worker that hands a run back unread. */
  from?: number;
  entries: readonly string[];
  /** The phase of the run from now on. Any but `running` ends the lease. */
  phase?: RunPhase;
}

/** `waiting`: for a worker; `paused`: for the answer of its user. */
export type RunPhase = 'waiting' | 'running' | 'paused' | 'ended';

/**
 * Requests from outside:
 *
 * - `cancel` marks a run that has not ended. One that is paused, or would pause later, waits for a worker again, which ends it.
 * - `answer` answers the question of a paused run, which then waits for a worker.
 * - `retry` lets a run that has ended wait for a worker again, as if it had never been killed or cancelled.
 */
export type RunRequest = { type: 'cancel' } | { type: 'answer'; answer: string } | { type: 'retry' };

export interface StoredRun extends NewRun {
  phase: RunPhase;
  updatedAt: number;
  /** Number of the last lease; 0 before the first. */
  fence: number;
  /** When the lease runs out; undefined unless the run is `running`. */
  leaseEndsAt?: number;
  /** Leases that ran out while a worker had the run. */
  kills: number;
  /** Whether somebody asked to cancel it before it ended. */
  isCancelled: boolean;
  /** The answer to its last question as it is stored: {@link RunStore.readAnswer} reads it. */
  answer?: string;
}

/** The run is another worker's by now, or nobody's. Whoever gets this stops working on it and writes nothing more. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** A text of a run cannot be read, for want of its key or because it is damaged, while the store works. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}
