import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { Group } from './config.ts';
import { makeFolder } from './make-folder.ts';
import { isRecord, readJson } from './read-json.ts';
import { settingsFinding } from './settings-codes.ts';
import type { SettingsPlaces } from './settings-places.ts';

export type SettingsWrite = { ok: true } | { ok: false; finding: Finding };

/** Changes fields of a `config.json`, and keeps all others. Where there is none, that of an older program is the base. */
export function writeConfig(
  { config, older }: { config: string; older?: string },
  change: (fields: Record<string, unknown>) => Record<string, unknown>,
): Promise<SettingsWrite> {
  const base = older === undefined ? undefined : join(older, 'config.json');
  return writeJson(config, change, base);
}

/** Changes a group in its file. A group that an older program keeps in `config.json` gets a file of its own. */
export function writeGroup(
  { project }: SettingsPlaces,
  name: string,
  change: (group: Group) => Group,
  current: Group = { description: '', tools: [] },
): Promise<SettingsWrite> {
  return writeJson(join(project.groups, `${name}.json`), (fields) => {
    const { description = current.description, tools = fields.schemas ?? current.tools, schemas: _, ...rest } = fields;
    return { ...rest, ...change({ description: String(description), tools: tools as readonly string[] }) };
  });
}

async function writeJson(
  file: string,
  change: (fields: Record<string, unknown>) => Record<string, unknown>,
  base?: string,
): Promise<SettingsWrite> {
  try {
    // The library takes longer to load than commands take that only read.
    const { updateFile } = await import('@schemakit/core');
    makeFolder(dirname(file));
    await updateFile(file, async (text) => {
      const source = text ?? (base !== undefined && existsSync(base) ? await readFile(base, 'utf8') : '{}');
      const reading = readJson(source);
      if (!reading.ok) throw new Error(`line ${reading.place.line}: ${reading.problem}`);
      if (!isRecord(reading.value)) throw new Error('the file is no JSON object');
      return `${JSON.stringify(change(reading.value), null, 4)}\n`;
    });
    return { ok: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Check the file and the rights of its folder, and try again.';
    return {
      ok: false,
      finding: settingsFinding('SET006', `the settings cannot be written: ${reason}`, { file, hint }),
    };
  }
}
