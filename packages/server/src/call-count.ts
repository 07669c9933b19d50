/** Knows how many calls are going on. */
export interface CallCount {
  readonly active: number;
  /** Runs a call and counts it meanwhile. */
  during<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** Resolves when no call is going on, at the latest after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
}

export function createCallCount(): CallCount {
  let active = 0;
  let onIdle: (() => void)[] = [];
  return {
    get active() {
      return active;
    },
    async during(call) {
      active += 1;
      try {
        return await call();
      } finally {
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
  };
}
