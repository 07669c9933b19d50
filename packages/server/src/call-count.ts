/** Knows how many calls are going on. */
export interface CallCount {
  readonly active: number;
  /**
   * Runs a call and counts it meanwhile.
   *
   * @param onCut What tells who waits for it that it was cut off.
   */
  during<Answer>(call: () => Promise<Answer>, onCut?: () => void): Promise<Answer>;
  /** Resolves when no call is going on, at the latest after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
  /** Tells those who wait for calls that are going on that they were cut off. */
  cut(): void;
}

export function createCallCount(): CallCount {
  const cuts = new Set<() => void>();
  let active = 0;
  let onIdle: (() => void)[] = [];
  return {
    get active() {
      return active;
    },
    async during(call, onCut) {
      active += 1;
      if (onCut !== undefined) cuts.add(onCut);
      try {
        return await call();
      } finally {
        if (onCut !== undefined) cuts.delete(onCut);
        active -= 1;
        if (active === 0) {
          for (const resolve of onIdle) resolve();
          onIdle = [];
        }
      }
    },
    idle(timeoutMs) {
      if (active === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      onIdle.push(resolve);
      return promise.finally(() => clearTimeout(timer));
    },
    cut() {
      for (const tell of cuts) tell();
    },
  };
}
