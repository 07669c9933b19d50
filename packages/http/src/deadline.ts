import { HttpError, type HttpErrorDetail } from './http-error.ts';

/** The deadline of an exchange with all its redirects and retries. */
export class Deadline {
  /** Called once at the deadline, to stop the current step. */
  onEnd: (() => void) | undefined;
  /** When the request was queued, by `performance.now()`; undefined while it is not queued. */
  waitingSince: number | undefined;
  /** Earlier time in the queue, in milliseconds. */
  waitedMs = 0;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: (() => void) | undefined;
  #ended: boolean;
  #cancelled: { reason: unknown } | undefined;

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

  /** Ends the exchange as if its caller had aborted it. */
  cancel(reason: unknown): void {
    this.#cancelled = { reason };
    this.end();
  }

  hasEnded(): boolean {
    return this.#ended;
  }

  /** The error for a request to `url` that was ended. */
  error(url: URL): HttpError {
    const aborted = this.#signal?.aborted ? this.#signal : this.#cancelled;
    return aborted
      ? this.abortError(url, aborted.reason)
      : this.#timedOut(url, { detail: `not complete after ${this.#timeoutMs} ms` });
  }

  /** The error for a request that a signal with this reason ended. A `TimeoutError` means that the server did not answer in time. */
  abortError(url: URL, cause: unknown): HttpError {
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
    return isTimeout
      ? this.#timedOut(url, { detail: "no answer before the caller's timeout", cause })
      : new HttpError('ABORTED', url, { cause });
  }

  #timedOut(url: URL, late: HttpErrorDetail): HttpError {
    const now = performance.now();
    const waitedMs = this.waitedMs + (this.waitingSince === undefined ? 0 : now - this.waitingSince);
    if (waitedMs === 0) return new HttpError('ETIMEDOUT', url, late);
    const detail = `${late.detail}, ${Math.round(waitedMs)} ms of it in the queue`;
    return new HttpError('ETIMEDOUT', url, { ...late, detail, waitedMs });
  }

  remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Must be called at the end of the exchange. */
  release(): void {
    clearTimeout(this.#timer);
    if (this.#onAbort) this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Waits `ms`, or until the deadline. */
export function pause(ms: number, deadline: Deadline): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    deadline.onEnd = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
