import { setMaxListeners } from 'node:events';
import { clearTimeout, setTimeout } from 'node:timers';
import { taskInProgress } from '../tasks.ts';

let abort: (signal: HandlerAbortSignal, reason: unknown) => void;
/** Needed to construct a signal, and not exported. */
const constructorToken = Symbol('constructor');

/** The `AbortSignal` of handlers. That of Node.js exposes internal sets and references, which all schemas would share. */
export class HandlerAbortSignal extends EventTarget {
  #aborted = false;
  #reason: unknown;
  onabort: unknown = null;

  constructor(token?: unknown) {
    super();
    // Node.js would warn of a leak in a call with many requests.
    setMaxListeners(0, this);
    if (token !== constructorToken) throw new TypeError('Illegal constructor');
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
    const signal = new HandlerAbortSignal(constructorToken);
    abort(signal, reason);
    return signal;
  }

  /** Stops with the task that started it, like every timer. */
  static timeout(milliseconds: unknown): HandlerAbortSignal {
    const signal = new HandlerAbortSignal(constructorToken);
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    const task = taskInProgress();
    if (task === undefined) throw new Error('The call that starts this timer has ended');
    const stop = (): void => {
      clearTimeout(timer);
      task.cleanups.delete(stop);
    };
    const timer = setTimeout(() => {
      stop();
      abort(signal, reason);
    }, Number(milliseconds)).unref();
    task.cleanups.add(stop);
    return signal;
  }

  static any(signals: Iterable<HandlerAbortSignal>): HandlerAbortSignal {
    const any = new HandlerAbortSignal(constructorToken);
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

export class HandlerAbortController {
  readonly signal: HandlerAbortSignal = new HandlerAbortSignal(constructorToken);

  abort(reason?: unknown): void {
    abort(this.signal, reason);
  }

  get [Symbol.toStringTag](): string {
    return 'AbortController';
  }
}
