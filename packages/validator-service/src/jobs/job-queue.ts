import { problemError } from '../problems/problem.ts';

/** Runs a limited number of jobs at once, in the order in which they came. */
export interface JobQueue {
  /** Rejects with a problem if too many jobs wait, or the queue closes before it is this one's turn. */
  run<T>(work: (signal: AbortSignal) => Promise<T>, options?: RunOptions): Promise<T>;
  readonly running: number;
  readonly waiting: number;
  /** Refuses what waits, lets what runs go on for `graceMs`, then aborts it. */
  close(graceMs: number): Promise<void>;
}

export interface RunOptions {
  /** Takes the job out of the queue, or aborts its work. */
  signal?: AbortSignal;
  /** Called when the place in the queue changes; 1 is the next. */
  onPlace?: (place: number) => void;
}

interface Waiting {
  start(): void;
  refuse(error: Error): void;
  onPlace?: ((place: number) => void) | undefined;
}

export function createJobQueue({ maxRunning, maxWaiting }: { maxRunning: number; maxWaiting: number }): JobQueue {
  const waiting: Waiting[] = [];
  const ending = new AbortController();
  const ended = Promise.withResolvers<void>();
  let running = 0;
  let isClosing = false;

  function tellPlaces(): void {
    for (const [index, { onPlace }] of waiting.entries()) onPlace?.(index + 1);
  }

  function turn({ signal, onPlace }: RunOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own: Waiting = { start: resolve, refuse: reject, onPlace };
    waiting.push(own);
    onPlace?.(waiting.length);
    signal?.addEventListener('abort', () => {
      const index = waiting.indexOf(own);
      if (index === -1) return;
      waiting.splice(index, 1);
      reject(signal.reason);
      tellPlaces();
    });
    return promise;
  }

  /** Hands the place of a job that ended to the next one. */
  function passOn(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next.start();
    tellPlaces();
    if (isClosing && running === 0) ended.resolve();
  }

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting.length;
    },
    async run(work, options = {}) {
      options.signal?.throwIfAborted();
      if (isClosing) throw problemError('SVC052', retryAfter);
      if (waiting.length >= maxWaiting) throw problemError('SVC051', retryAfter);
      if (running < maxRunning) running += 1;
      else await turn(options);
      try {
        return await work(AbortSignal.any([ending.signal, ...(options.signal ? [options.signal] : [])]));
      } finally {
        passOn();
      }
    },
    async close(graceMs) {
      isClosing = true;
      for (const { refuse } of waiting.splice(0)) refuse(problemError('SVC052', retryAfter));
      if (running === 0) return;
      const timer = setTimeout(() => ending.abort(problemError('SVC052', retryAfter)), graceMs);
      await ended.promise;
      clearTimeout(timer);
    },
  };
}

const retryAfter = { headers: { 'retry-after': '10' } };
