import type { Finding } from '@schemakit/core';
import { isRecord } from '../settings/read-json.ts';
import { pathCollisions, pathProblem } from './path-problem.ts';
import { type Outcome, refuse, sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-options.ts';
import { type FileKind, isSha256 } from './source-state.ts';

/** Names of the registry at the top of a repository, the one to look for first. */
export const registryNames: readonly string[] = ['flowmcp-registry.json', 'registry.json'];

/** A file that a source offers, at a path that was checked. */
export interface OfferedFile {
  /** Below the folder of the source. */
  path: string;
  /** `module`: it may be a schema; only its content says so. */
  kind: FileKind | 'module';
  /** As the registry notes, hexadecimal. */
  sha256?: string;
}

/** A registry, with the paths that can be used. */
export interface Registry {
  name: string;
  version: string | null;
  /** Folder of the files, from that of the registry; empty for the same. */
  baseDir: string;
  files: readonly OfferedFile[];
  refused: readonly string[];
  findings: readonly Finding[];
  /** The document. */
  document: unknown;
}

/**
 * Reads a registry: `{ name, version, baseDir, shared: [{ file, sha256 }], schemas: [{ file, sha256, shared: [file] }] }`. Only
 * `name` and `schemas` are needed. An entry that cannot be used is a finding, and the others stay.
 *
 * @param options.place - Where it came from, for messages.
 */
export function readRegistry(
  text: string,
  { place, limits }: { place: string; limits: SourceLimits },
): Outcome<Registry> {
  const document = parse(text);
  const isPage = /^\s*<(!doctype|html|head|body|\?xml)/i.test(text);
  if (document === undefined) return refused(place, isPage ? 'is a web page, not JSON' : 'is not JSON');
  if (!isRecord(document)) return refused(place, 'is not a JSON object');
  const { name, version, baseDir = '', schemas, shared = [] } = document;
  if (typeof name !== 'string' || name.trim() === '') return refused(place, 'has no name');
  if (!Array.isArray(schemas)) return refused(place, 'has no list of schemas');
  if (!Array.isArray(shared)) return refused(place, 'has something else than a list in shared');
  if (typeof baseDir !== 'string') return refused(place, 'has a baseDir that is no text');
  const base = baseDir.replace(/^(\.\/)+|^\.$/, '').replace(/\/+$/, '');
  const problem = base === '' ? undefined : pathProblem(base);
  if (problem !== undefined) {
    const message = `the baseDir ${JSON.stringify(baseDir)} of ${place} ${problem}`;
    return refuse('SRC004', message, { path: 'baseDir' });
  }
  const entries = entriesIn(schemas, shared);
  if (entries.length > limits.files) {
    const message = `${place} lists ${entries.length} files; ${limits.files} are the most that are taken`;
    return refuse('SRC006', message);
  }
  const isVersion = typeof version === 'string' && version.length <= 100;
  return {
    ok: true,
    value: { name, version: isVersion ? version : null, baseDir: base, ...readEntries(entries), document },
  };
}

/** Whether a file is a registry at all: other programs have files of that name too. */
export function isRegistry(text: string): boolean {
  const document = parse(text);
  return isRecord(document) && Array.isArray(document.schemas);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined; // The caller says what is expected instead.
  }
}

function refused(place: string, reason: string): Outcome<never> {
  const hint =
    'A registry is JSON such as { "name": "tides", "schemas": [{ "file": "tides/tides.mjs" }] }. Name the file itself.';
  return refuse('SRC003', `${place} ${reason}`, { hint });
}

interface Entry {
  /** Where it stands in the registry. */
  place: string;
  kind: 'schema' | 'list';
  file: unknown;
  sha256?: unknown;
}

function entriesIn(schemas: readonly unknown[], shared: readonly unknown[]): Entry[] {
  const entriesOf = (items: readonly unknown[], place: string, kind: Entry['kind']): Entry[] =>
    items.map((item, index) => ({
      ...{ place: `${place}[${index}]`, kind },
      ...(isRecord(item) ? { file: item.file, sha256: item.sha256 } : { file: item }),
    }));
  return [
    ...entriesOf(shared, 'shared', 'list'),
    ...entriesOf(schemas, 'schemas', 'schema'),
    ...schemas.flatMap((item, index) =>
      isRecord(item) && Array.isArray(item.shared) ? entriesOf(item.shared, `schemas[${index}].shared`, 'list') : [],
    ),
  ];
}

function readEntries(entries: readonly Entry[]): Pick<Registry, 'files' | 'refused' | 'findings'> {
  const files = new Map<string, OfferedFile>();
  const refusedPaths = new Set<string>();
  const findings: Finding[] = [];
  for (const entry of entries) {
    const read = readEntry(entry);
    if (!read.ok) {
      findings.push(read.finding);
      refusedPaths.add(typeof entry.file === 'string' ? entry.file : entry.place);
      continue;
    }
    const { path, kind, sha256 } = read.value;
    const known = files.get(path);
    // A list stands in `shared` with its hash, and in schemas without.
    if (known === undefined || (known.sha256 === undefined && sha256 !== undefined)) {
      files.set(path, { ...read.value, kind: known?.kind ?? kind });
    }
  }
  for (const [path, other] of pathCollisions(files.keys())) {
    findings.push(collisionFinding(path, other, 'schemas'));
    files.delete(path);
    refusedPaths.add(path);
  }
  return { files: [...files.values()], refused: [...refusedPaths], findings };
}

function readEntry({ place, kind, file, sha256 }: Entry): Outcome<OfferedFile> {
  if (typeof file !== 'string') return refuse('SRC003', `${place} of the registry names no file`, { path: place });
  const path = file.replace(/^(\.\/)+/, '');
  const isModule = path.endsWith('.mjs') || path.split('/').at(-1) === '_registry.json';
  const problem = pathProblem(path) ?? (isModule ? undefined : 'is neither a .mjs file nor _registry.json');
  if (problem !== undefined) {
    const shown = JSON.stringify(file.length > 300 ? `${file.slice(0, 300)}…` : file);
    return refuse('SRC004', `the path ${shown} ${problem}`, { path: `${place}.file` });
  }
  if (sha256 === undefined || sha256 === null) return { ok: true, value: { path, kind } };
  const hash = String(sha256)
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  if (isSha256(hash)) return { ok: true, value: { path, kind, sha256: hash } };
  const message = `the sha256 of ${path} is not a hash of 64 hexadecimal digits`;
  return refuse('SRC003', message, { path: `${place}.sha256` });
}

/** Says that two paths of a source are one file on some systems. */
export function collisionFinding(path: string, other: string, place = ''): Finding {
  const message = `${JSON.stringify(path)} and ${JSON.stringify(other)} would be one file on some systems`;
  return sourceFinding('SRC004', message, { path: place, hint: 'The first of them is taken.' });
}
