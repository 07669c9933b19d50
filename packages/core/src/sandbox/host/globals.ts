import { webCrypto } from './crypto.ts';
import { HandlerAbortController, HandlerAbortSignal } from './web/abort-signal.ts';
import { webApi } from './web/fetch.ts';

/** The globals of every compartment beyond the language, deeply frozen because the schemas of this host share them. */
export function sharedGlobals(): Record<string, unknown> {
  Reflect.deleteProperty(URL, 'createObjectURL');
  Reflect.deleteProperty(URL, 'revokeObjectURL');
  for (const instance of hiddenInstances()) harden(Object.getPrototypeOf(instance));
  // The class that actually constructs buffers.
  harden(Reflect.get(Buffer, Symbol.species));
  return harden({
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder: HandlerTextDecoder,
    AbortController: HandlerAbortController,
    AbortSignal: HandlerAbortSignal,
    Event,
    EventTarget,
    DOMException,
    Buffer,
    structuredClone: (value: unknown) => structuredClone(value),
    atob: (text: string) => atob(text),
    btoa: (text: string) => btoa(text),
    crypto: webCrypto(),
    performance: { now: () => performance.now() },
    ...webApi,
    // SES gives compartments no clock and no randomness; handlers need both to sign requests.
    Date,
    Math,
    Intl,
    ...floatArrays(),
  });
}

/** SES removes them, since the bits of a NaN are a covert channel. So is the clock that handlers have. */
function floatArrays(): Record<string, unknown> {
  const names = ['Float16Array', 'Float32Array', 'Float64Array'].filter((name) => name in globalThis);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]));
}

/** Objects whose prototypes have no global name: some iterators, and errors of Node.js, which have a class per code. */
function hiddenInstances(): object[] {
  const segments = new Intl.Segmenter().segment('');
  return [new URLSearchParams().entries(), segments, segments[Symbol.iterator](), ...ERRORS.map(thrownBy)].filter(
    isObject,
  );
}

const ERRORS: (() => unknown)[] = [
  () => Buffer.alloc(-1),
  () => Buffer.alloc('x' as never),
  () => URLSearchParams.prototype.get.call({} as never, ''),
  () => Buffer.from(0 as never),
  () => Buffer.from('', 'none' as never),
  () => Buffer.alloc(0).readInt8(0),
  () => Buffer.alloc(1).readInt8(1),
  () => Buffer.alloc(1).swap16(),
  () => new URL(''),
  () => new (Event as never as new () => Event)(),
  () => EventTarget.prototype.addEventListener.call({} as never, 'x', () => undefined),
  () => new EventTarget().dispatchEvent({} as never),
  dispatchTwice,
  () => new (URL as never as new () => URL)(),
  () => URL.prototype.toString.call({}),
  () => new URLSearchParams([['']] as never),
  () => crypto.getRandomValues(new Uint8Array(65_537)),
  () => new TextDecoder('none'),
  () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])),
];

/** The error for an event that is dispatched while it is being dispatched. */
function dispatchTwice(): void {
  const target = new EventTarget();
  const event = new Event('x');
  let thrown: unknown;
  target.addEventListener('x', () => {
    thrown = thrownBy(() => target.dispatchEvent(event));
  });
  target.dispatchEvent(event);
  throw thrown;
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The `TextDecoder` of handlers. That of Node.js exposes its internal converter. */
export class HandlerTextDecoder {
  readonly #inner: InstanceType<typeof TextDecoder>;

  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }) {
    this.#inner = new TextDecoder(encoding, options);
  }

  get encoding(): string {
    return this.#inner.encoding;
  }

  get fatal(): boolean {
    return this.#inner.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#inner.ignoreBOM;
  }

  decode(input?: NodeJS.ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string {
    return this.#inner.decode(input, options);
  }

  get [Symbol.toStringTag](): string {
    return 'TextDecoder';
  }
}
