import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { ownVersion } from './own-version.ts';
import { settingsPlaces } from './settings/settings-places.ts';

/** Of other versions, so many keep what they compiled: a machine may have several, of this program and of Node. */
const maxOthers = 2;

/** What this program, and Node for it, made below the folder of what was compiled: nothing else is removed. */
const ownName = /^(?:\d+\.\d+\.\d+.*-)?v\d+\.\d+\.\d+/;

/**
 * Lets Node keep what it compiles from here on, which every command would compile again. Only where there is a global folder:
 * commands do not make one by the way. Where it cannot be written, Node goes on without. What is kept is code that will run:
 * a folder that others can write to does not do.
 */
export function keepCompiled(): void {
  const { folder } = settingsPlaces().home;
  if (!isOurs(folder)) return;
  const compiled = join(folder, 'cache', 'compiled');
  const name = `${ownVersion()}-${process.version}`;
  const own = join(compiled, name);
  if (!existsSync(own)) {
    try {
      makeFolder(own);
      removeOthers(compiled, name);
    } catch {
      return; // A folder that cannot be written is no reason not to run.
    }
  }
  enableCompileCache(own);
}

function isOurs(folder: string): boolean {
  const info = statSync(folder, { throwIfNoEntry: false });
  if (info === undefined || process.getuid === undefined) return info !== undefined;
  return info.uid === process.getuid() && (info.mode & 0o022) === 0;
}

/** Removes what older versions kept, but for the newest. A process that uses it meanwhile has what it read, and keeps no more. */
function removeOthers(compiled: string, name: string): void {
  const others = readdirSync(compiled)
    .filter((other) => other !== name && ownName.test(other))
    .map((other) => ({ path: join(compiled, other), time: madeAt(join(compiled, other)) }))
    .sort((left, right) => right.time - left.time);
  for (const { path } of others.slice(maxOthers)) rmSync(path, { recursive: true, force: true, maxRetries: 2 });
}

/** Another process may have removed it. */
function madeAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
