import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFolder } from '../settings/make-folder.ts';
import type { Settings } from '../settings/read-settings.ts';
import { isOwn } from '../sources/lock-files.ts';
import { ownSource } from '../sources/path-problem.ts';

/** A folder of schemas. References to its files begin with its name. */
export interface SchemaRoot {
  source: string;
  folder: string;
  /** Whether the files are the user's own. Imported files need a grant to reach private addresses. */
  approved: boolean;
}

export interface ReferencedFile {
  /** `<source>/<file>.mjs`. */
  reference: string;
  file: string;
  approved: boolean;
}

/** The catalog of this package: a source without installation, trusted as it comes. */
export const builtinCatalog: SchemaRoot = {
  source: 'catalog',
  folder: fileURLToPath(new URL('./catalog', import.meta.url)),
  approved: true,
};

/** The folders that references refer to: `schemas/` of the project, those below the global `schemas/`, and the built-in catalog. */
export function schemaRoots({ paths, home, hasHome }: Settings): SchemaRoot[] {
  const own = { source: ownSource, folder: join(paths.project.root, ownSource), approved: true };
  const { schemas, legacy } = paths.home;
  const folders = [schemas, ...(legacy === undefined ? [] : [join(legacy, 'schemas')])];
  const imported = folders.flatMap((folder) =>
    foldersIn(folder).map((source) => {
      const path = join(folder, source);
      const type = home.sources.get(source)?.type;
      const isNoted = type === undefined ? existsSync(join(path, '_registry.json')) : type !== 'builtin';
      const isForeign = isNoted || existsSync(join(path, '_source.json'));
      return { source, folder: path, approved: !isForeign };
    }),
  );
  // `init --no-import` leaves the catalog out.
  const hasCatalog = !hasHome || home.sources.get(builtinCatalog.source)?.type === 'builtin';
  const roots = new Map<string, SchemaRoot>();
  for (const root of [own, ...imported, ...(hasCatalog ? [builtinCatalog] : [])])
    if (!roots.has(root.source)) roots.set(root.source, root);
  return [...roots.values()].filter(({ folder }) => isFolder(folder));
}

/** Whether a file belongs to the built-in catalog, whose tools give way to others of the same name. */
export function isBuiltin(path: string): boolean {
  return path.startsWith(builtinCatalog.folder + sep);
}

/** A file or folder of a source by its reference, such as `catalog/demo`, unless it exists as a path. */
export function sourcePath(text: string, roots: readonly SchemaRoot[]): string {
  if (existsSync(text)) return text;
  const [source = '', ...inside] = text.split('/');
  const root = roots.find((candidate) => candidate.source === source);
  const path = root && !inside.includes('..') ? join(root.folder, ...inside) : undefined;
  return path !== undefined && existsSync(path) ? path : text;
}

export function findReferenced(
  roots: readonly SchemaRoot[],
  { source, file }: { source: string; file: string },
): ReferencedFile | undefined {
  const root = roots.find((candidate) => candidate.source === source);
  const path = root && join(root.folder, file);
  if (path === undefined || !statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return { reference: `${source}/${file}`, file: path, approved: isApproved(roots, { source, path }) };
}

/** The reference of a file that is in one of the folders. */
export function referenceOf(roots: readonly SchemaRoot[], path: string): ReferencedFile | undefined {
  const file = resolve(path);
  for (const { source, folder, approved } of roots) {
    const inside = relative(folder, file);
    if (inside === '' || inside.startsWith('..') || resolve(folder, inside) !== file) continue;
    return { reference: [source, ...inside.split(sep)].join('/'), file, approved: approved && isOwn(file) };
  }
  return undefined;
}

/** Whether a file in one of the folders is the user's own: there may be links to imported ones. */
export function isApproved(roots: readonly SchemaRoot[], { source, path }: { source: string; path: string }): boolean {
  return roots.find((root) => root.source === source)?.approved === true && isOwn(path);
}

export async function allReferenced(roots: readonly SchemaRoot[]): Promise<ReferencedFile[]> {
  const { findSchemaFiles } = await import('@schemakit/core');
  const found = await Promise.all(
    roots.map(async (root) => {
      const files = await findSchemaFiles([root.folder]);
      return files.map(({ file }) => referenceOf([root], file) ?? []);
    }),
  );
  return found.flat(2);
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !/^[._]/.test(name) && isFolder(join(folder, name)))
      .sort();
  } catch {
    return []; // Nothing imported yet.
  }
}
