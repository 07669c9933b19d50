import type { CallResult, ClientContext, ServedTool } from '../catalog/tool-catalog.ts';
import type { ToolCaller } from '../tool-calls.ts';

/**
 * Runs calls as tasks and knows how they stand. It hears nothing of wire formats, which differ between the revisions of MCP. A task of
 * another owner is as unknown as one that does not exist.
 */
export interface TaskProvider {
  /** Starts a call as a task. When it resolves, `get` finds the task. */
  start(tool: ServedTool, args: Record<string, unknown>, options: StartOptions): Promise<TaskState>;
  /** Undefined for a task that does not exist, has expired, or belongs to somebody else. */
  get(taskId: string, owner: TaskOwner): Promise<TaskState | undefined>;
  /** Resolves when the task has ended or needs an answer, or `signal` aborts. */
  wait(taskId: string, owner: TaskOwner, signal: AbortSignal): Promise<TaskState | undefined>;
  /** Oldest first. Rejects for an unknown cursor. */
  list(owner: TaskOwner, cursor?: string): Promise<{ tasks: TaskState[]; nextCursor?: string }>;
  /** Resolves when the task has ended: it is cancelled, or had ended before. */
  cancel(taskId: string, owner: TaskOwner): Promise<TaskState | undefined>;
  /** Answers `inputRequests` of a task, which goes on after the last one. Ignores responses that it does not wait for. */
  answer(taskId: string, owner: TaskOwner, responses: Record<string, unknown>): Promise<TaskState | undefined>;
  /** Calls `listener` with each change of a task, and with its messages from number `from` (0) on. */
  watch(taskId: string, owner: TaskOwner, listener: (change: TaskChange) => void, from?: number): () => void;
  /** Sessions of older revisions that own tasks, so that they can go on after a restart: JSON, by a hash of their ids. */
  sessions: {
    /** Keeps it for `ttlMs` milliseconds at least. It is called again for each task. */
    keep(key: string, session: unknown, ttlMs: number): Promise<void>;
    find(key: string): Promise<unknown>;
    remove(key: string): Promise<void>;
  };
}

/** Who may see a task: a subject of tokens or a session. Undefined: whoever knows its id. */
export type TaskOwner = string | undefined;

export interface StartOptions {
  owner: TaskOwner;
  client: ClientContext;
  /** How long to keep the task after its creation, in milliseconds. */
  ttlMs: number;
  /** Calls tools as the server does: with its time limit, records and traces. */
  callTool: ToolCaller;
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export interface TaskState {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  lastUpdatedAt: string;
  /** Lifetime from `createdAt`; null for no limit. */
  ttlMs: number | null;
  pollIntervalMs: number;
  /** If `completed`. It may have `isError`. */
  result?: CallResult;
  /** If `failed`: a JSON-RPC error. */
  error?: { code: number; message: string; data?: unknown };
  /** If `input_required`: the open requests to the client, by keys that a task uses once (MCP 2026-07-28). */
  inputRequests?: Record<string, unknown>;
}

/** A change of a task. `seq` counts its messages from 0. `gone`: it has expired, or was deleted; nothing follows. */
export type TaskChange =
  | { type: 'message'; seq: number; message: string }
  | { type: 'state'; state: TaskState }
  | { type: 'gone' };
