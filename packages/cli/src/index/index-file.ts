import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { FileDetails, IndexedPrompt, ToolNames } from './indexed-tool.ts';
import type { FoundFile } from './scan-folders.ts';

/** A file that an index knows. */
export interface KnownFile extends FoundFile {
  /** When it was known to hold what its hash says, in milliseconds since 1970. */
  checked: number;
  /** SHA-256 as hex; empty where it could not be read. */
  hash: string;
  /** Whether what was read from it depends on other files: lists, skills, or one that may be missing. */
  dependent: boolean;
  /** False for another module, such as a skill or a list. */
  isSchema: boolean;
  /** How many tools, skills and prompts it has. */
  count: number;
  /** Their names, in the order of the file. */
  names: () => readonly ToolNames[];
  /** Whether it is a schema with errors. */
  isBroken?: boolean;
  /** Secrets that its tools need; absent where there are none. */
  secrets?: readonly string[];
  /** The JSON of its {@link FileDetails}; empty for a module that is no schema. */
  text: () => string;
}

/** What schema files offer. */
export interface Index {
  /** Of all their details, where it was read or written. */
  checksum?: number;
  files: readonly KnownFile[];
  /** References of entries whose name another one has too. */
  ambiguous: readonly string[];
  /** In the index of a server. */
  prompts: readonly IndexedPrompt[];
  /** Of the files together: names that several tools would have. In the index of a server. */
  findings: readonly Finding[];
}

interface Head extends Omit<Index, 'files'> {
  version: string;
  files: KeptFile[];
}

/** As a file is kept. Names that follow from the namespace are left out: that is most of the text. */
interface KeptFile extends Omit<KnownFile, 'text' | 'names' | 'count' | 'isSchema'> {
  /** Bytes of its line. */
  length: number;
  namespace?: string;
  names?: (string | ToolNames)[];
}

/** Counts how the file is built. */
const format = 3;

/**
 * Reads an index: a line of JSON with what finds files and tools, and a line for each schema file with all else. Undefined where
 * there is none, where it is damaged, and where another version of this program wrote it.
 *
 * @param state What else it depends on, such as a lock file.
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
      let expanded: readonly ToolNames[] | undefined;
      return {
        ...found,
        isSchema: names !== undefined,
        count: names?.length ?? 0,
        names: () => (expanded ??= names?.map((kept) => expand(kept, namespace)) ?? []),
        text,
      };
    });
    return { ...head, files: known };
  } catch {
    return undefined;
  }
}

/** @throws where it cannot be written. */
export function writeIndex(file: string, index: Index, state = ''): void {
  const lines = index.files.map(({ isSchema, text }) => (isSchema ? `${text()}\n` : ''));
  const body = lines.join('');
  index.checksum = checksumOf(body);
  const head: Head = {
    ...index,
    version: indexVersion(state),
    files: index.files.map(({ text: _, count: __, isSchema, names, ...known }, position): KeptFile => {
      const length = Buffer.byteLength(lines[position] ?? '');
      if (!isSchema) return { ...known, length };
      const [{ cli = '', toolName = '' } = {}] = names();
      const namespace = cli.slice(0, -toolName.length - 1);
      const kept = names().map((own) => (isPlain(own, namespace) ? own.toolName : own));
      return { ...known, length, namespace, names: kept };
    }),
  };
  replaceFile(file, `${JSON.stringify(head)}\n${body}`);
}

function expand(kept: string | ToolNames, namespace: string): ToolNames {
  if (typeof kept !== 'string') return kept;
  return { type: 'tool', toolName: kept, part: kept, cli: `${namespace}_${kept}`, mcp: `${namespace}__${kept}` };
}

function isPlain(names: ToolNames, namespace: string): boolean {
  return JSON.stringify(names) === JSON.stringify(expand(names.toolName, namespace));
}

/** Replaces a file as a whole: nobody reads half of it, and of several who write at once the last one wins. */
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

/** Tells what was damaged. */
export function checksumOf(data: string | Buffer): number {
  return process.getBuiltinModule('node:zlib').crc32(data);
}

/** Changes when schemas may be read differently than before, without loading what reads them. */
function indexVersion(state: string): string {
  try {
    const manifest = findPackageJSON('@schemakit/core', import.meta.url) ?? '';
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const { size, mtimeMs } = statSync(join(dirname(manifest), 'dist', 'index.js'));
    return [format, version, size, mtimeMs, state].join(' ');
  } catch {
    return [format, state].join(' '); // Not built, or packed into one file.
  }
}
