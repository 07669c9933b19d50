/** Counts work in progress. */
export interface InFlight {
  /** Counts one more. Returns a function that ends it; further calls of that do nothing. */
  begin(): () => void;
  /** Resolves when nothing is in progress, or after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
}

export function createInFlight(): InFlight {
  const open = new Set<object>();
  let waiting: (() => void)[] = [];
  return {
    begin() {
      const entry = {};
      open.add(entry);
      return () => {
        if (!open.delete(entry) || open.size > 0) return;
        for (const resolve of waiting) resolve();
        waiting = [];
      };
    },
    idle(timeoutMs) {
      if (open.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      waiting.push(resolve);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}

/** Running tool calls and resource reads, which can be aborted together. */
export interface RunningCalls extends Pick<InFlight, 'idle'> {
  /** @param onAbort Answers the request if the server ends before the call does. */
  run<Answer>(call: () => Promise<Answer>, onAbort: () => void): Promise<Answer>;
  abortAll(): void;
}

export function createRunningCalls(): RunningCalls {
  const { begin, idle } = createInFlight();
  const aborts = new Set<() => void>();
  return {
    idle,
    async run(call, onAbort) {
      const end = begin();
      aborts.add(onAbort);
      try {
        return await call();
      } finally {
        aborts.delete(onAbort);
        end();
      }
    },
    abortAll() {
      for (const abort of aborts) abort();
    },
  };
}
