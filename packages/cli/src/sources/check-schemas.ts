import { isBuiltin } from 'node:module';
import { join, posix, relative, sep } from 'node:path';
import { type Finding, type LoadAgentOptions, type LoadedSchema, loadAgent, SchemaKit } from '@schemakit/core';
import { moduleKind, readAgentManifest } from '@schemakit/core/internal';
import { isRecord } from '../settings/parse-json.ts';
import { inParallel } from './in-parallel.ts';
import { pathProblem } from './path-problem.ts';
import type { ListedFile } from './read-registry.ts';
import { progressReporter, type SourceSettings } from './source-options.ts';

export interface CheckedModule {
  path: string;
  isSchema: boolean;
  isAgent: boolean;
  status: boolean;
  /** With final paths. */
  findings: Finding[];
  main: LoadedSchema['main'];
  /** Other files of the source with errors. */
  brokenFiles: string[];
  /** Files of the source that the schema or the agent refers to. */
  references: string[];
}

export interface CheckContext extends Pick<SourceSettings, 'folder' | 'onProgress'> {
  /** The folder with the new files, before they move to `folder`. */
  staging: string;
}

/** Loads schemas and agents in the staging folder, without the approval of a user's own files. */
export async function checkSchemas(
  files: readonly Pick<ListedFile, 'path' | 'kind'>[],
  context: CheckContext,
): Promise<CheckedModule[]> {
  const { staging, onProgress } = context;
  const report = progressReporter('check', { total: files.length, onProgress });
  const checked = new Map<string, CheckedModule>();
  await inParallel(files, { atOnce: 8 }, async ({ path, kind }) => {
    const filePath = join(staging, path);
    const isAgent = kind === 'agent' || (kind === 'module' && moduleKind(filePath) === 'agent');
    const load = isAgent ? loadAgentFiles : SchemaKit.loadSchema;
    checked.set(path, checkedModule(path, { ...(await load({ filePath, approveRoot: false })), isAgent }, context));
    report(path);
  });
  return files.flatMap(({ path }) => checked.get(path) ?? []);
}

/** The manifest stands for `main`: both say which files they need, also where they are invalid. */
async function loadAgentFiles(
  options: LoadAgentOptions & { filePath: string },
): Promise<Pick<LoadedSchema, 'status' | 'main' | 'findings'>> {
  const [{ status, findings }, main] = await Promise.all([loadAgent(options), readAgentManifest(options.filePath)]);
  return { status, findings, main };
}

function checkedModule(
  path: string,
  { status, main, findings, isAgent }: Pick<LoadedSchema, 'status' | 'main' | 'findings'> & { isAgent: boolean },
  { staging, folder }: CheckContext,
): CheckedModule {
  const inPlace = (text: string) => text.replaceAll(staging, folder);
  const files = findings.flatMap(({ severity, file }) => (severity === 'error' && file ? relative(staging, file) : []));
  const brokenFiles = files
    .filter((file) => file !== '' && !file.startsWith('..'))
    .map((file) => file.split(sep).join('/'));
  return {
    path,
    // A file with a syntax error may be a schema.
    isSchema: !isAgent && (main !== null || !findings.some(({ code }) => code === 'VAL001')),
    isAgent,
    status,
    findings: findings.map(({ message, hint, file, ...finding }) => ({
      ...finding,
      message: inPlace(message),
      ...(hint !== undefined && { hint: inPlace(hint) }),
      ...(file !== undefined && { file: inPlace(file) }),
    })),
    main,
    brokenFiles: [...new Set(brokenFiles)].filter((other) => other !== path),
    references: main === null ? [] : referencedFiles(main, path),
  };
}

/** The files that a schema or an agent refers to, as paths in the source. Omits paths that lead elsewhere: the schema's own check reports those. */
function referencedFiles(main: Readonly<Record<string, unknown>>, path: string): string[] {
  const found = [
    ...fieldsIn(main.skills).map(({ file }) => [file]),
    ...fieldsIn(main.prompts).map(({ contentFile, file }) => [contentFile, file]),
    ...fieldsIn(main.resources).map(resourceFiles),
  ].flat();
  const paths = found.flatMap((name) => (typeof name === 'string' ? below(path, name) : []));
  return [...new Set(paths)];
}

function fieldsIn(value: unknown): Record<string, unknown>[] {
  const items = Array.isArray(value) ? value : Object.values(isRecord(value) ? value : {});
  return items.filter(isRecord);
}

/** Candidate paths of a resource; see docs/resources.md. */
function resourceFiles({ source, origin, database, name }: Record<string, unknown>): string[] {
  const file = typeof database === 'string' ? database : name;
  if (source === 'http' || typeof file !== 'string' || origin === 'project' || origin === 'global') return [];
  return origin === 'inline' ? [`resources/${file}`, `data/${file}`, file] : [file];
}

function below(schema: string, name: string): string[] {
  const text = name.trim();
  if (/^([\\/~]|[a-z]:)/i.test(text) || text.split(/[\\/]/).includes('..')) return [];
  const path = posix.join(posix.dirname(schema), text);
  return pathProblem(path) === undefined && /\.(mjs|db|sqlite3?|md|markdown|txt)$/i.test(path) ? [path] : [];
}

/** An npm package that schemas of a source need. */
export interface RequiredModule {
  name: string;
  /** From the registry; null if it has none. */
  version: string | null;
  isInstalled: boolean;
}

/** The packages that schemas require. The registry only contributes versions: packages that no schema uses are not installed. */
export function requiredModules(schemas: readonly CheckedModule[], registry: unknown): RequiredModule[] {
  const isInstalled = new Map<string, boolean>();
  for (const { main, findings } of schemas) {
    const libraries = Array.isArray(main?.requiredLibraries) ? main.requiredLibraries.map(String) : [];
    for (const [index, name] of libraries.entries()) {
      if (isBuiltin(name)) continue;
      const place = `main.requiredLibraries[${index}]`;
      const isMissing = findings.some(({ code, path }) => code === 'LIB001' && path === place);
      isInstalled.set(name, isInstalled.get(name) !== false && !isMissing);
    }
  }
  const versions = versionsIn(registry);
  return [...isInstalled]
    .sort()
    .map(([name, installed]) => ({ name, version: versions.get(name) ?? null, isInstalled: installed }));
}

/** Version ranges that need no quotes in a shell. */
const plainRange = /^[~^]?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?$/;

function versionsIn(registry: unknown): Map<string, string> {
  const versions = new Map<string, string>();
  const schemas = isRecord(registry) && Array.isArray(registry.schemas) ? registry.schemas : [];
  for (const entry of schemas) {
    const modules: unknown = isRecord(entry) ? entry.requiredModules : undefined;
    for (const module of Array.isArray(modules) ? modules : []) {
      if (!isRecord(module) || typeof module.name !== 'string' || typeof module.version !== 'string') continue;
      if (plainRange.test(module.version)) versions.set(module.name, module.version);
    }
  }
  return versions;
}
