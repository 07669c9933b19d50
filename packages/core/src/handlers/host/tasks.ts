import { AsyncLocalStorage } from 'node:async_hooks';
import type { HandlerAbortSignal } from './web/abort-signal.ts';

/** A task while it runs in this host. */
export interface RunningTask {
  id: number;
  /** Key of the program that it belongs to; empty where a text is only evaluated. */
  key: string;
  /** Aborted when our process gives the task up. */
  signal: HandlerAbortSignal;
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
 * 22 would keep it as a property of promises, but hosts are started with the flag that ends this (host-command.ts). Who acts
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
