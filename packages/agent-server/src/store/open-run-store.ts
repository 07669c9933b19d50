import { resolve } from 'node:path';
import type { Finding } from '@schemakit/core';
import { AgentConfigError } from '../manifest/check-config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import { createMemoryRunStore } from './memory-run-store.ts';
import type { RunStore } from './run-store.ts';
import { sealedRunStore } from './sealed-run-store.ts';
import { createSqliteRunStore } from './sqlite-run-store.ts';
import type { StoreKeys } from './store-keys.ts';

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
  if (parsed.file === undefined) return createMemoryRunStore({ now });
  return sealedRunStore(createSqliteRunStore(parsed.file, { now }), keys);
}

/** The file of a `sqlite:` URL, none for `memory:`, or what is wrong with it. No message quotes the URL, which may have a password. */
export function parseStoreUrl(url: string): { file?: string; finding?: Finding } {
  if (url === 'memory:') return {};
  const [, scheme = '', rest = ''] = /^([a-z][a-z\d+.-]+):(.*)$/is.exec(url) ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite': {
      if (rest === ':memory:') return wrong('cannot be sqlite::memory:', "Use 'memory:'.");
      // As in file URLs: a host, which is empty, stands between `//` and the path, and a drive of Windows after its slash.
      const [, host, path = rest] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
      if (host !== undefined && host !== '')
        return wrong('has a host before the file', "Write 'sqlite:folder/runs.db' or 'sqlite:///folder/runs.db'.");
      if (path === '' || path === '/') return wrong('names no file', "Write 'sqlite:runs.db', for example.");
      return { file: resolve(path.replace(/^\/(?=[a-z]:[\\/])/i, '')) };
    }
    case 'redis':
    case 'rediss':
    case 'postgres':
    case 'postgresql':
      return wrong(`cannot be a ${scheme}: URL yet: that comes in a later version`);
    default:
      return wrong(scheme === '' ? 'is not a URL' : `cannot be a ${scheme}: URL`);
  }
}

function wrong(problem: string, hint = "Use 'memory:' or 'sqlite:<file>'."): { finding: Finding } {
  return {
    finding: configFinding('AGS001', 'tasks', `tasks ${problem}; it must be 'memory:' or 'sqlite:<file>'`, hint),
  };
}
