import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { reasonOf } from '../output/terminal-text.ts';
import type { Group } from './config.ts';
import { makeFolder } from './make-folder.ts';
import { isRecord, parseJson } from './parse-json.ts';
import { settingsFinding } from './settings-codes.ts';
import type { SettingsPaths } from './settings-paths.ts';

export type WriteResult = { ok: true } | { ok: false; finding: Finding };

/** Changes fields of `config.json` and preserves the others. Starts from the one in `.flowmcp` if there is none. */
export function writeConfig(
  { config, legacy }: { config: string; legacy?: string },
  change: (fields: Record<string, unknown>) => Record<string, unknown>,
): Promise<WriteResult> {
  const base = legacy === undefined ? undefined : join(legacy, 'config.json');
  return writeJson(config, change, base);
}

/** Changes the file of a group. A group in `config.json` moves to its own file. */
export function writeGroup(
  { project }: SettingsPaths,
  name: string,
  change: (group: Group) => Group,
  current: Group = { description: '', tools: [] },
): Promise<WriteResult> {
  return writeJson(join(project.groups, `${name}.json`), (fields) => {
    const { description = current.description, tools = fields.schemas ?? current.tools, schemas: _, ...rest } = fields;
    return { ...rest, ...change({ description: String(description), tools: tools as readonly string[] }) };
  });
}

async function writeJson(
  file: string,
  change: (fields: Record<string, unknown>) => Record<string, unknown>,
  base?: string,
): Promise<WriteResult> {
  try {
    // Loaded here, because it takes longer than a command that only reads.
    const { updateFile } = await import('@schemakit/core/internal');
    makeFolder(dirname(file));
    await updateFile(file, async (text) => {
      const source = text ?? (base !== undefined && existsSync(base) ? await readFile(base, 'utf8') : '{}');
      const parsed = parseJson(source);
      if (!parsed.ok) throw new Error(`line ${parsed.position.line}: ${parsed.problem}`);
      if (!isRecord(parsed.value)) throw new Error('not a JSON object');
      return `${JSON.stringify(change(parsed.value), null, 4)}\n`;
    });
    return { ok: true };
  } catch (error) {
    const hint = 'Check the file and the permissions of its folder, then try again.';
    return {
      ok: false,
      finding: settingsFinding('SET006', `cannot write the settings: ${reasonOf(error)}`, { file, hint }),
    };
  }
}
