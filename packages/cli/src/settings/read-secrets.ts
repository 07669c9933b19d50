import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Finding } from '@schemakit/core';
import type { Settings } from './read-settings.ts';
import { settingsFinding } from './settings-codes.ts';
import { withHome } from './settings-places.ts';

export interface Secrets {
  /** Server parameters by name. */
  values: Readonly<Record<string, string>>;
  findings: readonly Finding[];
}

/**
 * Server parameters: the process environment, then the `.env` file of the global folder (specification 5). A value that is
 * empty is missing.
 */
export function readSecrets(
  settings: Pick<Settings, 'home' | 'places'>,
  env: NodeJS.ProcessEnv = process.env,
): Secrets {
  const read = envFiles(settings).map(readEnvFile);
  const sources = [env, ...read.map(({ values }) => values)].reverse();
  const given = sources.flatMap((source) => Object.entries(source).filter(([, value]) => value));
  return {
    values: Object.fromEntries(given) as Record<string, string>,
    findings: read.flatMap(({ findings }) => findings),
  };
}

/** The files of secrets, the one that wins first. */
export function envFiles({ home, places }: Pick<Settings, 'home' | 'places'>): string[] {
  const { env, folder, older } = places.home;
  if (home.envPath !== undefined) return [resolve(folder, withHome(home.envPath)), env];
  return [env, ...(older === undefined ? [] : [join(older, '.env')])];
}

function readEnvFile(file: string): { values: NodeJS.Dict<string>; findings: Finding[] } {
  try {
    const info = statSync(file);
    if (!info.isFile()) throw new Error('it is no regular file');
    const values = withoutStrayLines(parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')));
    const isOpen = process.platform !== 'win32' && (info.mode & 0o077) !== 0;
    return { values, findings: isOpen ? [readableByOthers(file)] : [] };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { values: {}, findings: [] };
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Check the path and its rights.';
    return {
      values: {},
      findings: [settingsFinding('SET001', `the secrets cannot be read: ${reason}`, { file, hint })],
    };
  }
}

/** The parser takes a line without `=` for the beginning of the next name. */
function withoutStrayLines(values: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.split('\n').at(-1)?.trim(), value]));
}

function readableByOthers(file: string): Finding {
  const message = 'other users of this machine can read your secrets';
  return settingsFinding('SET005', message, { file, hint: `Run: chmod 600 ${file}` });
}
