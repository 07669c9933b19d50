import { LeaseLostError, type NewEntries, type RunStore, type StoredRun } from '../store/run-store.ts';
import type { Every } from './timers.ts';

const retryMs = 1_000;
const maxTries = 30;

/**
 * Appends to a journal, and tries again while the store fails: one that restarts costs no run its worker. A failed append may have been
 * stored all the same; then it has the lease of this worker, and the journal ends with it.
 *
 * @throws {@link LeaseLostError} as the store does, and the last error of the store after half a minute.
 */
export async function appendSurely(
  store: RunStore,
  id: string,
  added: NewEntries & { from: number },
  { signal, every }: { signal: AbortSignal; every: Every },
): Promise<StoredRun> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.append(id, added);
    } catch (error) {
      if (error instanceof LeaseLostError) {
        const stored = tries === 1 ? undefined : await storedBefore(store, id, added);
        if (stored === undefined) throw error;
        return stored;
      }
      if (tries === maxTries) throw error;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const endWait = every(retryMs, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise.finally(endWait);
    signal.throwIfAborted();
  }
}

async function storedBefore(
  store: RunStore,
  id: string,
  { fence, from, entries }: NewEntries & { from: number },
): Promise<StoredRun | undefined> {
  const run = await store.get(id);
  if (run?.fence !== fence) return undefined;
  const journal = await store.read(id, from);
  return JSON.stringify(journal) === JSON.stringify(entries) ? run : undefined;
}
