import { setTimeout as sleep } from 'node:timers/promises';
import type { RateLimit, RunStore } from '../store/run-store.ts';
import { type SharedSettingOptions, shareSetting } from './shared-setting.ts';

export interface ModelLimitOptions extends SharedSettingOptions {
  store: RunStore;
  /** Names the key of the model, and does not tell it. */
  key: string;
  rateLimit: RateLimit | undefined;
}

const retryMs = 1_000;

/** Waits for a request to the model that the rate limit of its key allows, over all processes of the store. */
export function createModelLimit({ key, rateLimit, ...options }: ModelLimitOptions): {
  wait(signal: AbortSignal): Promise<void>;
  close(): void;
} {
  const { store, onError } = options;
  const { current, close } = shareSetting(`rate limit of the model (key ${key.slice(0, 8)})`, rateLimit, options);
  return {
    close,
    async wait(signal) {
      for (;;) {
        const limit = await current();
        if (limit === undefined) return;
        const waitMs = await store.take(`model:${key}`, limit).catch((error: unknown) => {
          onError(error);
          return retryMs;
        });
        if (waitMs === 0) return;
        await sleep(waitMs, undefined, { signal });
      }
    },
  };
}
