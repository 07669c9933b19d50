import { problemError } from '../problems/problem.ts';

/** Runs a limited number of jobs at once. Those that wait take turns by owner, so that one with many does not hold up the others. */
export interface JobQueue {
  /** Rejects with a problem if too many jobs wait, or the queue closes before it is this one's turn. */
  run<T>(work: (signal: AbortSignal) => Promise<T>, options?: RunOptions): Promise<T>;
  readonly running: number;
  readonly waiting: number;
  /** Refuses what waits, lets what runs go on for `graceMs`, then aborts it. */
  close(graceMs: number): Promise<void>;
}

export interface RunOptions {
  /** Who asks for it, such as an address. */
  owner?: string;
  /** Takes the job out of the queue, or aborts its work. */
  signal?: AbortSignal;
  /** Called when the place in the queue changes; 1 is the next. */
  onPlace?: (place: number) => void;
}

interface Waiting {
  /** How many jobs its owner had before it. */
  rank: number;
  start(): void;
  refuse(error: Error): void;
  onPlace?: ((place: number) => void) | undefined;
}

export function createJobQueue({ maxRunning, maxWaiting }: { maxRunning: number; maxWaiting: number }): JobQueue {
  const waiting: Waiting[] = [];
  const jobsOf = new Map<string, number>();
  const ending = new AbortController();
  const ended = Promise.withResolvers<void>();
  let running = 0;
  let isClosing = false;

  function tellPlaces(from: number = 0): void {
    for (const [index, { onPlace }] of waiting.entries()) if (index >= from) onPlace?.(index + 1);
  }

  function turn({ signal, onPlace }: RunOptions, rank: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own: Waiting = { rank, start: resolve, refuse: reject, onPlace };
    const behind = waiting.findIndex((other) => other.rank > rank);
    const place = behind === -1 ? waiting.length : behind;
    waiting.splice(place, 0, own);
    tellPlaces(place);
    signal?.addEventListener('abort', () => {
      const index = waiting.indexOf(own);
      if (index === -1) return;
      waiting.splice(index, 1);
      reject(signal.reason);
      tellPlaces(index);
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
      const { owner = '', signal } = options;
      const rank = jobsOf.get(owner) ?? 0;
      jobsOf.set(owner, rank + 1);
      try {
        if (running < maxRunning) running += 1;
        else await turn(options, rank);
        try {
          return await work(AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]));
        } finally {
          passOn();
        }
      } finally {
        const left = (jobsOf.get(owner) ?? 1) - 1;
        if (left === 0) jobsOf.delete(owner);
        else jobsOf.set(owner, left);
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
