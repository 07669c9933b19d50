export interface Clock {
  /** Aborted at the deadline or by the caller. */
  signal: AbortSignal;
  why(): string;
  /** Milliseconds; never negative. */
  remaining(): number;
  /** Resolves like the promise, or to undefined at the deadline; later errors are ignored. */
  within<T>(promise: Promise<T>): Promise<T | undefined>;
  /** A clock for one step, with a share of the remaining time. */
  part(share: number): Clock;
  /** Aborts pending work. Must be called at the end of the run. */
  release(): void;
}

interface ClockOptions {
  /** Milliseconds. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** The clock that this one is a part of. */
  outer?: Clock;
}

export function startClock({ timeout, signal, outer }: ClockOptions): Clock {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    // A part ends with its outer clock; its timer must not keep the process alive.
    clearTimeout(timer);
    controller.abort();
  };
  const endsAt = performance.now() + timeout;
  timer = setTimeout(end, timeout);
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
      return signal?.aborted ? 'the run was aborted by `signal`' : 'the run timed out';
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
      signal?.removeEventListener('abort', end);
    },
  };
}

/** Whether a promise settles in time; never rejects. */
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
