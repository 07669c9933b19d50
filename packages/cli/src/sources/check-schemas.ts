import { join, relative, sep } from 'node:path';
import { type Finding, type LoadedSchema, SchemaKit } from '@schemakit/core';
import { inParallel } from './in-parallel.ts';
import { referencedFiles } from './referenced-files.ts';
import { type OnProgress, progressOf } from './source-progress.ts';

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
  tree: string;
  /** The folder in which they will be. */
  folder: string;
  signal: AbortSignal;
  onProgress: OnProgress | undefined;
}

/** Loads modules as they will be loaded later, without the approval that a user's own files have. Nothing of them is run here. */
export async function checkSchemas(paths: readonly string[], context: CheckContext): Promise<CheckedModule[]> {
  const { tree, signal, onProgress } = context;
  const tell = progressOf('check', { total: paths.length, onProgress });
  const checked = new Map<string, CheckedModule>();
  await inParallel(paths, { atOnce: 8 }, async (path) => {
    signal.throwIfAborted();
    const schema = await SchemaKit.loadSchema({ filePath: join(tree, path), approveRoot: false });
    checked.set(path, checkedModule(path, schema, context));
    tell(path);
  });
  return paths.flatMap((path) => checked.get(path) ?? []);
}

function checkedModule(
  path: string,
  { status, main, findings }: LoadedSchema,
  { tree, folder }: CheckContext,
): CheckedModule {
  // A file that cannot be parsed may well be a schema.
  const isOther = main === null && findings.some(({ code }) => code === 'VAL001');
  const errors = findings.filter(({ severity }) => severity === 'error');
  const blamed = errors.flatMap(({ file }) => (file === undefined ? [] : pathBelow(tree, file)));
  return {
    path,
    isSchema: !isOther,
    status,
    findings: findings.map((finding) => moved(finding, { tree, folder })),
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
function moved(finding: Finding, { tree, folder }: { tree: string; folder: string }): Finding {
  const inPlace = (text: string) => text.replaceAll(tree, folder);
  const { message, hint, file } = finding;
  return {
    ...finding,
    message: inPlace(message),
    ...(hint !== undefined && { hint: inPlace(hint) }),
    ...(file !== undefined && { file: inPlace(file) }),
  };
}
