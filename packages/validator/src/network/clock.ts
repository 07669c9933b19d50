/** The end that a whole run must not outlive. */
export interface Clock {
  /** Aborted at the end of the time, or when the caller wants no more. */
  signal: AbortSignal;
  /** Milliseconds; never negative. */
  remaining(): number;
  /** Resolves as the promise does, or to undefined at the end of the time. Errors of the promise after that are nobody's. */
  within<T>(promise: Promise<T>): Promise<T | undefined>;
  /** A clock for one step: it ends when this share of what remains is used up, or with this one. */
  part(share: number): Clock;
  /** Must be called when the run is over; ends what still goes on. */
  release(): void;
}

/** Starts the clock. */
export function startClock({ timeout, signal }: { timeout: number; signal?: AbortSignal | undefined }): Clock {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const endsAt = performance.now() + timeout;
  const timer = setTimeout(end, timeout);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });
  const ended = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    if (controller.signal.aborted) resolve(undefined);
  });
  return {
    signal: controller.signal,
    remaining: () => (controller.signal.aborted ? 0 : Math.max(0, endsAt - performance.now())),
    async within(promise) {
      promise.catch(() => {});
      return await Promise.race([promise, ended]);
    },
    part(share) {
      return startClock({ timeout: this.remaining() * share, signal: controller.signal });
    },
    release() {
      end();
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}
