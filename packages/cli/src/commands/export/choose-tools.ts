import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type ExposedTool, exposeSchemas, type LoadedSchema } from '@schemakit/core';
import { exportFinding } from '../../exports/export-codes.ts';
import type { ExportedSchema } from '../../exports/openapi-document.ts';
import { openGroup } from '../../groups/groups.ts';
import { loadGroup, loadReferencedWithLock } from '../../groups/load-group.ts';
import { readGroupReference, resolveInIndex } from '../../groups/references.ts';
import { findReferenced, schemaRoots, sourcePath } from '../../groups/schema-roots.ts';
import { readFilePart } from '../../index/file-part.ts';
import { withIndex } from '../../index/open-index.ts';
import { failWith, refused, type Step } from '../../output/command-result.ts';
import { printErrors } from '../../output/print-findings.ts';
import { isFolder } from '../../settings/make-folder.ts';
import { openSettings } from '../../settings/open-settings.ts';
import { readSettings, type Settings } from '../../settings/read-settings.ts';
import { importedFrom, nearestLockFile } from '../../sources/lock-files.ts';
import { filesSource } from '../serve/files-source.ts';

export interface ChosenSchema extends ExportedSchema {
  /** The folder that was named, or that of the file or the source. */
  folder: string;
  lockFile: string | undefined;
  /** `tool::getTides` and the like; undefined for the whole file. */
  parts: readonly string[] | undefined;
  exposed: readonly ExposedTool[];
}

export interface Chosen {
  /** Of the group, the folder or the only namespace. */
  name: string;
  schemas: readonly ChosenSchema[];
}

interface Found {
  name: string | undefined;
  schemas: readonly LoadedSchema[];
  findings: Parameters<typeof failWith>[0];
  refused: Parameters<typeof failWith>[0];
  /** By file: the folder that it belongs to, and the parts that were named. */
  wanted: (file: string) => { folder: string; parts: readonly string[] | undefined };
}

/** The schemas of files, folders, tools or a group, loaded as for a server. A file with an error ends the command. */
export async function chooseTools(
  words: readonly string[],
  { group, lock }: { group?: string; lock?: string },
): Promise<Step<{ chosen: Chosen }>> {
  if (words.length > 0 && group !== undefined) {
    return refused('Paths and --group exclude each other.', 'Remove the paths, or --group.');
  }
  const found = words.length === 0 ? await ofGroup(group, lock) : await ofWords(words, lock);
  if (!found.ok) return found;
  const { schemas, findings, refused: forbidden, wanted } = found;
  const errors = [...forbidden, ...findings].filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    printErrors(errors);
    return { ok: false, result: failWith(errors, { findings: errors }) };
  }
  const all = exposeSchemas(schemas);
  const chosen = schemas.map((loaded): ChosenSchema => {
    const { folder, parts } = wanted(loaded.file);
    const isNamed = (type: string, name: string) => parts === undefined || parts.includes(`${type}::${name}`);
    const own = all.filter(({ file }) => file === loaded.file);
    const exposed = own.filter(({ toolName, resource }) =>
      resource === undefined
        ? isNamed('tool', toolName)
        : isNamed('resource', resource.resourceName) || isNamed('resource', toolName),
    );
    const prompts = loaded.prompts.filter(({ kind, name }) => isNamed(kind, name));
    const resources = new Set(exposed.flatMap(({ resource }) => resource?.resourceName ?? []));
    return {
      ...{ loaded, folder, parts, exposed },
      lockFile: lock ?? importedFrom(loaded.file)?.lockFile ?? nearestLockFile(),
      tools: exposed.flatMap(({ toolName, resource, listing }) =>
        resource === undefined ? [{ toolName, mcpName: listing.name }] : [],
      ),
      others: [
        ...[...resources].map((name) => `the resource ${name}`),
        ...prompts.map(({ kind, name }) => `the ${kind} ${name}`),
      ],
    };
  });
  if (chosen.every(({ tools, others }) => tools.length === 0 && others.length === 0)) {
    const finding = exportFinding(
      'EXP001',
      'there is nothing to export',
      'Name a schema file, a folder, a tool or a group.',
    );
    return { ok: false, result: failWith([finding], { findings: [finding] }) };
  }
  const namespaces = new Set(schemas.map(({ main }) => String(main?.namespace)));
  const [namespace = ''] = namespaces;
  return {
    ok: true,
    chosen: { name: found.name ?? (namespaces.size === 1 ? namespace : 'schemakit'), schemas: chosen },
  };
}

async function ofGroup(named: string | undefined, lock: string | undefined): Promise<Step<Found>> {
  const opened = openGroup(named);
  if (!opened.ok) return opened;
  const { group, name, settings } = opened;
  const loaded = await loadGroup(group, settings, { lock, asks: false });
  return { ok: true, name, ...loaded, wanted: byReferences(group.tools, settings) };
}

/** Files and folders are loaded as they are; anything else is the name or the reference of a tool. */
async function ofWords(words: readonly string[], lock: string | undefined): Promise<Step<Found>> {
  const settings = readSettings();
  const roots = schemaRoots(settings);
  const isPath = (word: string) => existsSync(sourcePath(word, roots)) || readFilePart(word) !== undefined;
  const paths = words.filter(isPath).map((word) => {
    const { file, type, name } = readFilePart(word) ?? { file: sourcePath(word, roots), type: '', name: '' };
    return { path: file, part: name === '' ? undefined : `${type}::${name}` };
  });
  const tools = words.filter((word) => !isPath(word));
  if (tools.length === 0) return ofPaths(paths, lock);
  if (paths.length > 0) {
    return refused('Tools and paths cannot be exported together.', 'Name tools, or files and folders.');
  }
  const opened = openSettings();
  if (!opened.ok) return opened;
  const resolved = await withIndex(opened.settings, (index) =>
    resolveInIndex(tools, { index, settings: opened.settings }),
  );
  const errors = resolved.findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return { ok: false, result: failWith(errors, { findings: errors }) };
  const files = resolved.references.flatMap((text) => {
    const reference = readGroupReference(text);
    const [source = '', ...inside] = reference?.file.split('/') ?? [];
    return findReferenced(roots, { source, file: inside.join('/') }) ?? [];
  });
  const distinct = [...new Map(files.map((each) => [each.file, each])).values()];
  const loaded = await loadReferencedWithLock(distinct, { lock, asks: false });
  return { ok: true, name: undefined, ...loaded, wanted: byReferences(resolved.references, opened.settings) };
}

async function ofPaths(
  paths: readonly { path: string; part: string | undefined }[],
  lock: string | undefined,
): Promise<Step<Found>> {
  const source = filesSource([...new Set(paths.map(({ path }) => path))], { lock });
  const loaded = await source.load([]);
  const problems = paths.filter(({ part, path }) => {
    const schema = loaded.schemas.find(({ file }) => file === resolve(path));
    return part !== undefined && schema?.status === true && !partsOf(schema).has(part);
  });
  const [problem] = problems;
  if (problem !== undefined) {
    const known = loaded.schemas.flatMap((schema) => [...partsOf(schema)]).map((part) => part.split('::')[1]);
    return refused(`${problem.path} has no ${problem.part?.replace('::', ' ')}.`, `It has ${known.join(', ')}.`);
  }
  const folders = paths.map(({ path }) => (isFolder(path) ? resolve(path) : dirname(resolve(path))));
  const [only, ...others] = paths;
  const name =
    only !== undefined && others.length === 0 && isFolder(only.path) ? basename(resolve(only.path)) : undefined;
  const wanted = (file: string) => {
    const own = paths.filter(({ path }) => resolve(path) === file);
    const parts = own.flatMap(({ part }) => part ?? []);
    const folder = folders.find((each) => file.startsWith(`${each}/`) || file.startsWith(`${each}\\`)) ?? dirname(file);
    return { folder, parts: parts.length === own.length && parts.length > 0 ? parts : undefined };
  };
  return { ok: true, name, ...loaded, wanted };
}

/** The parts of a schema, as references name them. */
function partsOf(schema: LoadedSchema): Set<string> {
  const tools = exposeSchemas([schema]).flatMap(({ toolName, resource }) =>
    resource === undefined ? [`tool::${toolName}`] : [`resource::${resource.resourceName}`, `resource::${toolName}`],
  );
  return new Set([...tools, ...schema.prompts.map(({ kind, name }) => `${kind}::${name}`)]);
}

function byReferences(references: readonly string[], settings: Settings): Found['wanted'] {
  const roots = schemaRoots(settings);
  const named = references.flatMap((text) => {
    const reference = readGroupReference(text);
    const [source = '', ...inside] = reference?.file.split('/') ?? [];
    const found = reference && findReferenced(roots, { source, file: inside.join('/') });
    const root = roots.find((each) => each.source === source);
    return found && root ? [{ file: found.file, folder: root.folder, part: reference.part }] : [];
  });
  return (file) => {
    const own = named.filter((each) => each.file === file);
    const parts = own.flatMap(({ part }) => (part === undefined ? [] : [`${part.type}::${part.name}`]));
    return { folder: own[0]?.folder ?? dirname(file), parts: parts.length === own.length ? parts : undefined };
  };
}
