import { open, readdir, readFile, rename } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { isRecord } from '../settings/read-json.ts';
import { nameProblem, pathProblem } from './path-problem.ts';
import { readAddress, type SourceAddress } from './source-address.ts';
import { sourceFinding } from './source-codes.ts';

/** Name of the file in a source's folder that says where the source came from. */
export const stateName = '_source.json';

/** Where sources of a folder are put together. Its name begins with a dot, so that no schema is looked for in it. */
export function stagingFolder(folder: string): string {
  return join(folder, '.staging');
}

const stateVersion = 1;

/** What a server gives to ask later whether a file has changed (RFC 9110 8.8). */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

/** `file`: what a schema refers to, such as a skill or a database. */
export type FileKind = 'schema' | 'list' | 'file';

/** A file as the source had it when it was written. */
export interface SourceFile {
  kind: FileKind;
  /** Hexadecimal. */
  sha256: string;
  /** True once the source no longer has it. */
  removed?: true;
}

/** What `_source.json` holds. */
export interface SourceState {
  address: SourceAddress;
  /** A commit, or the version of a registry; null where there is none. */
  revision: string | null;
  /** When it was imported, and when files of it changed last: ISO 8601. */
  importedAt: string;
  updatedAt: string;
  /** Of the registry or the archive. */
  validators: Validators;
  /** False where the last update left out files of the source: the next one asks for all again. */
  isComplete: boolean;
  /** By path below the source's folder. */
  files: ReadonlyMap<string, SourceFile>;
  /** Hashes of what is about to be written, by path. Left behind by updates that were interrupted. */
  pending: ReadonlyMap<string, readonly string[]>;
  /** The registry as it came; null where there is none. */
  registry: unknown;
}

export type StateReading =
  | { status: 'read'; state: SourceState }
  | { status: 'absent' }
  | { status: 'invalid'; finding: Finding };

/** Reads `_source.json` in the folder of a source. */
export async function readState(folder: string): Promise<StateReading> {
  const file = join(folder, stateName);
  const invalid = (reason: string): StateReading => {
    const hint = 'Repair it, or move the folder away and import the source again.';
    return { status: 'invalid', finding: sourceFinding('SRC009', `${file} cannot be used: ${reason}`, { file, hint }) };
  };
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    const state = stateFrom(value);
    return typeof state === 'string' ? invalid(state) : { status: 'read', state };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { status: 'absent' };
    return invalid(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Writes `_source.json` as a whole: a reader sees the old one or the new one.
 *
 * @param options.staging - A folder on the same disk, in which it is written first.
 */
export async function writeState(
  folder: string,
  { state, staging }: { state: SourceState; staging: string },
): Promise<void> {
  const temporary = join(staging, stateName);
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(formatState(state));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(folder, stateName));
}

/** The text of `_source.json`; paths are sorted, so that the same state gives the same text. */
export function formatState({ address, files, pending, ...rest }: SourceState): string {
  const sorted = Object.fromEntries([...files].sort(([left], [right]) => (left < right ? -1 : 1)));
  const written = pending.size > 0 && { pending: Object.fromEntries(pending) };
  const document = { sourceVersion: stateVersion, ...address, ...rest, ...written, files: sorted };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The state, or what is wrong with it: whoever wrote the file, its paths are used as paths. */
function stateFrom(value: unknown): SourceState | string {
  if (!isRecord(value)) return 'it is not an object';
  if (value.sourceVersion !== stateVersion) return `sourceVersion ${JSON.stringify(value.sourceVersion)} is not known`;
  const address = addressFrom(value);
  if (address === undefined) return 'type, url, branch or path is wrong';
  const { revision, importedAt, updatedAt, isComplete, validators, registry = null } = value;
  if (!(revision === null || typeof revision === 'string')) return 'revision must be text or null';
  if (typeof importedAt !== 'string' || typeof updatedAt !== 'string') return 'importedAt and updatedAt must be text';
  if (typeof isComplete !== 'boolean') return 'isComplete must be true or false';
  const files = filesFrom(value.files);
  if (typeof files === 'string') return files;
  const pending = pendingFrom(value.pending ?? {});
  if (typeof pending === 'string') return pending;
  return {
    address,
    revision,
    importedAt,
    updatedAt,
    isComplete,
    validators: validatorsFrom(validators),
    files,
    pending,
    registry,
  };
}

/** What a user could have named, and nothing else: git is given the address. */
function addressFrom({ type, url, branch, path }: Record<string, unknown>): SourceAddress | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  if (type === 'registry') return isWebAddress(url) ? { type, url } : undefined;
  if (type === 'archive') return isWebAddress(url) || isAbsolute(url) ? { type, url } : undefined;
  if (type === 'folder') return isAbsolute(url) ? { type, url } : undefined;
  const isText = (field: unknown): field is string | undefined => field === undefined || typeof field === 'string';
  if (type !== 'git' || !isText(branch) || !isText(path)) return undefined;
  const named = readAddress(url, { branch });
  if (!named.ok || named.value.type !== 'git' || named.value.url !== url) return undefined;
  return { ...named.value, ...(path !== undefined && { path }) };
}

function isWebAddress(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}

function pendingFrom(value: unknown): Map<string, readonly string[]> | string {
  if (!isRecord(value)) return 'pending must be an object';
  const pending = new Map<string, readonly string[]>();
  for (const [path, hashes] of Object.entries(value)) {
    const isRight = pathProblem(path) === undefined && Array.isArray(hashes) && hashes.every(isSha256);
    if (!isRight) return `pending[${JSON.stringify(path)}] is wrong`;
    pending.set(path, hashes);
  }
  return pending;
}

function filesFrom(value: unknown): Map<string, SourceFile> | string {
  if (!isRecord(value)) return 'files must be an object';
  const files = new Map<string, SourceFile>();
  for (const [path, file] of Object.entries(value)) {
    const problem = pathProblem(path);
    if (problem !== undefined) return `the path ${JSON.stringify(path)} ${problem}`;
    if (!isRecord(file) || !isKind(file.kind) || !isSha256(file.sha256))
      return `files[${JSON.stringify(path)}] is wrong`;
    const { kind, sha256, removed } = file;
    files.set(path, { kind, sha256, ...(removed === true && { removed }) });
  }
  return files;
}

function validatorsFrom(value: unknown): Validators {
  const { etag, lastModified } = isRecord(value) ? value : {};
  return {
    ...(typeof etag === 'string' && { etag }),
    ...(typeof lastModified === 'string' && { lastModified }),
  };
}

function isKind(value: unknown): value is FileKind {
  return value === 'schema' || value === 'list' || value === 'file';
}

/** Whether a value is a sha256 hash in lower-case hexadecimal. */
export function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** A source that was imported, or a folder whose `_source.json` cannot be read. */
export type ListedSource =
  | {
      status: true;
      name: string;
      address: SourceAddress;
      revision: string | null;
      updatedAt: string;
      /** Schema files that the source had at its last update. */
      schemaCount: number;
    }
  | { status: false; name: string; finding: Finding };

/** The sources in a folder, by their names. Folders of the user's own are no sources. */
export async function listSources({ folder }: { folder: string }): Promise<ListedSource[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && nameProblem(entry.name) === undefined);
  const listed = await Promise.all(names.map(({ name }) => listedSource(folder, name)));
  return listed.flatMap((source) => source ?? []).sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function listedSource(folder: string, name: string): Promise<ListedSource | undefined> {
  const read = await readState(join(folder, name));
  if (read.status === 'absent') return undefined;
  if (read.status === 'invalid') return { status: false, name, finding: read.finding };
  const { address, revision, updatedAt } = read.state;
  return { status: true, name, address, revision, updatedAt, schemaCount: countSchemas(read.state) };
}

/** The schema files that a source had at its last update. */
export function countSchemas({ files }: SourceState): number {
  return [...files.values()].filter(({ kind, removed }) => kind === 'schema' && removed !== true).length;
}
