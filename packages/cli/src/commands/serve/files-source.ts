import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadReferencedOptions } from '../../groups/load-group.ts';
import { type Scan, scanFolders } from '../../index/scan-folders.ts';
import { settingsPaths } from '../../settings/settings-paths.ts';
import { importedFrom, isOwn, nearestLockFile } from '../../sources/lock-files.ts';
import type { UsedLock } from '../../sources/use-lock.ts';
import { lockState, type ServingSource } from './serving-source.ts';

/** Serves schema files and folders. The library is imported when one of them is loaded. */
export function filesSource(
  paths: readonly string[],
  { lock, isolation = 'process', environment }: LoadReferencedOptions,
): ServingSource {
  const roots = paths.map((path) => resolve(path));
  const imported = paths.flatMap((path) => importedFrom(path) ?? []);
  const place = { named: lock, imported: imported[0]?.lockFile };
  const lockFile = lock ?? place.imported ?? nearestLockFile();
  const { accepted } = settingsPaths().home;
  return {
    name: 'schemakit',
    subject: 'The given path',
    key: JSON.stringify(['files', roots, lockFile ?? null, isolation]),
    paths: [...roots, ...(lockFile === undefined ? [] : [resolve(lockFile), accepted])],
    isCached: roots.every((root) => statSync(root, { throwIfNoEntry: false })?.isDirectory() === true),
    defaults: {},
    look: () => ({
      scan: scanPaths(roots),
      state: lockState([lockFile, accepted]),
      refused: [],
      serves: () => true,
      lostAmong: () => [],
      groups: new Map(),
    }),
    async load(files, { isAgain = false } = {}) {
      const { loadSchemas } = await import('@schemakit/core');
      const { loadWithLock } = await import('../../groups/load-with-lock.ts');
      const named = files.length === 0 ? paths : files.map(({ path }) => path);
      const roots = environment && { roots: environment.roots };
      // Naming an imported file or its folder does not approve its root URL.
      const load = (options: UsedLock) =>
        loadSchemas({ paths: named, approves: isOwn, isolation, ...roots, ...options });
      if (isAgain) {
        const { useLock } = await import('../../sources/use-lock.ts');
        const { used, refused } = await useLock(place, { paths, isAgain });
        return { ...(await load(used)), refused };
      }
      const { loaded, refused } = await loadWithLock({ paths, ...place }, load);
      return { schemas: loaded.schemas, findings: loaded.findings, refused };
    },
  };
}

function scanPaths(roots: readonly string[]): Scan {
  const time = Date.now();
  const scans = roots.map((root): Scan => {
    const approved = isOwn(root);
    const info = statSync(root, { throwIfNoEntry: false });
    if (info?.isDirectory() === true) return scanFolders([{ source: '', folder: root, approved }]);
    const { size = -1, mtimeMs: mtime = 0, ctimeMs: ctime = 0 } = info ?? {};
    const file = { source: '', path: root, place: root, mayBeSchema: true, named: true, approved, size, mtime, ctime };
    return { files: [file], findings: [], time };
  });
  const files = new Map(scans.flatMap((scan) => scan.files).map((file) => [file.path, file]));
  return { files: [...files.values()], findings: scans.flatMap(({ findings }) => findings), time };
}
