let setTarget: (event: HandlerEvent, target: unknown) => void;

/** The `Event` of handlers, as far as one needs it without a document. */
export class HandlerEvent {
  readonly type: string;
  #target: unknown = null;

  constructor(type: unknown) {
    this.type = String(type);
  }

  static {
    setTarget = (event, target) => {
      event.#target = target;
    };
  }

  get target(): unknown {
    return this.#target;
  }

  get currentTarget(): unknown {
    return this.#target;
  }

  get [Symbol.toStringTag](): string {
    return 'Event';
  }
}

/** The `EventTarget` of handlers. A listener that throws does not keep the others from being called. */
export class HandlerEventTarget {
  /** By type, in the order in which they were added; the value tells whether the listener is called once. */
  readonly #listeners = new Map<string, Map<unknown, boolean>>();

  addEventListener(type: unknown, listener: unknown, options?: unknown): void {
    if (!isObject(listener)) return;
    const listeners = this.#listeners.get(String(type)) ?? new Map<unknown, boolean>();
    this.#listeners.set(String(type), listeners);
    if (!listeners.has(listener)) listeners.set(listener, isObject(options) && Reflect.get(options, 'once') === true);
  }

  removeEventListener(type: unknown, listener: unknown): void {
    this.#listeners.get(String(type))?.delete(listener);
  }

  dispatchEvent(event: HandlerEvent): boolean {
    setTarget(event, this);
    for (const [listener, once] of [...(this.#listeners.get(event.type) ?? [])]) {
      if (once) this.removeEventListener(event.type, listener);
      try {
        this.#call(listener, event);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
    return true;
  }

  get [Symbol.toStringTag](): string {
    return 'EventTarget';
  }

  #call(listener: unknown, event: HandlerEvent): void {
    const handle: unknown = isObject(listener) ? Reflect.get(listener, 'handleEvent') : undefined;
    if (typeof listener === 'function') Reflect.apply(listener, this, [event]);
    else if (typeof handle === 'function') Reflect.apply(handle, listener, [event]);
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
