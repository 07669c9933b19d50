import { createCallCount } from '../call-count.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { onceSent } from './once-sent.ts';

/** Knows how many requests have not got their whole answer yet. */
export interface ExchangeCount {
  answer(request: IncomingRequest, make: () => Promise<Response>): Promise<Response>;
  /** Resolves when none waits, at the latest after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
}

export function createExchangeCount(): ExchangeCount {
  const { during, idle } = createCallCount();
  return {
    idle,
    answer(request, make) {
      const sent = Promise.withResolvers<void>();
      const answered = make().then(
        (response) => onceSent(response, request, sent.resolve),
        (error) => {
          sent.resolve();
          throw error;
        },
      );
      void during(() => sent.promise);
      return answered;
    },
  };
}
