import { readFileSync } from 'node:fs';
import type { LoadedSchema } from '@schemakit/core';
import type { Index, KnownFile } from './index-file.ts';
import { ambiguousReferences, isCallable } from './indexed-entry.ts';
import type { LoadedFiles, OnProgress } from './read-files.ts';
import type { FoundFile, Scan } from './scan-folders.ts';

export interface UpdateOptions {
  /** Default: loads files with the permissions of their sources. */
  load?: ((files: readonly FoundFile[]) => Promise<LoadedFiles>) | undefined;
  /** Whether names must be unique among all files, as in a server. Default: each file by itself. */
  asSet?: boolean;
  onProgress?: OnProgress | undefined;
  /** If more files have changed, the index stays as it is. Default: no limit. */
  readAtMost?: number | undefined;
}

export interface UpdatedIndex {
  index: Index;
  /** Whether it differs from before, also in file times. */
  isChanged: boolean;
  loaded: ReadonlyMap<string, LoadedSchema>;
  refused: LoadedFiles['refused'];
}

/** Updates an index to a scan: only new and changed files are read. */
export async function updateIndex(
  before: Index = noIndex,
  scan: Scan,
  { load, asSet = false, onProgress, readAtMost = Number.POSITIVE_INFINITY }: UpdateOptions = {},
): Promise<UpdatedIndex> {
  const plan = planUpdate(before, scan);
  const unchanged = { index: before, loaded: new Map(), refused: [] };
  if (plan.changed.length > readAtMost) return { ...unchanged, isChanged: false };
  if (plan.changed.length + plan.removed === 0) {
    return { ...unchanged, index: { ...before, files: plan.unchanged }, isChanged: plan.isTouched };
  }
  // Importing the library takes longer than a search, and is only needed for changed files.
  const { exposeSchemaPrompts, exposeSchemas } = await import('@schemakit/core');
  const { isOtherModule } = await import('@schemakit/core/internal');
  const { describeFile, loadFiles } = await import('./read-files.ts');
  const read = async (files: readonly FoundFile[]) => {
    const schemas = files.filter(({ mayBeSchema }) => mayBeSchema);
    if (schemas.length === 0) return { schemas: [], findings: [], refused: [] };
    return load?.(schemas) ?? loadFiles(schemas, { ...(onProgress && { onProgress }) });
  };
  const describe = ({ schemas }: LoadedFiles, exposed?: Map<string | undefined, ReturnType<typeof exposeSchemas>>) => {
    const loaded = new Map(schemas.map((schema) => [schema.file, schema]));
    const found = plan.changed.map(({ file, hash }): KnownFile => {
      const schema = loaded.get(file.path);
      const known = {
        ...{ ...file, hash, checked: scan.time, dependent: false, isSchema: false },
        ...{ names: [], text: () => '' },
      };
      if (!file.mayBeSchema || schema === undefined || (!file.named && isOtherModule(schema))) return known;
      const { names, details, dependent } = describeFile(schema, exposed?.get(schema.file) ?? (exposed && []));
      const text = JSON.stringify(details);
      const secrets = [...new Set(details.tools.flatMap(({ requiredServerParams }) => requiredServerParams))];
      return {
        ...{ ...known, isSchema: true, names, dependent, text: () => text },
        ...(!details.schema.status && { isBroken: true }),
        ...(secrets.length > 0 && { secrets }),
      };
    });
    const order = new Map(scan.files.map(({ source, path }, position) => [`${source}\0${path}`, position]));
    const positionOf = ({ source, path }: KnownFile) => order.get(`${source}\0${path}`) ?? 0;
    return [...plan.unchanged, ...found].sort((left, right) => positionOf(left) - positionOf(right));
  };
  let result = await read(plan.changed.map(({ file }) => file));
  let files = describe(result);
  let findings: Index['findings'] = [];
  if (asSet && collide(files)) {
    // Names, URIs and aliases then depend on all files.
    plan.changed.splice(0, plan.changed.length, ...scan.files.map((file) => ({ file, hash: hashFile(file) })));
    plan.unchanged.splice(0);
    result = await read(scan.files);
    const found: Index['findings'][number][] = [];
    const usable = result.schemas.filter(({ status }) => status);
    const exposed = exposeSchemas(usable, { onFinding: (finding) => found.push(finding) });
    files = describe(
      result,
      Map.groupBy(exposed, ({ file }) => file),
    );
    findings = found.filter(({ code }) => code === 'REF005');
  }
  // Schemas with prompts depend on other files, so they were all loaded.
  const withPrompts = result.schemas.filter(({ status, prompts }) => status && prompts.length > 0);
  const prompts = (asSet ? exposeSchemaPrompts(withPrompts) : []).map(({ listing, namespace, prompt, skill }) => {
    const path = withPrompts.find((schema) => schema.prompts.includes(prompt))?.file ?? '';
    const named = { listing, namespace, path, type: prompt.kind, name: prompt.name };
    if (skill === undefined) return named;
    return { ...named, skill: { path: skill.path, name: skill.name, description: skill.description } };
  });
  return {
    index: { files, ambiguous: ambiguousReferences(files), prompts, findings },
    isChanged: true,
    loaded: new Map(result.schemas.map((schema) => [schema.file, schema])),
    refused: result.refused,
  };
}

const noIndex: Index = { files: [], ambiguous: [], prompts: [], findings: [] };

/** Whether two tools have the same name, or two resources the same URI. */
function collide(files: readonly KnownFile[]): boolean {
  const names = files.flatMap(({ names }) => names.filter(isCallable).map(({ mcp, ownMcp = mcp }) => ownMcp));
  if (new Set(names).size < names.length) return true;
  const resources = files.flatMap(({ names }) => {
    const parts = names.filter(({ type }) => type === 'resource');
    return [...new Set(parts.map(({ cli, toolName, part }) => `${cli.slice(0, -toolName.length)} ${part}`))];
  });
  return new Set(resources).size < resources.length;
}

interface Plan {
  unchanged: KnownFile[];
  /** Files to read: new, changed, or dependent on other files. */
  changed: { file: FoundFile; hash: string }[];
  removed: number;
  /** Whether file times changed, but not the contents. */
  isTouched: boolean;
}

/** Some file systems store times in steps of two seconds: a change within a step cannot be seen. */
const timeStepMs = 2_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * Compares files with an index. Reads only files whose size or times differ, or which were written so shortly before they were indexed
 * that another change would not show.
 */
function planUpdate(before: Index, scan: Scan): Plan {
  const { files, time } = scan;
  if (isCurrent(before, scan)) {
    return { unchanged: [...before.files], changed: [], removed: 0, isTouched: false };
  }
  const known = new Map(before.files.map((file) => [keyOf(file), file]));
  const plan: Plan = { unchanged: [], changed: [], removed: 0, isTouched: false };
  const found = new Map<KnownFile, FoundFile>();
  for (const file of files) {
    const last = known.get(keyOf(file));
    known.delete(keyOf(file));
    if (last !== undefined && isUnchanged(file, last)) {
      plan.unchanged.push(last);
      found.set(last, file);
      continue;
    }
    const hash = hashFile(file);
    // An unreadable file counts as unchanged, or every command would try again.
    if (last === undefined || last.hash !== hash || (hash === '' && !isAlike(file, last))) {
      plan.changed.push({ file, hash });
      continue;
    }
    const isOld = file.mtime < time - timeStepMs;
    const { size, mtime, ctime } = file;
    const current = isOld ? Object.assign(last, { size, mtime, ctime, checked: time }) : last;
    plan.isTouched ||= isOld;
    plan.unchanged.push(current);
    found.set(current, file);
  }
  plan.removed = known.size;
  if (plan.changed.length + plan.removed === 0) return plan;
  // A changed file may be a list or a skill.
  const dependent = plan.unchanged.filter((file) => file.dependent);
  plan.unchanged = plan.unchanged.filter((file) => !file.dependent);
  plan.changed.push(...dependent.flatMap((file) => ({ file: found.get(file) as FoundFile, hash: file.hash })));
  return plan;
}

/** Whether an index has files as they are now, and a later change of them would show. */
export function isCurrent(index: Index, { files }: Pick<Scan, 'files'>): boolean {
  return files.length === index.files.length && files.every((file, at) => isUnchanged(file, index.files[at]));
}

/** Whether a file was indexed as it is now, so long after it was written that a later change would show. */
function isUnchanged(file: FoundFile, known: KnownFile | undefined): boolean {
  return (
    known !== undefined && isSameFile(file, known) && isAlike(file, known) && file.mtime < known.checked - timeStepMs
  );
}

function isAlike(file: FoundFile, known: KnownFile): boolean {
  return file.size === known.size && file.mtime === known.mtime && file.ctime === known.ctime;
}

/** The permissions of a source, and whether a group has the file, decide how it is read. */
function isSameFile(file: FoundFile, { path, source, approved, mayBeSchema }: KnownFile): boolean {
  return path === file.path && source === file.source && approved === file.approved && mayBeSchema === file.mayBeSchema;
}

function keyOf({ source, path, approved, mayBeSchema }: FoundFile): string {
  return `${source}\0${path}\0${approved}\0${mayBeSchema}`;
}

/** Empty for a file that cannot be read or is larger than any schema: it counts as changed when its times change. */
function hashFile({ path, size }: FoundFile): string {
  if (size > maxBytes) return '';
  try {
    // Imported late, because it takes as long as half of the scan.
    return process.getBuiltinModule('node:crypto').hash('sha256', readFileSync(path));
  } catch {
    return ''; // Loading the schema reports the problem.
  }
}
