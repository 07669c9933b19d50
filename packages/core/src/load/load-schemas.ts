import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkArguments } from '../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding, hasNoErrors } from '../schema/finding.ts';
import { nameTools, type ToolPlace } from '../schema/references/tool-names.ts';
import { type LoadedSchema, loadSchema } from './load-schema.ts';
import { isOtherModule } from './module-kind.ts';
import { type LoadSchemaOptions, parseLoadOptions } from './parse-load-options.ts';
import { findRecord } from './schema-record.ts';

export interface LoadSchemasOptions extends Omit<LoadSchemaOptions, 'filePath' | 'source'> {
  /** Files and folders. */
  paths: readonly string[];
  /** Called after each file. Errors that it throws are ignored. */
  onProgress?: (progress: { done: number; total: number; file: string }) => void;
  /** @internal Whether the root URL of a file is approved. Default: `approveRoot`. */
  approves?: (file: string) => boolean;
  /** @internal The source folder of a file. Default: the folder in `paths` that contains it. */
  sourceOf?: (file: string) => string | undefined;
}

/**
 * All schemas that were found, including those that failed. `status` is false if any failed, or if there was none. `findings` are
 * those of all schemas in order, then name collisions between their tools.
 */
export interface LoadedSchemas extends CheckResult {
  schemas: LoadedSchema[];
}

/** Enough to keep the disk busy while files are parsed. */
const concurrency = 16;

/**
 * Loads files and folders of schemas, in a fixed order. In folders, agent manifests and modules without `main` are skipped.
 *
 * @example
 * const { status, schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * console.log(status, schemas.length); // true 1
 */
export async function loadSchemas(
  { paths, onProgress, sourceOf, approves, ...given }: LoadSchemasOptions = {} as LoadSchemasOptions,
): Promise<LoadedSchemas> {
  const method = 'loadSchemas';
  const problems = checkArguments(method, { paths }, { paths: 'text array' });
  const { options, problems: wrong } = parseLoadOptions({ ...given, filePath: '.' }, { method });
  problems.push(...wrong);
  if (!hasNoErrors(problems)) return { ...checkResult(problems), schemas: [] };
  const files = await findSchemaFiles(paths);
  const schemas: (LoadedSchema | undefined)[] = new Array(files.length);
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < files.length; index = next++) {
      const entry = files[index] as SchemaFile;
      const own = { ...withSource(entry, sourceOf), ...(approves && { approveRoot: approves(entry.file) }) };
      const schema = await loadSchema({ ...options, ...own, filePath: entry.file });
      if (entry.named || !isOtherModule(schema)) schemas[index] = schema;
      done += 1;
      notify(onProgress, { done, total: files.length, file: entry.file });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const found = schemas.filter((schema) => schema !== undefined);
  const findings = [...problems, ...found.flatMap((schema) => schema.findings)];
  if (found.length === 0) findings.push(nothingFound(paths));
  for (const collision of collisionsIn(found, options)) findings.push(collision);
  return { ...checkResult(findings), schemas: found };
}

function withSource(
  { file, folder }: SchemaFile,
  sourceOf: LoadSchemasOptions['sourceOf'],
): Pick<LoadSchemaOptions, 'source'> {
  const source = sourceOf?.(file) ?? folder;
  return source === undefined ? {} : { source };
}

type Progress = Parameters<NonNullable<LoadSchemasOptions['onProgress']>>[0];

function notify(onProgress: LoadSchemasOptions['onProgress'], progress: Progress): void {
  try {
    onProgress?.(progress);
  } catch {
    // A failing progress display must not stop the loading.
  }
}

/** Tools of different schemas that would have the same name; each gets a unique one. */
function collisionsIn(schemas: readonly LoadedSchema[], { strict = false }: { strict?: boolean }): Finding[] {
  const { findings } = nameTools(schemas.flatMap(toolsOf));
  return strict ? findings.map((finding) => ({ ...finding, severity: 'error' })) : findings;
}

function toolsOf({ status, main, file }: LoadedSchema): ToolPlace[] {
  const record = status && main !== null ? findRecord(main) : undefined;
  if (typeof record !== 'object') return [];
  const { namespace, tools } = record.schema;
  return [...tools.keys()].map((toolName) => ({ namespace, toolName, file }));
}

function nothingFound(paths: readonly string[]): Finding {
  return {
    code: 'FIL005',
    severity: 'error',
    path: '',
    message:
      paths.length === 0 ? 'no path was given, so there is no schema' : `there is no schema in ${paths.join(', ')}`,
    hint: 'Schemas are .mjs files with export const main. Name files, or folders that contain them.',
  };
}

export interface SchemaFile {
  file: string;
  /** Named by the user; false for a file that was found in a folder. */
  named: boolean;
  /** The folder that it was found in. */
  folder?: string;
}

/**
 * The schema files at paths: files as given, and every `.mjs` file below folders, sorted by name. Entries that start with `_` or
 * `.` are skipped. A missing path is returned too, so that loading reports it.
 *
 * @example
 * const files = await findSchemaFiles(['tides.mjs']);
 * console.log(files.length); // 1
 */
export async function findSchemaFiles(paths: readonly string[]): Promise<SchemaFile[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<SchemaFile[]> => {
      const absolute = resolve(path);
      const info = await stat(absolute).catch(() => undefined);
      if (!info?.isDirectory()) return [{ file: absolute, named: true }];
      return (await filesBelow(absolute)).map((file) => ({ file, named: false, folder: absolute }));
    }),
  );
  const files = new Map(found.flat().map((entry) => [entry.file, entry]));
  return [...files.values()];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  const nested = await Promise.all(
    entries.map(async (entry) => {
      if (/^[._]/.test(entry.name) || entry.name === 'node_modules') return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() && entry.name.endsWith('.mjs') ? [path] : [];
    }),
  );
  return nested.flat();
}
