import { isProxy } from '../proxies.ts';

/** Whether a function of the language takes a value for one of its own kind: it throws for all others. */
function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** What is made by `{}` is nothing special; to throw and to catch costs more than to look. */
function isOfClass(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== Object.prototype;
}

function getter(prototype: object, key: PropertyKey): (this: unknown) => unknown {
  const { get } = Object.getOwnPropertyDescriptor(prototype, key) ?? {};
  if (get === undefined) throw new Error(`No getter ${String(key)}`);
  return get;
}

const { apply } = Reflect;
const mapSize = getter(Map.prototype, 'size');
const setSize = getter(Set.prototype, 'size');
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
const viewLength = getter(DataView.prototype, 'byteLength');
const arrayKind = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const regExpSource = getter(RegExp.prototype, 'source');
const { getTime } = Date.prototype;
const primitives = [Boolean, Number, String, Symbol, BigInt].map(({ prototype }) => prototype.valueOf);
const NativeException = DOMException;
const isError: (value: unknown) => boolean = Reflect.get(Error, 'isError');

/** `types` of `node:util` in a VM: what the code of hosts uses of it. */
export const types = {
  isProxy: (value: unknown): boolean => isProxy(value),
  isDate: (value: unknown): boolean => isOfClass(value) && passes(() => apply(getTime, value, [])),
  isMap: (value: unknown): boolean => isOfClass(value) && passes(() => apply(mapSize, value, [])),
  isSet: (value: unknown): boolean => isOfClass(value) && passes(() => apply(setSize, value, [])),
  isAnyArrayBuffer: (value: unknown): boolean => isOfClass(value) && passes(() => apply(bufferLength, value, [])),
  isDataView: (value: unknown): boolean => isOfClass(value) && passes(() => apply(viewLength, value, [])),
  isUint8Array: (value: unknown): boolean => apply(arrayKind, value, []) === 'Uint8Array',
  isUint8ClampedArray: (value: unknown): boolean => apply(arrayKind, value, []) === 'Uint8ClampedArray',
  isBoxedPrimitive: (value: unknown): boolean =>
    isOfClass(value) && primitives.some((unbox) => passes(() => apply(unbox, value, []))),
  isRegExp: (value: unknown): boolean => isOfClass(value) && passes(() => apply(regExpSource, value, [])),
  // There an error of its own, which this engine does not count as one.
  isNativeError: (value: unknown): boolean => isError(value) || value instanceof NativeException,
};
