import type { RunStore } from '../store/run-store.ts';
import type { Every } from './timers.ts';

export interface SharedSettingOptions {
  store: Pick<RunStore, 'putRecord' | 'getRecord'>;
  now: () => number;
  every: Every;
  onError: (error: unknown) => void;
}

/** How long a setting stays after the last process that has it, and how often that is renewed. */
const keepMs = 60_000;
const renewMs = 20_000;

/**
 * A setting that all processes of a store agree on. It is kept in the store as long as a process runs that has the same; others use it in
 * place of their own, and those that have none use it too. So new settings come with the last restart, and never two at once.
 */
export function shareSetting<Value>(
  name: string,
  own: Value | undefined,
  { store, now, every, onError }: SharedSettingOptions,
): { current(): Promise<Value | undefined>; close(): void } {
  const key = `setting:${name}`;
  const text = own === undefined ? undefined : JSON.stringify(own);
  let other: string | undefined;
  const agree = async (): Promise<Value | undefined> => {
    const expiresAt = now() + keepMs;
    if (text !== undefined && (await store.putRecord(key, text, { expiresAt, ifAbsent: true }))) return own;
    const stored = await store.getRecord(key);
    if (stored === undefined) return own;
    if (stored === text) await store.putRecord(key, text, { expiresAt });
    else if (text !== undefined && stored !== other)
      onError(
        new Error(
          `The ${name} is ${stored} in other processes with these tasks, and here as well: ${text} waits until they have ended`,
        ),
      );
    other = stored;
    return JSON.parse(stored);
  };
  let current = agree().catch((error: unknown) => {
    onError(error);
    return own;
  });
  const renew = () =>
    agree().then((value) => {
      current = Promise.resolve(value);
    }, onError);
  return { current: () => current, close: every(renewMs, () => void renew()) };
}
