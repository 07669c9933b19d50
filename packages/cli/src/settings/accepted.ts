import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isRecord, parseJson } from './parse-json.ts';
import { realPath, type SettingsPaths, settingsPaths } from './settings-paths.ts';
import { type WriteResult, writeConfig } from './write-settings.ts';

/** A part of a file that came with a project, such as the grants of one schema. It counts only once this user accepted it. */
export interface AcceptablePart {
  file: string;
  /** Unique in the file. */
  part: string;
  /** JSON. The order of keys does not matter. */
  contents: unknown;
}

/** The parts that this user has not accepted, or that changed since. */
export function unaccepted<T extends AcceptablePart>(
  parts: readonly T[],
  { home }: SettingsPaths = settingsPaths(),
): T[] {
  if (parts.length === 0) return [];
  const accepted = readAccepted(home.accepted);
  return parts.filter(
    (one) => fieldOf(fieldOf(accepted, realPath(resolve(one.file))), one.part) !== hashOf(one.contents),
  );
}

/** Records parts as accepted, by the real path of their file and a hash of their contents. */
export function accept(
  parts: readonly AcceptablePart[],
  { home }: SettingsPaths = settingsPaths(),
): Promise<WriteResult> {
  return writeConfig({ config: home.accepted }, (files) => {
    const all = { ...files };
    for (const { file, part, contents } of parts) {
      const path = realPath(resolve(file));
      all[path] = Object.fromEntries([...Object.entries(Object(fieldOf(all, path))), [part, hashOf(contents)]]);
    }
    return all;
  });
}

function readAccepted(file: string): unknown {
  try {
    const parsed = parseJson(readFileSync(file, 'utf8'));
    return parsed.ok ? parsed.value : {};
  } catch {
    return {}; // Nothing was accepted yet.
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function hashOf(contents: unknown): string {
  const inOrder = (_: string, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  return `sha256:${hash('sha256', JSON.stringify(contents, inOrder))}`;
}
