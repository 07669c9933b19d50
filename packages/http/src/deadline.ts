import { HttpError } from './http-error.ts';
import type { HttpSettings } from './http-options.ts';

/** The end that an exchange with all its redirects and retries must not outlive. */
export interface Deadline {
  /** Called once when the end comes: stops whatever goes on at that moment. */
  onEnd: (() => void) | undefined;
  hasEnded(): boolean;
  /** Why it ended, as an error about a request to `url`. */
  error(url: URL): HttpError;
  remainingMs(): number;
  /** Must be called when the exchange is over. */
  release(): void;
}

/** Starts the clock, and listens to the caller's signal if there is one. */
export function startDeadline({ timeoutMs, signal }: Pick<HttpSettings, 'timeoutMs' | 'signal'>): Deadline {
  const endsAt = performance.now() + timeoutMs;
  let ended = signal?.aborted ?? false;
  // A timer costs a third of a microsecond, a hundredth of an exchange on loopback: a coarser clock shared by all would not pay.
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });

  function end(): void {
    ended = true;
    deadline.onEnd?.();
  }

  const deadline: Deadline = {
    onEnd: undefined,
    hasEnded: () => ended,
    error: (url) =>
      signal?.aborted
        ? new HttpError('ABORTED', url, { cause: signal.reason })
        : new HttpError('ETIMEDOUT', url, { detail: `not complete after ${timeoutMs} ms` }),
    remainingMs: () => endsAt - performance.now(),
    release() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
  return deadline;
}

/** Waits `ms`, or less if the deadline ends before. */
export function pause(ms: number, deadline: Deadline): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    deadline.onEnd = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
