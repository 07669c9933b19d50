import { AsyncLocalStorage } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import type { FromHandlerHost, SecretUse } from '../host-message.ts';

/** The common part of the `AbortSignal` of handlers and, for libraries, of Node.js. */
export interface TaskSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A task while it runs in this host. */
export interface RunningTask {
  id: number;
  /** Key of its program; empty for the evaluation of a file. */
  key: string;
  signal: TaskSignal;
  /** Cancels the task: its requests fail, its timers stop. */
  cancel: () => void;
  /** Ends the task and its lingering work, then reports. Does nothing for a task that has ended. */
  end: (report: () => void) => void;
  /** Ends the task with an error from outside its own flow, such as from a timer. */
  fail: (thrown: unknown) => void;
  /** Called when the task is over, to stop its requests and timers. */
  cleanups: Set<() => void>;
  /** Tokens that stand for secrets, by name. Absent if the task gets no secrets. */
  secrets?: { tokens: Readonly<Record<string, string>>; onComputed: (name: string) => void };
}

/**
 * Id of the task that the running code belongs to, through promises and timers. A number, because Node.js 22 would expose it as a
 * property of promises without the flag in handler-pool.ts. Functions of a program use `taskOfProgram`, so that even an error
 * here never leads to a task of another schema.
 */
const current = new AsyncLocalStorage<number>();
const running = new Map<number, RunningTask>();

/** Runs `work` as part of a task, including everything that it starts. */
export function asTask<Result>(task: RunningTask, work: () => Result): Result {
  running.set(task.id, task);
  return current.run(task.id, work);
}

export function endTask(task: RunningTask): void {
  running.delete(task.id);
  for (const cleanUp of task.cleanups) cleanUp();
  task.cleanups.clear();
}

export function findTask(id: number): RunningTask | undefined {
  return running.get(id);
}

/** The task that the running code belongs to; undefined once it is over. */
export function taskInProgress(): RunningTask | undefined {
  return running.get(current.getStore() ?? -1);
}

/** Whether the running code belongs to a task that is over. */
export function isAfterTask(): boolean {
  const id = current.getStore();
  return id !== undefined && !running.has(id);
}

/** The task that the running code belongs to, if it is a task of this program that is not over. */
export function taskOfProgram(key: string): RunningTask | undefined {
  const task = taskInProgress();
  return task?.key === key ? task : undefined;
}

export function runningTasks(): RunningTask[] {
  return [...running.values()];
}

// Before any other code runs, and out of its reach.
const sendMessage = process.send?.bind(process);
delete process.send;

export function send(message: FromHandlerHost): void {
  sendMessage?.(message);
}

/**
 * Reports to the calling process how a task uses secrets, once for each use of each secret.
 *
 * @returns the function to call with the name of a secret that is read.
 */
export function reportSecretUse(id: number, tokens: Readonly<Record<string, string>> = {}): (name: string) => void {
  const reported = new Set<string>();
  const report = (use: SecretUse) => (name: string) => {
    if (reported.has(`${use} ${name}`)) return;
    reported.add(`${use} ${name}`);
    send({ type: 'secret', id, use, name });
  };
  const task = findTask(id);
  if (task !== undefined && Object.keys(tokens).length > 0) task.secrets = { tokens, onComputed: report('computed') };
  return report('read');
}

/** Wraps functions that compute, such as a hash, to report secrets among their arguments: the result does not show them. */
export function reportSecretInputs(functions: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(functions).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'function') return [name, value];
    return [
      name,
      (...args: unknown[]) => {
        reportSecretsIn(args);
        return Reflect.apply(value, functions, args);
      },
    ];
  });
  return Object.fromEntries(entries);
}

function reportSecretsIn(args: readonly unknown[]): void {
  const secrets = taskInProgress()?.secrets;
  if (secrets === undefined) return;
  for (const [name, text] of Object.entries(secrets.tokens)) {
    if (text !== '' && args.some((arg) => contains(arg, text))) secrets.onComputed(name);
  }
}

/** Searches text, bytes, and the parts of a plain object such as `{ key, passphrase }`. */
function contains(value: unknown, text: string, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (typeof value !== 'object' || value === null) return false;
  const bytes = bytesOf(value);
  // Many keys are base64, which handlers decode first.
  if (bytes !== undefined) return bytes.includes(text) || bytes.includes(Buffer.from(text, 'base64'));
  return depth === 0 && Object.values(value).some((part) => contains(part, text, 1));
}

function bytesOf(value: object): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}
