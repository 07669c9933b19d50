/** The end that a whole run must not outlive. */
export interface Clock {
  /** Aborted at the end of the time, or when the caller wants no more. */
  signal: AbortSignal;
  /** Why nothing more is done, once that is so. */
  why(): string;
  /** Milliseconds; never negative. */
  remaining(): number;
  /** Resolves as the promise does, or to undefined at the end of the time. Errors of the promise after that are nobody's. */
  within<T>(promise: Promise<T>): Promise<T | undefined>;
  /** A clock for one step: it ends when this share of what remains is used up, or with this one. */
  part(share: number): Clock;
  /** Must be called when the run is over; ends what still goes on. */
  release(): void;
}

interface ClockOptions {
  /** Milliseconds. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** The clock that this one is a part of. */
  outer?: Clock;
}

/** Starts the clock. */
export function startClock({ timeout, signal, outer }: ClockOptions): Clock {
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
    why() {
      if (outer !== undefined) return outer.why();
      return signal?.aborted ? 'the run was ended through `signal`' : 'the time was over';
    },
    remaining: () => (controller.signal.aborted ? 0 : Math.max(0, endsAt - performance.now())),
    async within(promise) {
      promise.catch(() => {});
      return await Promise.race([promise, ended]);
    },
    part(share) {
      return startClock({ timeout: this.remaining() * share, signal: controller.signal, outer: this });
    },
    release() {
      end();
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}

/** True if a promise settles within so many milliseconds; never rejects. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, late]);
  clearTimeout(timer);
  return isSettled;
}
