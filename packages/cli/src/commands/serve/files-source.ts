import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Scan, scanFolders } from '../../index/scan-folders.ts';
import type { Environment } from '../../settings/environment.ts';
import { importedFrom, nearestLockFile } from '../../sources/lock-files.ts';
import type { Isolation } from '../parameters.ts';
import { lockState, type ServingSource } from './serving-source.ts';

/** Serves schema files and folders. The library is imported when one of them is loaded. */
export function filesSource(
  paths: readonly string[],
  {
    lock,
    isolation,
    environment,
  }: { lock: string | undefined; isolation: Isolation; environment?: Environment | undefined },
): ServingSource {
  const roots = paths.map((path) => resolve(path));
  // Naming a folder of an imported source does not approve the root URLs of its schemas.
  const imported = paths.flatMap((path) => importedFrom(path) ?? []);
  const approveRoot = imported.length === 0;
  const lockFile = lock ?? imported[0]?.lockFile ?? nearestLockFile();
  return {
    name: 'schemakit',
    subject: 'The given path',
    key: JSON.stringify(['files', roots, lockFile ?? null, isolation]),
    paths: [...roots, ...(lockFile === undefined ? [] : [resolve(lockFile)])],
    isCached: roots.every((root) => statSync(root, { throwIfNoEntry: false })?.isDirectory() === true),
    defaults: {},
    look: () => ({
      scan: scanPaths(roots, approveRoot),
      state: lockState([lockFile]),
      refused: [],
      serves: () => true,
      lostAmong: () => [],
      groups: new Map(),
    }),
    async load(files, { isAgain = false } = {}) {
      const { loadSchemas } = await import('@schemakit/core');
      const { loadWithLock } = await import('../../groups/load-with-lock.ts');
      const named = files.length === 0 ? paths : files.map(({ path }) => path);
      const load = (options: { lockFile?: string }) =>
        loadSchemas({
          paths: named,
          approveRoot,
          isolation,
          ...(environment && { roots: environment.roots }),
          ...options,
        });
      if (isAgain) return { ...(await load(lockFile === undefined ? {} : { lockFile })), refused: [] };
      const { loaded, refused } = await loadWithLock({ paths, lock: lockFile }, load);
      return { schemas: loaded.schemas, findings: loaded.findings, refused };
    },
  };
}

function scanPaths(roots: readonly string[], approved: boolean): Scan {
  const time = Date.now();
  const scans = roots.map((root): Scan => {
    const info = statSync(root, { throwIfNoEntry: false });
    if (info?.isDirectory() === true) return scanFolders([{ source: '', folder: root, approved }]);
    const { size = -1, mtimeMs: mtime = 0, ctimeMs: ctime = 0 } = info ?? {};
    const file = { source: '', path: root, place: root, mayBeSchema: true, named: true, approved, size, mtime, ctime };
    return { files: [file], findings: [], time };
  });
  const files = new Map(scans.flatMap((scan) => scan.files).map((file) => [file.path, file]));
  return { files: [...files.values()], findings: scans.flatMap(({ findings }) => findings), time };
}
