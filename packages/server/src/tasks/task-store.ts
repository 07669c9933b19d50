import { randomBytes } from 'node:crypto';

/** A task of MCP 2025-11-25. */
export interface Task {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  lastUpdatedAt: string;
  /** Lifetime in milliseconds; null for no limit. */
  ttl: number | null;
  /** How often clients should ask, in milliseconds. */
  pollInterval?: number;
}

/** Where tasks are stored. Write one of your own for another place. `sessionId` says whom a task belongs to; servers pass a hash. */
export interface TaskStore {
  createTask(
    params: { ttl?: number | null; pollInterval?: number },
    requestId: string | number,
    request: unknown,
    sessionId?: string,
  ): Promise<Task>;
  /** Null for a task that does not exist, has expired, or belongs to another session. */
  getTask(taskId: string, sessionId?: string): Promise<Task | null>;
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: unknown, sessionId?: string): Promise<void>;
  getTaskResult(taskId: string, sessionId?: string): Promise<unknown>;
  updateTaskStatus(taskId: string, status: Task['status'], statusMessage?: string, sessionId?: string): Promise<void>;
  listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: Task[]; nextCursor?: string }>;
}

interface Entry {
  task: Task;
  sessionId: string | undefined;
  result?: unknown;
}

const pageSize = 100;

/** Tasks in the memory of this process, until their `ttl` has passed. */
export class InMemoryTaskStore implements TaskStore {
  readonly #entries = new Map<string, Entry>();

  async createTask(
    { ttl = null, pollInterval = 1000 }: { ttl?: number | null; pollInterval?: number },
    _requestId: string | number,
    _request: unknown,
    sessionId?: string,
  ): Promise<Task> {
    for (const [id, entry] of [...this.#entries]) if (hasExpired(entry)) this.#entries.delete(id);
    const now = new Date().toISOString();
    const taskId = randomBytes(16).toString('hex');
    const task: Task = { taskId, status: 'working', createdAt: now, lastUpdatedAt: now, ttl, pollInterval };
    this.#entries.set(taskId, { task, sessionId });
    return { ...task };
  }

  async getTask(taskId: string, sessionId?: string): Promise<Task | null> {
    const entry = this.#find(taskId, sessionId);
    return entry === undefined ? null : { ...entry.task };
  }

  async storeTaskResult(
    taskId: string,
    status: 'completed' | 'failed',
    result: unknown,
    sessionId?: string,
  ): Promise<void> {
    const entry = this.#open(taskId, sessionId);
    entry.result = result;
    update(entry, status);
  }

  async getTaskResult(taskId: string, sessionId?: string): Promise<unknown> {
    const entry = this.#find(taskId, sessionId);
    if (entry === undefined || !('result' in entry)) throw new Error(`The task ${taskId} has no result.`);
    return entry.result;
  }

  async updateTaskStatus(
    taskId: string,
    status: Task['status'],
    statusMessage?: string,
    sessionId?: string,
  ): Promise<void> {
    update(this.#open(taskId, sessionId), status, statusMessage);
  }

  async listTasks(cursor?: string, sessionId?: string): Promise<{ tasks: Task[]; nextCursor?: string }> {
    const own = [...this.#entries.keys()].flatMap((id) => this.#find(id, sessionId)?.task ?? []);
    const start = cursor === undefined ? 0 : own.findIndex(({ taskId }) => taskId === cursor) + 1;
    if (cursor !== undefined && start === 0) throw new Error('Invalid cursor. Request the list without one.');
    const tasks = own.slice(start, start + pageSize);
    const last = tasks.at(-1);
    const hasMore = start + pageSize < own.length;
    return { tasks: tasks.map((task) => ({ ...task })), ...(hasMore && last && { nextCursor: last.taskId }) };
  }

  #find(taskId: string, sessionId: string | undefined): Entry | undefined {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return undefined;
    if (hasExpired(entry)) {
      this.#entries.delete(taskId);
      return undefined;
    }
    return entry.sessionId === sessionId ? entry : undefined;
  }

  /** A task that has ended does not change any more. */
  #open(taskId: string, sessionId: string | undefined): Entry {
    const entry = this.#find(taskId, sessionId);
    if (entry === undefined) throw new Error(`There is no task ${taskId}.`);
    const { status } = entry.task;
    if (status !== 'working' && status !== 'input_required')
      throw new Error(`The task ${taskId} has ended: ${status}.`);
    return entry;
  }
}

function hasExpired({ task: { createdAt, ttl } }: Entry): boolean {
  return ttl !== null && Date.parse(createdAt) + ttl < Date.now();
}

function update(entry: Entry, status: Task['status'], statusMessage?: string): void {
  const { statusMessage: _before, ...task } = entry.task;
  const now = new Date().toISOString();
  entry.task = { ...task, status, ...(statusMessage !== undefined && { statusMessage }), lastUpdatedAt: now };
}
