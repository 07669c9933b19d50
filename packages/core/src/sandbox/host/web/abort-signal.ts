import { setMaxListeners } from 'node:events';
import { clearTimeout, setTimeout } from 'node:timers';
import { taskInProgress } from '../tasks.ts';

let abort: (signal: HandlerAbortSignal, reason: unknown) => void;
/** Only known here: nobody else makes signals. */
const madeHere = Symbol('made here');

/** The `AbortSignal` of handlers. That of Node.js shows the sets and references it keeps inside, which all schemas share. */
export class HandlerAbortSignal extends EventTarget {
  #aborted = false;
  #reason: unknown;
  onabort: unknown = null;

  constructor(proof?: unknown) {
    super();
    // A call may wait for many requests; Node.js would warn of a leak.
    setMaxListeners(0, this);
    if (proof !== madeHere) throw new TypeError('Illegal constructor');
  }

  static {
    abort = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason ?? new DOMException('This operation was aborted', 'AbortError');
      const event = new Event('abort');
      if (typeof signal.onabort === 'function') signal.addEventListener('abort', signal.onabort as () => void);
      signal.dispatchEvent(event);
    };
  }

  static abort(reason?: unknown): HandlerAbortSignal {
    const signal = new HandlerAbortSignal(madeHere);
    abort(signal, reason);
    return signal;
  }

  /** Ends, like every timer, with the task that started it. */
  static timeout(milliseconds: unknown): HandlerAbortSignal {
    const signal = new HandlerAbortSignal(madeHere);
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    const task = taskInProgress();
    if (task === undefined) throw new Error('The call that starts this timer has ended');
    const stop = (): void => {
      clearTimeout(timer);
      task.stops.delete(stop);
    };
    const timer = setTimeout(() => {
      stop();
      abort(signal, reason);
    }, Number(milliseconds)).unref();
    task.stops.add(stop);
    return signal;
  }

  static any(signals: Iterable<HandlerAbortSignal>): HandlerAbortSignal {
    const any = new HandlerAbortSignal(madeHere);
    for (const signal of signals) {
      if (signal.aborted) abort(any, signal.reason);
      else signal.addEventListener('abort', () => abort(any, signal.reason));
    }
    return any;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  get [Symbol.toStringTag](): string {
    return 'AbortSignal';
  }
}

/** The `AbortController` of handlers. */
export class HandlerAbortController {
  readonly signal: HandlerAbortSignal = new HandlerAbortSignal(madeHere);

  abort(reason?: unknown): void {
    abort(this.signal, reason);
  }

  get [Symbol.toStringTag](): string {
    return 'AbortController';
  }
}
