import { HttpError } from './http-error.ts';
import type { HttpSettings } from './http-options.ts';

/** The end that an exchange with all its redirects and retries must not outlive. A class because there is one for every request. */
export class Deadline {
  /** Called once when the end comes: stops whatever goes on at that moment. */
  onEnd: (() => void) | undefined;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: (() => void) | undefined;
  #ended: boolean;
  #cancelled: { reason: unknown } | undefined;

  /** Starts the clock, and listens to the caller's signal if there is one. */
  constructor({ timeoutMs, signal }: Pick<HttpSettings, 'timeoutMs' | 'signal'>) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#signal = signal;
    this.#ended = signal?.aborted ?? false;
    // A timer costs a third of a microsecond, a hundredth of an exchange on loopback: a coarser clock shared by all would not pay.
    this.#timer = setTimeout(endDeadline, timeoutMs, this);
    if (signal) {
      this.#onAbort = () => this.end();
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  end(): void {
    this.#ended = true;
    this.onEnd?.();
  }

  /** Ends it as if its caller had aborted it. */
  cancel(reason: unknown): void {
    this.#cancelled = { reason };
    this.end();
  }

  hasEnded(): boolean {
    return this.#ended;
  }

  /** Why it ended, as an error about a request to `url`. */
  error(url: URL): HttpError {
    const aborted = this.#signal?.aborted ? this.#signal : this.#cancelled;
    return aborted
      ? new HttpError('ABORTED', url, { cause: aborted.reason })
      : new HttpError('ETIMEDOUT', url, { detail: `not complete after ${this.#timeoutMs} ms` });
  }

  remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Must be called when the exchange is over. */
  release(): void {
    clearTimeout(this.#timer);
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

function endDeadline(deadline: Deadline): void {
  deadline.end();
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
