import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSchemaFiles } from '@schemakit/core';
import { isRecord, readJson } from '../settings/read-json.ts';
import type { Settings } from '../settings/read-settings.ts';
import { type SettingsWrite, writeConfig } from '../settings/write-settings.ts';
import { importedFrom } from '../sources/imported-from.ts';

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
