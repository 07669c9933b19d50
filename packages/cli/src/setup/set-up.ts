import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSchemaFiles } from '@schemakit/core';
import { makeFolder } from '../settings/make-folder.ts';
import { isRecord, readJson } from '../settings/read-json.ts';
import type { Settings } from '../settings/read-settings.ts';
import type { SettingsPlaces } from '../settings/settings-places.ts';
import { type SettingsWrite, writeConfig, writeGroup } from '../settings/write-settings.ts';
import { importedFrom } from '../sources/imported-from.ts';

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

/** Makes the folder of the project, in the mode agent and with a default group. Gives the paths of what was made. */
export async function createProject(
  { places, groups, defaultGroup }: Settings,
  group: string,
): Promise<SettingsWrite & { created: string[]; defaultGroup: string }> {
  const { project } = places;
  const created = [project.config].filter((file) => !existsSync(file));
  const name = defaultGroup ?? (groups.has(group) ? group : ([...groups.keys()][0] ?? group));
  if (!groups.has(name)) {
    const made = await writeGroup(places, name, (current) => current);
    if (!made.ok) return { ...made, created, defaultGroup: name };
  }
  const written = await writeConfig(project, (fields) => ({ mode: 'agent', defaultGroup: name, ...fields }));
  return { ...written, created, defaultGroup: name };
}

/** The source that the built-in catalog becomes. */
const catalogSource = 'catalog';

export type CopiedCatalog =
  | (SettingsWrite & { copied: true; source: string; schemaCount: number })
  | { ok: true; copied: false; reason: string };

/** Whether a folder is the catalog although the settings do not say so: they were lost, or another `init` is at work. */
function isCatalog(folder: string): boolean {
  try {
    const reading = readJson(readFileSync(join(folder, 'registry.json'), 'utf8'));
    return reading.ok && isRecord(reading.value) && reading.value.registryType === 'catalog';
  } catch {
    return false; // The catalog has a registry.
  }
}

/** Copies the catalog that comes with the command to the global schemas. Files that are there are left as they are. */
export async function copyCatalog({ places, home }: Settings): Promise<CopiedCatalog> {
  const from = fileURLToPath(new URL('./catalog', import.meta.url));
  const to = join(places.home.schemas, catalogSource);
  const type = home.sources.get(catalogSource)?.type;
  const isOther = type === undefined ? existsSync(to) && !isCatalog(to) : type !== 'builtin';
  if (isOther || importedFrom(to) !== undefined) {
    return { ok: true, copied: false, reason: `${to} is there already, and comes from elsewhere.` };
  }
  await cp(from, to, { recursive: true, force: false, filter: (path) => !path.endsWith('.md') });
  const schemaCount = (await findSchemaFiles([to])).length;
  const written = await writeConfig(places.home, (fields) => ({
    ...fields,
    sources: { ...Object(fields.sources), [catalogSource]: { type: 'builtin', schemaCount } },
  }));
  return { ...written, copied: true, source: catalogSource, schemaCount };
}
