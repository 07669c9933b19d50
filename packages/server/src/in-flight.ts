/** Counts what has begun and not ended yet. */
export interface InFlight {
  /** Counts one more. Returns what ends it; calls after the first do nothing. */
  begin(): () => void;
  /** Resolves when nothing is in flight, after `timeoutMs` milliseconds at the latest. */
  idle(timeoutMs: number): Promise<void>;
}

export function createInFlight(): InFlight {
  const open = new Set<object>();
  let onIdle: (() => void)[] = [];
  return {
    begin() {
      const entry = {};
      open.add(entry);
      return () => {
        if (!open.delete(entry) || open.size > 0) return;
        for (const resolve of onIdle) resolve();
        onIdle = [];
      };
    },
    idle(timeoutMs) {
      if (open.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      onIdle.push(resolve);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}

/** Counts the calls of tools and readings of resources, and can cut them off. */
export interface CallCount extends Pick<InFlight, 'idle'> {
  /**
   * Runs a call and counts it meanwhile.
   *
   * @param onCut Answers the request when the server ends before the call does.
   */
  during<Answer>(call: () => Promise<Answer>, onCut: () => void): Promise<Answer>;
  /** Cuts off every call that is still running. */
  cut(): void;
}

export function createCallCount(): CallCount {
  const { begin, idle } = createInFlight();
  const cuts = new Set<() => void>();
  return {
    idle,
    async during(call, onCut) {
      const end = begin();
      cuts.add(onCut);
      try {
        return await call();
      } finally {
        cuts.delete(onCut);
        end();
      }
    },
    cut() {
      for (const onCut of cuts) onCut();
    },
  };
}
