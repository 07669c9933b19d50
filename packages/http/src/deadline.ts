import { HttpError, type HttpErrorDetail } from './http-error.ts';

/** The end that an exchange with all its redirects and retries must not outlive. A class because there is one for every request. */
export class Deadline {
  /** Called once when the end comes: stops whatever goes on at that moment. */
  onEnd: (() => void) | undefined;
  /** Since when it has been queued, by `performance.now()`; undefined while it does not. */
  waitingSince: number | undefined;
  /** How long it was queued before, in milliseconds. */
  waitedMs = 0;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: (() => void) | undefined;
  #ended: boolean;
  #cancelled: { reason: unknown } | undefined;

  /** Starts the clock, and listens to the caller's signal if there is one. */
  constructor({ timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined }) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#signal = signal;
    this.#ended = signal?.aborted ?? false;
    this.#timer = setTimeout((deadline: Deadline) => deadline.end(), timeoutMs, this);
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
      ? this.abortError(url, aborted.reason)
      : this.#timedOut(url, { detail: `not complete after ${this.#timeoutMs} ms` });
  }

  /**
   * What a signal with this reason makes of a request to `url`. One that ends because the time of its caller is over, as that of `AbortSignal.timeout()`,
   * was not given up: the server did not answer in time.
   */
  abortError(url: URL, cause: unknown): HttpError {
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
    return isTimeout
      ? this.#timedOut(url, { detail: 'no answer in the time of its caller', cause })
      : new HttpError('ABORTED', url, { cause });
  }

  #timedOut(url: URL, late: HttpErrorDetail): HttpError {
    const now = performance.now();
    const waitedMs = this.waitedMs + (this.waitingSince === undefined ? 0 : now - this.waitingSince);
    if (waitedMs === 0) return new HttpError('ETIMEDOUT', url, late);
    const detail = `${late.detail}, ${Math.round(waitedMs)} ms of it in line`;
    return new HttpError('ETIMEDOUT', url, { ...late, detail, waitedMs });
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
