import type { Finding } from '@schemakit/core';
import { isRecord } from '../settings/read-json.ts';
import type { OfferedFile } from './offer.ts';
import { pathCollisions, pathProblem } from './path-problem.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-limits.ts';
import { isSha256 } from './source-state.ts';

/** Names of the registry at the top of a repository, the one to look for first. */
export const registryNames: readonly string[] = ['flowmcp-registry.json', 'registry.json'];

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

export type RegistryReading = { ok: true; registry: Registry } | { ok: false; finding: Finding };

/**
 * Reads a registry: `{ name, version, baseDir, shared: [{ file, sha256 }], schemas: [{ file, sha256, shared: [file] }] }`. Only
 * `name` and `schemas` are needed. An entry that cannot be used is a finding, and the others stay.
 *
 * @param options.place - Where it came from, for messages.
 */
export function readRegistry(
  text: string,
  { place, limits }: { place: string; limits: SourceLimits },
): RegistryReading {
  const document = parse(text);
  if (document === undefined) return refused(place, looksLikePage(text) ? 'is a web page, not JSON' : 'is not JSON');
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
    return { ok: false, finding: sourceFinding('SRC004', message, { path: 'baseDir' }) };
  }
  const entries = entriesIn(schemas, shared);
  if (entries.length > limits.files) {
    const message = `${place} lists ${entries.length} files; ${limits.files} are the most that are taken`;
    return { ok: false, finding: sourceFinding('SRC006', message) };
  }
  const isVersion = typeof version === 'string' && version.length <= 100;
  return {
    ok: true,
    registry: { name, version: isVersion ? version : null, baseDir: base, ...readEntries(entries), document },
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

function looksLikePage(text: string): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(text);
}

function refused(place: string, reason: string): RegistryReading {
  const hint =
    'A registry is JSON such as { "name": "tides", "schemas": [{ "file": "tides/tides.mjs" }] }. Name the file itself.';
  return { ok: false, finding: sourceFinding('SRC003', `${place} ${reason}`, { hint }) };
}

interface Entry {
  place: string;
  kind: 'schema' | 'list';
  file: unknown;
  sha256?: unknown;
}

function entriesIn(schemas: readonly unknown[], shared: readonly unknown[]): Entry[] {
  return [
    ...shared.map((item, index) => entryOf(item, { place: `shared[${index}]`, kind: 'list' })),
    ...schemas.map((item, index) => entryOf(item, { place: `schemas[${index}]`, kind: 'schema' })),
    ...schemas.flatMap((item, index) => {
      const lists = isRecord(item) && Array.isArray(item.shared) ? item.shared : [];
      return lists.map((list, at) => entryOf(list, { place: `schemas[${index}].shared[${at}]`, kind: 'list' }));
    }),
  ];
}

function entryOf(item: unknown, common: { place: string; kind: 'schema' | 'list' }): Entry {
  if (!isRecord(item)) return { ...common, file: item };
  const { file, sha256 } = item;
  return { ...common, file, ...(sha256 !== undefined && { sha256 }) };
}

function readEntries(entries: readonly Entry[]): Pick<Registry, 'files' | 'refused' | 'findings'> {
  const files = new Map<string, OfferedFile>();
  const refusedPaths = new Set<string>();
  const findings: Finding[] = [];
  for (const entry of entries) {
    const { place, kind } = entry;
    const read = readEntry(entry);
    if ('finding' in read) {
      findings.push(read.finding);
      refusedPaths.add(typeof entry.file === 'string' ? entry.file : place);
      continue;
    }
    const known = files.get(read.path);
    // A list stands in `shared` with its hash, and in schemas without.
    if (known === undefined || (known.sha256 === undefined && read.sha256 !== undefined)) {
      files.set(read.path, { ...read, kind: known?.kind ?? kind });
    }
  }
  for (const [path, other] of pathCollisions(files.keys())) {
    const message = `${JSON.stringify(path)} and ${JSON.stringify(other)} would be one file on some systems`;
    findings.push(sourceFinding('SRC004', message, { path: 'schemas', hint: 'The first of them is taken.' }));
    files.delete(path);
    refusedPaths.add(path);
  }
  return { files: [...files.values()], refused: [...refusedPaths], findings };
}

function readEntry({ place, file, sha256 }: Entry): { path: string; sha256?: string } | { finding: Finding } {
  if (typeof file !== 'string') {
    return { finding: sourceFinding('SRC003', `${place} of the registry names no file`, { path: place }) };
  }
  const path = file.replace(/^(\.\/)+/, '');
  const problem = pathProblem(path) ?? (isModule(path) ? undefined : 'is neither a .mjs file nor _registry.json');
  if (problem !== undefined) {
    const shown = JSON.stringify(file.length > 300 ? `${file.slice(0, 300)}…` : file);
    return { finding: sourceFinding('SRC004', `the path ${shown} ${problem}`, { path: `${place}.file` }) };
  }
  if (sha256 === undefined || sha256 === null) return { path };
  const hash =
    typeof sha256 === 'string'
      ? sha256
          .trim()
          .toLowerCase()
          .replace(/^sha256:/, '')
      : '';
  if (isSha256(hash)) return { path, sha256: hash };
  const message = `the sha256 of ${path} is not a hash of 64 hexadecimal digits`;
  return { finding: sourceFinding('SRC003', message, { path: `${place}.sha256` }) };
}

function isModule(path: string): boolean {
  return path.endsWith('.mjs') || path.split('/').at(-1) === '_registry.json';
}
