import { AsyncLocalStorage } from 'node:async_hooks';
import { Buffer } from 'node:buffer';
import type { FromHandlerHost } from '../host-message.ts';

/** What is used of an `AbortSignal`: that of handlers and, for libraries, that of Node.js. */
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
  /** Key of the program that it belongs to; empty where a text is only evaluated. */
  key: string;
  /** Aborted when our process gives the task up. */
  signal: TaskSignal;
  /** Gives the task up: its requests fail, its timers stop. */
  cancel: () => void;
  /** Ends the task and what it left, then reports; does nothing for a task that has ended. */
  end: (report: () => void) => void;
  /** Ends the task with something thrown outside its own flow, such as in a timer. */
  fail: (thrown: unknown) => void;
  /** What has to be stopped when the task is over, however it ended: its requests and timers. */
  stops: Set<() => void>;
  /** Learns what the task does with the secrets that it sees; absent where it sees none. */
  secrets?: TaskSecrets;
}

/** What handlers see in the place of secrets, by name, and who learns that they compute with it. */
export interface TaskSecrets {
  seen: Readonly<Record<string, string>>;
  onComputed: (name: string) => void;
}

/**
 * The number of the task that the running code belongs to, through promises and timers. Handler code cannot reach it: Node.js
 * 22 would keep it as a property of promises, but hosts are started with the flag that ends this (handler-hosts.ts). Who acts
 * for a program asks with `taskOfProgram` all the same, so that whatever goes wrong leads to no task of another schema.
 */
const current = new AsyncLocalStorage<number>();
const running = new Map<number, RunningTask>();

/** Runs `work` as a task: what it starts, now and later, belongs to the task. */
export function asTask<Result>(task: RunningTask, work: () => Result): Result {
  running.set(task.id, task);
  return current.run(task.id, work);
}

/** Takes a task off the list and stops what is left of it. */
export function endTask(task: RunningTask): void {
  running.delete(task.id);
  for (const stop of task.stops) stop();
  task.stops.clear();
}

export function findTask(id: number): RunningTask | undefined {
  return running.get(id);
}

/** The task that the running code belongs to, if it is not over. */
export function taskInProgress(): RunningTask | undefined {
  return running.get(current.getStore() ?? -1);
}

/** Tells whether the running code belongs to a task that is over. */
export function isLeftOver(): boolean {
  const id = current.getStore();
  return id !== undefined && !running.has(id);
}

/** The task that the running code belongs to, if it is one of this program and not over. */
export function taskOfProgram(key: string): RunningTask | undefined {
  const task = taskInProgress();
  return task?.key === key ? task : undefined;
}

export function runningTasks(): RunningTask[] {
  return [...running.values()];
}

// Taken before anything else runs, and taken away from the rest of this process.
const sendMessage = process.send?.bind(process);
delete process.send;

/** Sends a message to our process. */
export function send(message: FromHandlerHost): void {
  sendMessage?.(message);
}

/**
 * Tells our process what a task does with secrets, each use of each secret once.
 *
 * @param seen - What the task sees in the place of secrets, by name.
 * @returns what is to be told the names of secrets that are read.
 */
export function openSecrets(id: number, seen: Readonly<Record<string, string>> = {}): (name: string) => void {
  const told = new Set<string>();
  const tell = (use: 'read' | 'computed') => (name: string) => {
    if (told.has(`${use} ${name}`)) return;
    told.add(`${use} ${name}`);
    send({ type: 'secret', id, use, name });
  };
  const task = findTask(id);
  if (task !== undefined && Object.keys(seen).length > 0) task.secrets = { seen, onComputed: tell('computed') };
  return tell('read');
}

/**
 * Functions that compute: before each call, a secret among its arguments is told. What comes out of a hash or a signature
 * shows no more what went in, so this is the only place where it can be known.
 */
export function watchInputs(functions: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(functions).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'function') return [name, value];
    return [
      name,
      (...args: unknown[]) => {
        tellSecretsIn(args);
        return Reflect.apply(value, functions, args);
      },
    ];
  });
  return Object.fromEntries(entries);
}

function tellSecretsIn(args: readonly unknown[]): void {
  const secrets = taskInProgress()?.secrets;
  if (secrets === undefined) return;
  for (const [name, text] of Object.entries(secrets.seen)) {
    if (text !== '' && args.some((arg) => holds(arg, text))) secrets.onComputed(name);
  }
}

/** Looks at text, at bytes, and at the parts of a plain object such as `{ key, passphrase }`. */
function holds(value: unknown, text: string, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (typeof value !== 'object' || value === null) return false;
  const bytes = bytesOf(value);
  // Many APIs give out keys as base64, and a handler decodes what it takes for one.
  if (bytes !== undefined) return bytes.includes(text) || bytes.includes(Buffer.from(text, 'base64'));
  return depth === 0 && Object.values(value).some((part) => holds(part, text, 1));
}

function bytesOf(value: object): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}
