import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that gets a new text, or goes. */
export interface Replacement {
  path: string;
  text: string | null;
}

/**
 * Replaces several files: first all new texts are written beside them, then each takes its place, in order. If one of these steps fails, the
 * files get their old texts back. A process that is killed in between leaves whole files, some old and some new.
 *
 * @throws if a file cannot be written; nothing has changed then.
 */
export async function replaceFiles(files: readonly Replacement[]): Promise<void> {
  const staged = files.map((file) => ({ ...file, temporary: `${file.path}.${randomUUID()}.tmp` }));
  const done: Replacement[] = [];
  try {
    for (const { path, text, temporary } of staged) if (text !== null) await writeSynced(temporary, text, path);
    for (const { path, text, temporary } of staged) {
      const before = await readFile(path, 'utf8').catch(() => null);
      if (text === null) await rm(path, { force: true });
      else await rename(temporary, path);
      done.push({ path, text: before });
    }
  } catch (error) {
    for (const { path, text } of done.toReversed()) await restore(path, text);
    throw error;
  } finally {
    for (const { temporary } of staged) await rm(temporary, { force: true });
  }
}

/** Removes what a killed process left in a folder. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/^[\w-]+\.(mjs|md|json)\.[\da-f-]{36}\.tmp$/.test(name)) await rm(join(folder, name), { force: true });
  }
}

async function writeSynced(temporary: string, text: string, path: string): Promise<void> {
  const mode = (await stat(path).catch(() => undefined))?.mode;
  const handle = await open(temporary, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function restore(path: string, text: string | null): Promise<void> {
  if (text === null) return rm(path, { force: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeSynced(temporary, text, path);
  await rename(temporary, path);
}
