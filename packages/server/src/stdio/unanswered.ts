import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/** Knows which requests of a connection have no answer yet. */
export interface Unanswered {
  received(message: JSONRPCMessage): void;
  sent(message: JSONRPCMessage): void;
  /** Waits for none of them any more. */
  clear(): void;
  /** Resolves when there are none, at the latest after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
}

export function unanswered(): Unanswered {
  const waiting = new Set<RequestId>();
  let onIdle: (() => void)[] = [];

  function settle(id: RequestId | undefined): void {
    if (id === undefined || !waiting.delete(id) || waiting.size > 0) return;
    for (const resolve of onIdle) resolve();
    onIdle = [];
  }

  return {
    received(message) {
      if (!('method' in message)) return;
      if (message.method === 'notifications/cancelled') settle(message.params?.requestId as RequestId | undefined);
      // Notices are sent until the connection ends.
      else if ('id' in message && message.method !== 'subscriptions/listen') waiting.add(message.id);
    },
    sent(message) {
      if (!('method' in message)) settle(message.id);
    },
    clear() {
      for (const id of [...waiting]) settle(id);
    },
    idle(timeoutMs) {
      if (waiting.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      onIdle.push(resolve);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}
