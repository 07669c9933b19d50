import { statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { settingsPlaces } from './settings/settings-places.ts';

/**
 * Lets Node keep what it compiles from here on, which every command would compile again. Only where there is a global folder:
 * commands do not make one by the way. Where it cannot be written, Node goes on without. What is kept is code that will run:
 * a folder that others can write to does not do.
 */
export function keepCompiled(): void {
  const { folder } = settingsPlaces().home;
  if (isOurs(folder)) enableCompileCache(join(folder, 'cache', 'compiled'));
}

function isOurs(folder: string): boolean {
  const info = statSync(folder, { throwIfNoEntry: false });
  if (info === undefined || process.getuid === undefined) return info !== undefined;
  return info.uid === process.getuid() && (info.mode & 0o022) === 0;
}
