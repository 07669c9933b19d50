import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Scan, scanFolders } from '../index/scan-folders.ts';
import type { Isolation } from '../parameters.ts';
import { importedFrom, nearestLockFile } from '../sources/lock-files.ts';
import { lockState, type ServingSource } from './serving-source.ts';

/** Serves schema files and folders. The library is loaded when one of them is. */
export function filesSource(
  paths: readonly string[],
  { lock, isolation }: { lock: string | undefined; isolation: Isolation },
): ServingSource {
  const places = paths.map((path) => resolve(path));
  // To name a folder of a source is not to approve the addresses of its schemas.
  const imported = paths.flatMap((path) => importedFrom(path) ?? []);
  const approveRoot = imported.length === 0;
  const lockFile = lock ?? imported[0]?.lockFile ?? nearestLockFile();
  return {
    name: 'schemakit',
    subject: 'What was named',
    key: JSON.stringify(['files', places, lockFile ?? null, isolation]),
    places: [...places, ...(lockFile === undefined ? [] : [resolve(lockFile)])],
    isKept: places.every((place) => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true),
    defaults: {},
    look: () => ({
      scan: scanPlaces(places, approveRoot),
      state: lockState([lockFile]),
      refused: [],
      serves: () => true,
      lostAmong: () => [],
      groups: new Map(),
    }),
    async load(files, { isAgain = false } = {}) {
      const { loadSchemas } = await import('@schemakit/core');
      const { loadWithLock } = await import('../load-with-lock.ts');
      const named = files.length === 0 ? paths : files.map(({ path }) => path);
      const load = (options: { lockFile?: string }) =>
        loadSchemas({ paths: named, approveRoot, isolation, ...options });
      if (isAgain) return { ...(await load(lockFile === undefined ? {} : { lockFile })), refused: [] };
      const { loaded, refused } = await loadWithLock({ paths, lock: lockFile }, load);
      return { schemas: loaded.schemas, findings: loaded.findings, refused };
    },
  };
}

function scanPlaces(places: readonly string[], approved: boolean): Scan {
  const time = Date.now();
  const scans = places.map((place): Scan => {
    const info = statSync(place, { throwIfNoEntry: false });
    if (info?.isDirectory() === true) return scanFolders([{ source: '', folder: place, approved }]);
    const { size = -1, mtimeMs: mtime = 0, ctimeMs: ctime = 0 } = info ?? {};
    const file = { source: '', path: place, place, mayBeSchema: true, named: true, approved, size, mtime, ctime };
    return { files: [file], findings: [], time };
  });
  const files = new Map(scans.flatMap((scan) => scan.files).map((file) => [file.path, file]));
  return { files: [...files.values()], findings: scans.flatMap(({ findings }) => findings), time };
}
