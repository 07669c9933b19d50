import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { settingsPlaces } from './settings/settings-places.ts';

/**
 * Lets Node keep what it compiles from here on, which every command would compile again. Only where there is a global folder:
 * commands do not make one by the way. Where it cannot be written, Node goes on without.
 */
export function keepCompiled(): void {
  const { folder } = settingsPlaces().home;
  if (existsSync(folder)) enableCompileCache(join(folder, 'cache', 'compiled'));
}
