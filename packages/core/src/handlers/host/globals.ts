import { webCrypto } from './builtins/web-crypto.ts';
import { webApi } from './web-api.ts';

/**
 * What every compartment finds beyond the language: a positive list, frozen with all that can be reached from it, because the
 * schemas of this host share it.
 */
export function sharedGlobals(): Record<string, unknown> {
  Reflect.deleteProperty(URL, 'createObjectURL');
  Reflect.deleteProperty(URL, 'revokeObjectURL');
  for (const instance of hiddenInstances()) harden(Object.getPrototypeOf(instance));
  return harden({
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
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
    // SES gives compartments a clock that stands still and no randomness; handlers sign requests and need both.
    Date,
    Math,
    Intl,
  });
}

/** Objects whose prototypes no name leads to. */
function hiddenInstances(): object[] {
  const search = new URLSearchParams();
  const segments = new Intl.Segmenter().segment('');
  return [search.entries(), segments, segments[Symbol.iterator]()];
}
