import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { reasonOf } from '../output/terminal-text.ts';
import { isRecord } from '../settings/parse-json.ts';
import { nameProblem, pathProblem } from './path-problem.ts';
import { readAddress, type SourceAddress } from './source-address.ts';
import { sourceFinding } from './source-codes.ts';

/** The file in a source's folder that records its origin and files. */
export const stateName = '_source.json';

/** The folder for staging. Its name begins with a dot, so that searches for schemas skip it. */
export function stagingFolder(folder: string): string {
  return join(folder, '.staging');
}

const stateVersion = 1;

/** Validators for conditional requests (RFC 9110 8.8). */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

/** `file`: something that a schema or an agent refers to, such as a skill or a database. */
export type FileKind = 'schema' | 'agent' | 'list' | 'file';

export interface SourceFile {
  kind: FileKind;
  sha256: string;
  /** True once the source no longer has it. */
  removed?: true;
}

export interface SourceState {
  address: SourceAddress;
  /** A commit or the version of a registry; null if there is none. */
  revision: string | null;
  /** First import and last change, ISO 8601. */
  importedAt: string;
  updatedAt: string;
  /** For the registry or the archive. */
  validators: Validators;
  /** False if the last update skipped files: the next one fetches all again. */
  isComplete: boolean;
  /** By path below the source's folder. */
  files: ReadonlyMap<string, SourceFile>;
  /** Hashes of files about to be written, by path. Only present after an interrupted update. */
  pending: ReadonlyMap<string, readonly string[]>;
  /** The registry document; null if there is none. */
  registry: unknown;
}

export type StateResult =
  | { status: 'read'; state: SourceState }
  | { status: 'absent' }
  | { status: 'invalid'; finding: Finding };

export async function readState(folder: string): Promise<StateResult> {
  const file = join(folder, stateName);
  try {
    return { status: 'read', state: parseState(JSON.parse(await readFile(file, 'utf8'))) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { status: 'absent' };
    const message = `cannot use ${file}: ${reasonOf(error)}`;
    const hint = 'Repair it, or move the folder and import the source again.';
    return { status: 'invalid', finding: sourceFinding('SRC009', message, { file, hint }) };
  }
}

/** Replaces `_source.json` atomically. `staging` must be on the same disk. */
export async function writeState(
  folder: string,
  { state, staging }: { state: SourceState; staging: string },
): Promise<void> {
  const temporary = join(staging, stateName);
  await writeFile(temporary, formatState(state), { flush: true });
  await rename(temporary, join(folder, stateName));
}

/** The text of `_source.json`, with sorted paths so that equal states give equal texts. */
export function formatState(state: SourceState): string {
  const { address, revision, importedAt, updatedAt, validators, isComplete, registry, pending, files } = state;
  const sorted = Object.fromEntries([...files].sort(([left], [right]) => (left < right ? -1 : 1)));
  const about = { revision, importedAt, updatedAt, validators, isComplete, registry };
  const written = pending.size > 0 && { pending: Object.fromEntries(pending) };
  const document = { sourceVersion: stateVersion, ...address, ...about, ...written, files: sorted };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Strict, because paths and address of `_source.json` are used. @throws with the problem. */
function parseState(value: unknown): SourceState {
  const must = (isRight: boolean, problem: string) => {
    if (!isRight) throw new Error(problem);
  };
  if (!isRecord(value)) throw new Error('not an object');
  const { sourceVersion, revision, importedAt, updatedAt, isComplete, registry = null, files, pending = {} } = value;
  must(sourceVersion === stateVersion, `unknown sourceVersion ${JSON.stringify(sourceVersion)}`);
  const address = addressFrom(value);
  if (address === undefined) throw new Error('invalid type, url, branch or path');
  must(revision === null || typeof revision === 'string', 'revision must be text or null');
  must(typeof importedAt === 'string' && typeof updatedAt === 'string', 'importedAt and updatedAt must be text');
  must(typeof isComplete === 'boolean', 'isComplete must be true or false');
  if (!isRecord(files)) throw new Error('files must be an object');
  for (const [path, file] of Object.entries(files)) {
    const problem = pathProblem(path);
    must(problem === undefined, `the path ${JSON.stringify(path)} ${problem}`);
    const isFile =
      isRecord(file) && ['schema', 'agent', 'list', 'file'].includes(String(file.kind)) && isSha256(file.sha256);
    must(isFile, `files[${JSON.stringify(path)}] is invalid`);
  }
  if (!isRecord(pending)) throw new Error('pending must be an object');
  for (const [path, hashes] of Object.entries(pending)) {
    const isRight = pathProblem(path) === undefined && Array.isArray(hashes) && hashes.every(isSha256);
    must(isRight, `pending[${JSON.stringify(path)}] is invalid`);
  }
  const { etag, lastModified } = isRecord(value.validators) ? value.validators : {};
  return {
    ...({ revision, importedAt, updatedAt, isComplete } as Pick<
      SourceState,
      'revision' | 'importedAt' | 'updatedAt' | 'isComplete'
    >),
    ...{ address, registry },
    validators: {
      ...(typeof etag === 'string' && { etag }),
      ...(typeof lastModified === 'string' && { lastModified }),
    },
    files: new Map(Object.entries(files as Record<string, SourceFile>)),
    pending: new Map(Object.entries(pending as Record<string, string[]>)),
  };
}

function addressFrom({ type, url, branch, path }: Record<string, unknown>): SourceAddress | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  const isWeb = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
  if (type === 'registry') return isWeb ? { type, url } : undefined;
  if (type === 'archive' || type === 'folder') {
    return isAbsolute(url) || (isWeb && type === 'archive') ? { type, url } : undefined;
  }
  if (type !== 'git' || !isTextOrAbsent(branch) || !isTextOrAbsent(path)) return undefined;
  const named = readAddress(url, { branch });
  if (!named.ok || named.value.type !== 'git' || named.value.url !== url) return undefined;
  return { ...named.value, ...(path !== undefined && { path }) };
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** Whether a value is a sha256 in lower-case hexadecimal. */
export function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** An imported source, or a folder with an invalid `_source.json`. */
export type ListedSource =
  | ({ status: true; name: string; schemaCount: number; agentCount: number } & Pick<
      SourceState,
      'address' | 'revision' | 'updatedAt'
    >)
  | { status: false; name: string; finding: Finding };

export async function listSources({ folder }: { folder: string }): Promise<ListedSource[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && nameProblem(entry.name) === undefined);
  const listed = await Promise.all(
    names.map(async ({ name }): Promise<ListedSource[]> => {
      const read = await readState(join(folder, name));
      if (read.status === 'absent') return [];
      if (read.status === 'invalid') return [{ status: false, name, finding: read.finding }];
      const { address, revision, updatedAt } = read.state;
      const counts = { schemaCount: countFiles(read.state, 'schema'), agentCount: countFiles(read.state, 'agent') };
      return [{ status: true, name, address, revision, updatedAt, ...counts }];
    }),
  );
  return listed.flat().sort((left, right) => (left.name < right.name ? -1 : 1));
}

export function countFiles({ files }: SourceState, wanted: FileKind): number {
  return [...files.values()].filter(({ kind, removed }) => kind === wanted && removed !== true).length;
}
