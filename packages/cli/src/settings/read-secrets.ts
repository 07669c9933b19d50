import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Finding } from '@schemakit/core';
import { reasonOf } from '../output/terminal-text.ts';
import type { Settings } from './read-settings.ts';
import { settingsFinding } from './settings-codes.ts';
import { withHome } from './settings-paths.ts';

export interface Secrets {
  values: Readonly<Record<string, string>>;
  findings: readonly Finding[];
}

/** Reads server parameters from the environment, then from the global `.env` file. Empty values count as missing; see docs/command.md, "Secrets". */
export function readSecrets(settings: Pick<Settings, 'home' | 'paths'>, env: NodeJS.ProcessEnv = process.env): Secrets {
  const read = envFiles(settings).map(readEnvFile);
  const sources = [env, ...read.map(({ values }) => values)].reverse();
  const given = sources.flatMap((source) => Object.entries(source).filter(([, value]) => value));
  return {
    values: Object.fromEntries(given) as Record<string, string>,
    findings: read.flatMap(({ findings }) => findings),
  };
}

/** The `.env` files, by precedence. */
export function envFiles({ home, paths }: Pick<Settings, 'home' | 'paths'>): string[] {
  const { env, folder, legacy } = paths.home;
  if (home.envPath !== undefined) return [resolve(folder, withHome(home.envPath)), env];
  return [env, ...(legacy === undefined ? [] : [join(legacy, '.env')])];
}

function readEnvFile(file: string): { values: NodeJS.Dict<string>; findings: Finding[] } {
  try {
    const info = statSync(file);
    if (!info.isFile()) throw new Error('not a regular file');
    const values = withoutStrayLines(parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')));
    const isOpen = process.platform !== 'win32' && (info.mode & 0o077) !== 0;
    return { values, findings: isOpen ? [readableByOthers(file)] : [] };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { values: {}, findings: [] };
    const hint = 'Check the path and its permissions.';
    return {
      values: {},
      findings: [settingsFinding('SET001', `cannot read the secrets: ${reasonOf(error)}`, { file, hint })],
    };
  }
}

/** `parseEnv` joins a line without `=` to the next name. */
function withoutStrayLines(values: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.split('\n').at(-1)?.trim(), value]));
}

function readableByOthers(file: string): Finding {
  const message = 'other users of this machine can read your secrets';
  return settingsFinding('SET005', message, { file, hint: `Run: chmod 600 ${file}` });
}
