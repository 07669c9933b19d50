export interface InFlight {
  /** Adds work and returns a function that ends it once. `onAbort` is called if the server ends before the work does. */
  begin(onAbort?: () => void): () => void;
  /** Resolves when nothing is in progress, or after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
  abortAll(): void;
}

export function createInFlight(): InFlight {
  const open = new Map<object, (() => void) | undefined>();
  let waiting: (() => void)[] = [];
  return {
    begin(onAbort) {
      const entry = {};
      open.set(entry, onAbort);
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
    abortAll() {
      for (const onAbort of open.values()) onAbort?.();
    },
  };
}
