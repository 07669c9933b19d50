import type { Server } from '@modelcontextprotocol/server';

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

/** The error for a call that was still running when the server ended. */
export const abortedError = {
  code: -32000,
  message: 'The server ended before this was finished. Try again.',
};

/** Answers a request whose handler is still running. */
export function answerAborted(server: Server, id: string | number): void {
  // Fails if the client has left.
  server.transport?.send({ jsonrpc: '2.0', id, error: abortedError }).catch(() => {});
}
