import type { RunStore } from './run-store.ts';
import { type StoreKeys, seal, unseal } from './store-keys.ts';

/**
 * A store whose texts are encrypted: the entries of journals, answers and records. Each opens only at its own place. Without keys it
 * stores texts as they are, and says which key is missing for those that are encrypted.
 */
export function sealedRunStore(store: RunStore, keys: StoreKeys): RunStore {
  const sealEntries = (id: string, from: number, entries: readonly string[]) =>
    entries.map((text, index) => seal(text, entryPlace(id, from + index), keys));

  return {
    ...store,
    create: (run, entries) => store.create(run, sealEntries(run.id, 0, entries)),
    async read(id, from = 0) {
      const entries = await store.read(id, from);
      return entries.map((text, index) => unseal(text, entryPlace(id, from + index), keys));
    },
    async readAnswer(id) {
      const text = await store.readAnswer(id);
      return text === undefined ? undefined : unseal(text, answerPlace(id), keys);
    },
    append: (id, added) => store.append(id, { ...added, entries: sealEntries(id, added.from ?? 0, added.entries) }),
    request(id, request) {
      if (request.type !== 'answer') return store.request(id, request);
      return store.request(id, { ...request, answer: seal(request.answer, answerPlace(id), keys) });
    },
    putRecord: (key, text, options) => store.putRecord(key, seal(text, recordPlace(key), keys), options),
    async getRecord(key) {
      const text = await store.getRecord(key);
      return text === undefined ? undefined : unseal(text, recordPlace(key), keys);
    },
  };
}

const entryPlace = (id: string, number: number) => `entry ${number} of run ${id}`;
const answerPlace = (id: string) => `the answer to run ${id}`;
const recordPlace = (key: string) => `the record ${key}`;
