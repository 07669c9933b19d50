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
  /** Where each value is from: `the environment`, or a file. */
  places: Readonly<Record<string, string>>;
  findings: readonly Finding[];
}

export interface SecretSources {
  env?: NodeJS.ProcessEnv;
  /** A file that the user names. */
  envFile?: string | undefined;
}

/**
 * Reads server parameters from the environment, then from the named file, the `.env` of the project and the global one. Empty values
 * count as missing; see docs/command.md, "Secrets".
 */
export function readSecrets(
  settings: Pick<Settings, 'home' | 'paths'>,
  { env = process.env, envFile }: SecretSources = {},
): Secrets {
  const ofProject = join(settings.paths.project.root, '.env');
  const shared = [...(envFile === undefined ? [] : [resolve(envFile)]), ofProject].map((file) => readEnvFile(file));
  // Only the global files are for secrets alone.
  const read = [...shared, ...envFiles(settings).map((file) => readEnvFile(file, { isPrivate: true }))];
  const sources = [{ values: env, place: 'the environment' }, ...read].reverse();
  const given = sources.flatMap(({ values, place }) =>
    Object.entries(values).flatMap(([name, value]) => (value ? [{ name, value, place }] : [])),
  );
  return {
    values: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    places: Object.fromEntries(given.map(({ name, place }) => [name, place])),
    findings: read.flatMap(({ findings }) => findings),
  };
}

/** The global `.env` files, by precedence. */
export function envFiles({ home, paths }: Pick<Settings, 'home' | 'paths'>): string[] {
  const { env, folder, legacy } = paths.home;
  if (home.envPath !== undefined) return [resolve(folder, withHome(home.envPath)), env];
  return [env, ...(legacy === undefined ? [] : [join(legacy, '.env')])];
}

function readEnvFile(
  file: string,
  { isPrivate = false }: { isPrivate?: boolean } = {},
): { values: NodeJS.Dict<string>; findings: Finding[]; place: string } {
  try {
    const info = statSync(file);
    if (!info.isFile()) throw new Error('not a regular file');
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    const isOpen = isPrivate && process.platform !== 'win32' && (info.mode & 0o077) !== 0;
    const findings = [...(isOpen ? [readableByOthers(file)] : []), ...strayLines(text, file)];
    return { values: withoutStrayLines(parseEnv(text)), findings, place: file };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { values: {}, findings: [], place: file };
    const hint = 'Check the path and its permissions.';
    return {
      values: {},
      place: file,
      findings: [settingsFinding('SET001', `cannot read the secrets: ${reasonOf(error)}`, { file, hint })],
    };
  }
}

/** An assignment as `parseEnv` reads it; a value in quotes may have several lines. */
const assignment = /^[ \t]*(?:export[ \t]+)?[^\s=#]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*/gm;

/** The text is not shown: it may be a secret. */
function strayLines(text: string, file: string): Finding[] {
  const lines = text.replace(assignment, (match) => match.replace(/[^\n]/g, '')).split('\n');
  return lines.flatMap((line, index) => {
    if (/^\s*(#|$)/.test(line)) return [];
    const place = { file, line: index + 1, column: 1 };
    return [
      settingsFinding('SET010', 'this line is not an assignment; ignored', { ...place, hint: 'Write NAME=value.' }),
    ];
  });
}

/** `parseEnv` joins a line without `=` to the next name. */
function withoutStrayLines(values: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.split('\n').at(-1)?.trim(), value]));
}

function readableByOthers(file: string): Finding {
  const message = 'other users of this machine can read your secrets';
  return settingsFinding('SET005', message, { file, hint: `Run: chmod 600 ${file}` });
}
