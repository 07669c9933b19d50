import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { reasonOf } from '../output/terminal-text.ts';
import { makeCacheFolder } from '../settings/settings-paths.ts';
import type { FileDetails, IndexedPrompt, ToolNames } from './indexed-tool.ts';
import { type FoundFile, indexFinding } from './scan-folders.ts';

export interface KnownFile extends FoundFile {
  /** When its hash was last verified, in milliseconds since 1970. */
  checked: number;
  /** SHA-256 as hex; empty if it could not be read. */
  hash: string;
  /** Whether it depends on other files: lists, skills, or a missing file. */
  dependent: boolean;
  /** False for another module, such as a skill or a list. */
  isSchema: boolean;
  /** The names of its tools, skills and prompts, in the order of the file. */
  names: readonly ToolNames[];
  isBroken?: boolean;
  secrets?: readonly string[];
  /** The JSON of its {@link FileDetails}; empty for a module that is no schema. */
  text: () => string;
}

export interface Index {
  /** Of the details, once it was read or written. */
  checksum?: number;
  files: readonly KnownFile[];
  /** References of entries whose name another one has too. */
  ambiguous: readonly string[];
  /** Only in the index of a server. */
  prompts: readonly IndexedPrompt[];
  /** Name conflicts between files. Only in the index of a server. */
  findings: readonly Finding[];
}

interface Head extends Omit<Index, 'files'> {
  version: string;
  files: StoredFile[];
}

/** A file as stored. Names that follow from the namespace are left out, which saves most of the space. */
interface StoredFile extends Omit<KnownFile, 'text' | 'names' | 'isSchema'> {
  /** Length of its line, in bytes. */
  length: number;
  namespace?: string;
  names?: (string | ToolNames)[];
}

/** Increased when the file format changes. */
const format = 3;

/**
 * Reads an index: a line of JSON with all files and names, and a line with details for each schema file. Undefined if it does not
 * exist, is damaged, or was written by another version of this program.
 *
 * @param state Other things that it depends on, such as a lock file.
 */
export function readIndex(file: string, state = ''): Index | undefined {
  try {
    const bytes = readFileSync(file);
    let end = bytes.indexOf('\n') + 1;
    const { version, files, ...head } = JSON.parse(bytes.toString('utf8', 0, end)) as Head;
    if (version !== indexVersion(state) || head.checksum !== checksumOf(bytes.subarray(end))) return undefined;
    const known = files.map(({ length, namespace = '', names, ...found }): KnownFile => {
      const start = end;
      end += length;
      const text = () => bytes.toString('utf8', start, start + length);
      const isSchema = names !== undefined;
      return { ...found, isSchema, names: names?.map((stored) => expand(stored, namespace)) ?? [], text };
    });
    return { ...head, files: known };
  } catch {
    return undefined;
  }
}

/** @throws if it cannot be written. */
export function writeIndex(file: string, index: Index, state = ''): void {
  const lines = index.files.map(({ isSchema, text }) => (isSchema ? `${text()}\n` : ''));
  const body = lines.join('');
  index.checksum = checksumOf(body);
  const head: Head = {
    ...index,
    version: indexVersion(state),
    files: index.files.map(({ text: _, isSchema, names, ...known }, position): StoredFile => {
      const length = Buffer.byteLength(lines[position] ?? '');
      if (!isSchema) return { ...known, length };
      const [{ cli = '', toolName = '' } = {}] = names;
      const namespace = cli.slice(0, -toolName.length - 1);
      const stored = names.map((own) => (isPlain(own, namespace) ? own.toolName : own));
      return { ...known, length, namespace, names: stored };
    }),
  };
  replaceFile(file, `${JSON.stringify(head)}\n${body}`);
}

function expand(stored: string | ToolNames, namespace: string): ToolNames {
  if (typeof stored !== 'string') return stored;
  return {
    type: 'tool',
    toolName: stored,
    part: stored,
    cli: `${namespace}_${stored}`,
    mcp: `${namespace}__${stored}`,
  };
}

function isPlain(names: ToolNames, namespace: string): boolean {
  return JSON.stringify(names) === JSON.stringify(expand(names.toolName, namespace));
}

/** The cache file of an index. Keys with equal checksums share it, which is safe: the index is compared with the files. */
export function indexFilePath(key: string): { file?: string; findings: ReturnType<typeof indexFinding>[] } {
  try {
    return {
      file: join(makeCacheFolder('index'), `${checksumOf(key).toString(16).padStart(8, '0')}.jsonl`),
      findings: [],
    };
  } catch (error) {
    return { findings: [indexFinding('IDX001', `the index cannot be used: ${reasonOf(error)}`)] };
  }
}

/** Replaces a file atomically. The last of several concurrent writers wins. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export function detailsOf({ text }: Pick<KnownFile, 'text'>): FileDetails {
  return JSON.parse(text());
}

export function checksumOf(data: string | Buffer): number {
  return process.getBuiltinModule('node:zlib').crc32(data);
}

/** Changes with the library, which is not imported for it. */
export function indexVersion(state = ''): string {
  try {
    const manifest = findPackageJSON('@schemakit/core', import.meta.url) ?? '';
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const { size, mtimeMs } = statSync(join(dirname(manifest), 'dist', 'index.js'));
    return [format, version, size, mtimeMs, state].join(' ');
  } catch {
    return [format, state].join(' '); // Not built, or bundled.
  }
}
