import { isBuiltin } from 'node:module';
import { join, posix, relative, sep } from 'node:path';
import { type Finding, type LoadedSchema, SchemaKit } from '@schemakit/core';
import { inParallel } from '../in-parallel.ts';
import { isRecord } from '../settings/read-json.ts';
import { pathProblem } from './path-problem.ts';
import { type OnProgress, progressOf } from './source-options.ts';

/** A module of a source, as it loads in the staging folder. */
export interface CheckedModule {
  path: string;
  /** False for a module that is something else. */
  isSchema: boolean;
  status: boolean;
  /** With the paths that the files will have. */
  findings: Finding[];
  main: LoadedSchema['main'];
  /** Other files of the source in which there are errors. */
  blamed: string[];
  /** Files of the source that it refers to. */
  references: string[];
}

export interface CheckContext {
  /** The folder with the files as they will be. */
  staging: string;
  /** The folder in which they will be. */
  folder: string;
  signal: AbortSignal;
  onProgress: OnProgress | undefined;
}

/** Loads modules as they will be loaded later, without the approval that a user's own files have. Nothing of them is run here. */
export async function checkSchemas(paths: readonly string[], context: CheckContext): Promise<CheckedModule[]> {
  const { staging, signal, onProgress } = context;
  const tell = progressOf('check', { total: paths.length, onProgress });
  const checked = new Map<string, CheckedModule>();
  await inParallel(paths, { atOnce: 8 }, async (path) => {
    signal.throwIfAborted();
    const schema = await SchemaKit.loadSchema({ filePath: join(staging, path), approveRoot: false });
    checked.set(path, checkedModule(path, schema, context));
    tell(path);
  });
  return paths.flatMap((path) => checked.get(path) ?? []);
}

function checkedModule(
  path: string,
  { status, main, findings }: LoadedSchema,
  { staging, folder }: CheckContext,
): CheckedModule {
  // A file that cannot be parsed may well be a schema.
  const isOther = main === null && findings.some(({ code }) => code === 'VAL001');
  const errors = findings.filter(({ severity }) => severity === 'error');
  const blamed = errors.flatMap(({ file }) => (file === undefined ? [] : pathBelow(staging, file)));
  return {
    path,
    isSchema: !isOther,
    status,
    findings: findings.map((finding) => moved(finding, { staging, folder })),
    main,
    blamed: [...new Set(blamed)].filter((other) => other !== path),
    references: main === null ? [] : referencedFiles(main, path),
  };
}

function pathBelow(folder: string, file: string): string[] {
  const path = relative(folder, file);
  return path === '' || path.startsWith('..') ? [] : [path.split(sep).join('/')];
}

/** Findings speak of the place where a file will be. */
function moved(finding: Finding, { staging, folder }: { staging: string; folder: string }): Finding {
  const inPlace = (text: string) => text.replaceAll(staging, folder);
  const { message, hint, file } = finding;
  return {
    ...finding,
    message: inPlace(message),
    ...(hint !== undefined && { hint: inPlace(hint) }),
    ...(file !== undefined && { file: inPlace(file) }),
  };
}

/**
 * The files that a schema refers to: skills, prompts, and databases and documents beside it. Paths are below the folder of the
 * source; what leads elsewhere is left out, and the schema's own check speaks of it.
 *
 * @param path - Of the schema, below the folder of the source.
 */
function referencedFiles(main: Readonly<Record<string, unknown>>, path: string): string[] {
  const found = [
    ...fieldsIn(main.skills).map(({ file }) => [file]),
    ...fieldsIn(main.prompts).map(({ contentFile }) => [contentFile]),
    ...fieldsIn(main.resources).map(resourceFiles),
  ].flat();
  const paths = found.flatMap((name) => (typeof name === 'string' ? below(path, name) : []));
  return [...new Set(paths)];
}

function fieldsIn(value: unknown): Record<string, unknown>[] {
  const items = Array.isArray(value) ? value : Object.values(isRecord(value) ? value : {});
  return items.filter(isRecord);
}

/** The places beside a schema where a resource is looked for; see the documentation of resources. */
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
  /** As the registry notes; null where it does not. */
  version: string | null;
  isInstalled: boolean;
}

/**
 * The packages that schemas need for their handlers. A registry has a say about versions only: packages that it names and no
 * schema uses could be anything, and would be installed with the rights of the user.
 */
export function requiredModules(schemas: readonly CheckedModule[], registry: unknown): RequiredModule[] {
  const missing = new Set<string>();
  const names = new Set<string>();
  for (const { main, findings } of schemas) {
    const libraries = Array.isArray(main?.requiredLibraries) ? main.requiredLibraries.map(String) : [];
    for (const [index, name] of libraries.entries()) {
      if (isBuiltin(name)) continue;
      names.add(name);
      const isMissing = findings.some(
        ({ code, path }) => code === 'LIB001' && path === `main.requiredLibraries[${index}]`,
      );
      if (isMissing) missing.add(name);
    }
  }
  const versions = versionsIn(registry);
  return [...names]
    .sort()
    .map((name) => ({ name, version: versions.get(name) ?? null, isInstalled: !missing.has(name) }));
}

/** Ranges that need no quotes in a shell. */
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
