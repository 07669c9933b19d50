import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { makeFolder } from '../make-folder.ts';
import type { SettingsPlaces } from '../settings/settings-places.ts';
import { type SettingsWrite, writeConfig } from '../settings/write-settings.ts';

const envText = `# Secrets that schemas ask for, one in a line: NAME=value
# The environment wins over this file.
`;

/** Makes the global folder with what is missing in it. Gives the paths of what was made. */
export async function createHome({ home }: SettingsPlaces): Promise<SettingsWrite & { created: string[] }> {
  const created = [...(isNew(home.folder) ? [home.folder] : []), ...(existsSync(home.schemas) ? [] : [home.schemas])];
  // Secrets are in it.
  makeFolder(home.folder, { mode: 0o700 });
  makeFolder(home.schemas);
  if (await writeNew(home.env, envText)) created.push(home.env);
  if (!existsSync(home.config)) created.push(home.config);
  const written = await writeConfig(home, (fields) => ({ initialized: new Date().toISOString(), ...fields }));
  return { ...written, created };
}

/** Other commands may have kept their caches there. */
function isNew(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).every((name) => name === 'cache');
}

async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
