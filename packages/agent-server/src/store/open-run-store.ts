import { AgentConfigError } from '../manifest/check-config.ts';
import type { RunStore } from './run-store.ts';
import { sealedRunStore } from './sealed-run-store.ts';
import { useSqlite } from './sqlite-file.ts';
import { createSqliteRunStore } from './sqlite-run-store.ts';
import type { StoreKeys } from './store-keys.ts';
import { parseStoreUrl } from './store-url.ts';

/**
 * Opens the store of a URL: `memory:`, or `sqlite:` and a file, relative to the working directory or absolute (`sqlite:runs.db`,
 * `sqlite:/var/lib/runs.db`, `sqlite:///var/lib/runs.db`, `sqlite:C:\runs.db`).
 *
 * @param options.keys Encrypt the texts in a file.
 * @throws {AgentConfigError} for another URL.
 * @throws {Error} if the file cannot be used.
 */
export async function openRunStore(
  url: string,
  { keys = new Map(), now = Date.now }: { keys?: StoreKeys; now?: () => number } = {},
): Promise<RunStore> {
  const parsed = parseStoreUrl(url);
  if (parsed.finding !== undefined) throw new AgentConfigError('openRunStore', [parsed.finding]);
  const store = await useSqlite(parsed.file, () => createSqliteRunStore(parsed.file, { now }));
  return parsed.file === undefined ? store : sealedRunStore(store, keys);
}
