import type { Finding } from '@schemakit/core';
import { isRecord } from '../settings/parse-json.ts';
import { pathCollisions, pathProblem } from './path-problem.ts';
import { type Outcome, overLimit, refuse, sourceFinding } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import { type FileKind, isSha256 } from './source-state.ts';

export const registryNames: readonly string[] = ['flowmcp-registry.json', 'registry.json'];

/** A file of a source, with a checked path. */
export interface ListedFile {
  /** Below the folder of the source. */
  path: string;
  /** `module`: a schema or another module; its content decides. */
  kind: FileKind | 'module';
  sha256?: string;
}

export interface Registry {
  name: string;
  version: string | null;
  /** Folder of the files, relative to the registry. */
  baseDir: string;
  files: readonly ListedFile[];
  refused: readonly string[];
  findings: readonly Finding[];
  document: unknown;
}

/** Parses a registry (docs/sources.md, "A registry"). Invalid entries are findings; the others remain. */
export function readRegistry(text: string, place: string): Outcome<Registry> {
  const document = parse(text);
  const isPage = /^\s*<(!doctype|html|head|body|\?xml)/i.test(text);
  if (document === undefined) return refused(place, isPage ? 'is a web page, not JSON' : 'is not JSON');
  if (!isRecord(document)) return refused(place, 'is not a JSON object');
  const { name, version, baseDir = '', schemas, shared = [], agents = [] } = document;
  if (typeof name !== 'string' || name.trim() === '') return refused(place, 'has no name');
  if (!Array.isArray(schemas)) return refused(place, 'has no list of schemas');
  if (!Array.isArray(shared)) return refused(place, 'has a shared that is not a list');
  if (typeof baseDir !== 'string') return refused(place, 'has a baseDir that is not text');
  const base = baseDir.replace(/^(\.\/)+|^\.$/, '').replace(/\/+$/, '');
  const problem = base === '' ? undefined : pathProblem(base);
  if (problem !== undefined) {
    const message = `the baseDir ${JSON.stringify(baseDir)} of ${place} ${problem}`;
    return refuse('SRC004', message, { path: 'baseDir' });
  }
  const entries = entriesIn(schemas, shared, Array.isArray(agents) ? agents : [agents]);
  if (entries.length > sourceLimits.files) {
    return { ok: false, finding: overLimit(place, { size: entries.length, limit: sourceLimits.files, unit: 'files' }) };
  }
  const isVersion = typeof version === 'string' && version.length <= 100;
  return {
    ok: true,
    value: { name, version: isVersion ? version : null, baseDir: base, ...readEntries(entries), document },
  };
}

/** Whether a file is a registry: other tools use these names too. */
export function isRegistry(text: string): boolean {
  const document = parse(text);
  return isRecord(document) && Array.isArray(document.schemas);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined; // The caller reports it.
  }
}

function refused(place: string, reason: string): Outcome<never> {
  const hint =
    'A registry is JSON such as { "name": "tides", "schemas": [{ "file": "tides/tides.mjs" }] }. Use the URL of the file itself.';
  return refuse('SRC003', `${place} ${reason}`, { hint });
}

interface Entry {
  place: string;
  kind: 'schema' | 'agent' | 'list';
  file: unknown;
  sha256?: unknown;
}

function entriesIn(schemas: readonly unknown[], shared: readonly unknown[], agents: readonly unknown[]): Entry[] {
  const entriesOf = (items: readonly unknown[], place: string, kind: Entry['kind']): Entry[] =>
    items.map((item, index) => ({
      ...{ place: `${place}[${index}]`, kind },
      ...(isRecord(item)
        ? { file: (kind === 'agent' && item.manifest) || item.file, sha256: item.sha256 }
        : { file: item }),
    }));
  return [
    ...entriesOf(shared, 'shared', 'list'),
    ...entriesOf(schemas, 'schemas', 'schema'),
    ...entriesOf(agents, 'agents', 'agent'),
    ...schemas.flatMap((item, index) =>
      isRecord(item) && Array.isArray(item.shared) ? entriesOf(item.shared, `schemas[${index}].shared`, 'list') : [],
    ),
  ];
}

function readEntries(entries: readonly Entry[]): Pick<Registry, 'files' | 'refused' | 'findings'> {
  const files = new Map<string, ListedFile>();
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
    // A list appears in `shared` with its hash, and in schemas without.
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

function readEntry({ place, kind, file, sha256 }: Entry): Outcome<ListedFile> {
  if (typeof file !== 'string') return refuse('SRC003', `${place} of the registry has no file name`, { path: place });
  const path = file.replace(/^(\.\/)+/, '');
  const isModule = /\.mjs$|(^|\/)_registry\.json$/.test(path) || (kind === 'agent' && path.endsWith('.json'));
  const problem = pathProblem(path) ?? (isModule ? undefined : 'is neither a .mjs file nor _registry.json');
  if (problem !== undefined) {
    return refuse('SRC004', `the path ${quoted(file)} ${problem}`, { path: `${place}.file` });
  }
  if (sha256 === undefined || sha256 === null) return { ok: true, value: { path, kind } };
  const hash = String(sha256)
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  if (isSha256(hash)) return { ok: true, value: { path, kind, sha256: hash } };
  const message = `the sha256 of ${path} must be 64 hexadecimal digits`;
  return refuse('SRC003', message, { path: `${place}.sha256` });
}

/** The error for two paths that are one file on some systems. */
export function collisionFinding(path: string, other: string, place = ''): Finding {
  const message = `${JSON.stringify(path)} and ${JSON.stringify(other)} are the same file on some systems`;
  return sourceFinding('SRC004', message, { path: place, hint: 'The first one is used.' });
}

export function quoted(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
}
