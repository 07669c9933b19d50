import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
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
  { project }: Pick<SettingsPaths, 'project'>,
  name: string,
  change: (group: Group) => Group,
  current: Group = { description: '', tools: [] },
): Promise<WriteResult> {
  return writeJson(join(project.groups, `${name}.json`), (fields) => {
    const { description = current.description, tools = fields.schemas ?? current.tools, schemas: _, ...rest } = fields;
    return { ...rest, ...change({ description: String(description), tools: tools as readonly string[] }) };
  });
}

/**
 * Deletes a group, or gives it another name, together with what `config.json` says about it. If the process is killed, the
 * default group may still have the old name.
 */
export async function moveGroup(
  { project }: Pick<SettingsPaths, 'project'>,
  name: string,
  { group, to }: { group: Group; to?: string },
): Promise<WriteResult> {
  const fileOf = (own: string) => join(project.groups, `${own}.json`);
  const hasConfig = existsSync(project.config) || project.legacy !== undefined;
  try {
    const { withFileLock } = await import('@schemakit/core/internal');
    makeFolder(project.groups);
    const work = async (): Promise<WriteResult> => {
      if (to !== undefined && existsSync(fileOf(name))) {
        if (existsSync(fileOf(to))) throw new Error(`${fileOf(to)} exists`);
        await rename(fileOf(name), fileOf(to));
      } else if (to !== undefined) {
        const made = await writeGroup({ project }, to, () => group);
        if (!made.ok) return made;
      }
      const noted = hasConfig
        ? await writeConfig(project, (fields) => withoutGroup(fields, name, to))
        : { ok: true as const };
      if (noted.ok) await rm(fileOf(name), { force: true });
      return noted;
    };
    const held = await withFileLock(`${fileOf(name)}.held`, work, { timeoutMs: 10_000 });
    if (held.ok) return held.value;
    throw new Error(`process ${held.pid ?? 'unknown'} holds ${held.path}`);
  } catch (error) {
    return notWritten(fileOf(name), error);
  }
}

/** The fields of `config.json` after a group got another name, or none. `tools` is the default group of `.flowmcp`. */
function withoutGroup(fields: Record<string, unknown>, name: string, to: string | undefined): Record<string, unknown> {
  const { defaultGroup, groups, tools, ...rest } = fields;
  const others = isRecord(groups) ? Object.fromEntries(Object.entries(groups).filter(([own]) => own !== name)) : groups;
  const next = defaultGroup === name ? to : defaultGroup;
  return {
    ...rest,
    ...(others !== undefined && { groups: others }),
    ...(tools !== undefined && name !== 'default' && { tools }),
    ...(next !== undefined && { defaultGroup: next }),
  };
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
    return notWritten(file, error);
  }
}

function notWritten(file: string, error: unknown): WriteResult {
  const hint = 'Check the file and the permissions of its folder, then try again.';
  const message = `cannot write the settings: ${reasonOf(error)}`;
  return { ok: false, finding: settingsFinding('SET006', message, { file, hint }) };
}
