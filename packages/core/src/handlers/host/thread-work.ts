import { type RunningTask, taskInProgress } from './tasks.ts';

/** Of the four threads that a host has, those that one task may use at a time; its other work waits. */
const MAX_THREADS = 2;

interface Line {
  working: number;
  waiting: Set<() => void>;
}

const lines = new WeakMap<RunningTask, Line>();

/**
 * Does work in a thread for the task in progress. A thread cannot be stopped: when the task is given up its code meets the
 * reason of the signal, and when the task is over it hears no more of its work, so that nothing of it goes on from there.
 */
export function inThread<Result>(work: () => Promise<Result>): Promise<Result> {
  const task = taskInProgress();
  if (task === undefined) return Promise.reject(new Error('The call that computes this has ended'));
  const line = lines.get(task) ?? { working: 0, waiting: new Set() };
  lines.set(task, line);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let isOver = false;

  const begin = (): void => {
    line.waiting.delete(begin);
    line.working += 1;
    work().then(
      (result) => finish(() => resolve(result)),
      (thrown) => finish(() => reject(thrown)),
    );
  };
  const finish = (tell: () => void): void => {
    line.working -= 1;
    for (const next of line.waiting) {
      next();
      break;
    }
    if (!isOver) tell();
    leave();
  };
  const leave = (): void => {
    isOver = true;
    line.waiting.delete(begin);
    task.stops.delete(leave);
    task.signal.removeEventListener('abort', giveUp);
  };
  const giveUp = (): void => {
    // Code that does not wait for it need not take its end for an error of its own.
    promise.catch(() => undefined);
    reject(task.signal.reason);
    leave();
  };

  task.stops.add(leave);
  task.signal.addEventListener('abort', giveUp);
  if (line.working < MAX_THREADS) begin();
  else line.waiting.add(begin);
  return promise;
}

/** Tells whether a task has work in threads that is not done. */
export function isInThread(task: RunningTask): boolean {
  return (lines.get(task)?.working ?? 0) > 0;
}
