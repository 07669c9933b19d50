/** The time that a run may take. It stands still while the run waits for something that is not its own. */
export interface TimeLimit {
  /** Aborts when the time is used up. */
  signal: AbortSignal;
  /** When that will be, in milliseconds since 1970. */
  endsAt(): number;
  /** Stops the time until `wait` has settled. Resolves to the milliseconds of that. */
  pause(wait: () => Promise<unknown>): Promise<number>;
}

export function createTimeLimit(ms: number): TimeLimit {
  const used = new AbortController();
  let leftMs = ms;
  let begun = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const end = () => used.abort(new DOMException('The time is used up', 'TimeoutError'));
  const go = () => {
    begun = performance.now();
    // A timer would let a run that has no time left do something first.
    if (leftMs <= 0) end();
    else timer = setTimeout(end, leftMs).unref();
  };
  const left = () => leftMs - (performance.now() - begun);
  go();
  return {
    signal: used.signal,
    endsAt: () => Date.now() + left(),
    async pause(wait) {
      clearTimeout(timer);
      leftMs = Math.max(left(), 0);
      const start = performance.now();
      try {
        await wait();
      } finally {
        go();
      }
      return performance.now() - start;
    },
  };
}
