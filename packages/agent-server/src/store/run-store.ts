/**
 * Where runs are stored: their journals, who works on them, and how they ended. Every write of a worker carries the number of its lease
 * (`fence`), so that one that was stopped for a while cannot write after another has taken over.
 *
 * Times are milliseconds since 1970. Runs, journals and records that have expired are as if they had never been there.
 */
export interface RunStore {
  /** Stores a new run, which waits for a worker, with the first entries of its journal. */
  create(run: NewRun, entries: readonly string[]): Promise<void>;
  get(id: string): Promise<StoredRun | undefined>;
  /** Oldest first, those of one owner or of all. */
  list(options: { owner?: string; after?: string; limit: number }): Promise<StoredRun[]>;
  /** The entries of a journal from number `from` (0). */
  read(id: string, from?: number): Promise<string[]>;
  /**
   * Adds entries to the journal and changes the run with them, all or nothing.
   *
   * @throws {@link LeaseLostError} if the run has another lease by now, has ended or is gone.
   */
  append(id: string, fence: number, entries: readonly string[], change?: RunChange): Promise<void>;
  /**
   * Leases a run that waits for a worker, or whose lease has run out: the one with this id, or the oldest of these tools. The number of
   * the lease is one more than that of the last.
   */
  claim(options: { leaseMs: number; tools: readonly string[]; id?: string }): Promise<StoredRun | undefined>;
  /**
   * Extends a lease.
   *
   * @throws {@link LeaseLostError} as `append`.
   */
  renew(id: string, fence: number, leaseMs: number): Promise<StoredRun>;
  /** Changes a run from outside: asks its worker to cancel it, answers its question, or lets it start again. */
  request(id: string, request: RunRequest): Promise<StoredRun | undefined>;
  /** Calls `listener` when a run has changed, also by another process. Returns the function that ends this. */
  watch(listener: (id: string) => void): () => void;
  /** Records that are not runs, such as receipts of payments. False if `ifAbsent` is set and there is one. */
  putRecord(key: string, text: string, options: { expiresAt: number; ifAbsent?: boolean }): Promise<boolean>;
  getRecord(key: string): Promise<string | undefined>;
  deleteRecord(key: string): Promise<void>;
  /** Deletes what has expired. */
  expire(): Promise<void>;
  close(): Promise<void>;
}

export interface NewRun {
  /** 128 random bits as text. */
  id: string;
  /** Name of the MCP tool. */
  tool: string;
  /** Who may see the run; undefined: whoever knows its id. */
  owner?: string;
  createdAt: number;
  /** When it is deleted. */
  expiresAt: number;
}

/** `waiting`: for a worker; `paused`: for the answer of its user. */
export type RunPhase = 'waiting' | 'running' | 'paused' | 'ended';

export interface RunChange {
  phase: RunPhase;
}

/** Requests from outside. `answer`: of the user, to the question of a paused run. */
export type RunRequest = { type: 'cancel' } | { type: 'answer'; answer: string } | { type: 'retry' };

export interface StoredRun extends NewRun {
  phase: RunPhase;
  updatedAt: number;
  /** Number of the last lease; 0 before the first. */
  fence: number;
  /** Leases that ran out while a worker had the run. */
  kills: number;
  /** Whether somebody asked to cancel it. */
  isCancelled: boolean;
  /** The answer to its question. */
  answer?: string;
}

/** Another worker has the run. Whoever gets this stops working on it and writes nothing more. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}
