import { watchInputs } from '../../host/secret-use.ts';
import { subtleMethods } from '../../host/web/subtle-methods.ts';

/** The Web Crypto of the VM, which tells when a secret is given to it. */
export function webCrypto(): Record<string, unknown> {
  const { subtle } = crypto;
  const native = crypto;
  const methods = subtleMethods.map((name) => [
    name,
    (...args: unknown[]) => Reflect.apply(subtle[name], subtle, args),
  ]);
  return {
    getRandomValues: (array: Uint8Array) => native.getRandomValues(array),
    randomUUID: () => native.randomUUID(),
    subtle: watchInputs(Object.fromEntries(methods)),
  };
}
