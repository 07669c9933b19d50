import {
  type ExposedTool,
  exposeSchemas,
  type Finding,
  type LoadedSchema,
  parseReference,
  type ToolPlace,
  toolNames,
} from '@schemakit/core';
import type { Isolation } from '../commands/parameters.ts';
import { type LoadedFiles, loadFiles } from '../index/read-files.ts';
import type { Group } from '../settings/config.ts';
import type { Environment } from '../settings/environment.ts';
import type { Settings } from '../settings/read-settings.ts';
import { importedFrom } from '../sources/lock-files.ts';
import { danglingReference, namesTool } from './list-group.ts';
import { loadWithLock } from './load-with-lock.ts';
import { findReferenced, type ReferencedFile, schemaRoots } from './schema-roots.ts';

export interface LoadedGroup {
  schemas: readonly LoadedSchema[];
  files: readonly ReferencedFile[];
  tools: readonly FoundTool[];
  findings: readonly Finding[];
  /** Errors that forbid calls: schemas that differ from their lock file. */
  refused: readonly Finding[];
}

/** Loads the schemas of a group and selects the tools that its references name. */
export async function loadGroup(
  { tools: references }: Pick<Group, 'tools'>,
  settings: Settings,
  options: Pick<LoadReferencedOptions, 'lock' | 'asks' | 'environment'> = {},
): Promise<LoadedGroup> {
  const roots = schemaRoots(settings);
  const entries = references.map((text) => {
    const { reference } = parseReference(text);
    const file = reference?.form === 'file' ? findReferenced(roots, reference) : undefined;
    return { text, file, part: reference?.form === 'file' ? reference.part : undefined };
  });
  const files = [...new Map(entries.flatMap(({ file }) => (file ? [[file.file, file]] : []))).values()];
  const { schemas, findings, refused } = await loadReferencedWithLock(files, options);
  const all = toolsOf(schemas, files);
  const names = ({ file, part }: (typeof entries)[number], tool: FoundTool) =>
    file !== undefined && namesTool({ file: file.reference, ...(part && { part }) }, tool);
  const dangling = entries.filter((entry) => {
    const { file, part } = entry;
    if (file === undefined) return true;
    const schema = schemas.find((candidate) => candidate.file === file.file);
    // A schema that did not load has its own errors.
    if (part === undefined || schema?.status !== true) return false;
    const isPrompt = schema.prompts.some(({ kind, name }) => kind === part.type && name === part.name);
    return !isPrompt && !all.some((tool) => names(entry, tool));
  });
  const problems = dangling.map(({ text }) => danglingReference(text, settings));
  const tools = all.filter((tool) => entries.some((entry) => names(entry, tool)));
  return { schemas, files, tools, findings: [...findings, ...problems], refused };
}

/** The folder of the source that a reference begins with. */
function sourceFolder({ reference, file }: ReferencedFile): string {
  return file.slice(0, file.length - (reference.length - reference.indexOf('/')));
}

export interface LoadReferencedOptions {
  lock?: string | undefined;
  /** Whether a terminal may ask about changed schemas and grants. Default: yes. */
  asks?: boolean;
  isolation?: Isolation;
  environment?: Environment | undefined;
}

/** Loads schema files and checks them against their lock file. `refused` has the errors that forbid calls. */
export async function loadReferencedWithLock(
  files: readonly ReferencedFile[],
  { lock, asks, isolation = 'process', environment }: LoadReferencedOptions,
): Promise<LoadedFiles> {
  const parts: LoadedFiles[] = [];
  const roots = environment && { roots: environment.roots };
  // Sequential, because each may ask the user.
  for (const [own, part] of Map.groupBy(files, lockFileOf)) {
    const folders = new Map(part.map((entry) => [entry.file, sourceFolder(entry)]));
    const found = part.map(({ file, approved }) => ({ path: file, approved }));
    const { loaded, refused } = await loadWithLock(
      { paths: [...folders.keys()], named: lock, imported: own, asks },
      (options) => loadFiles(found, { ...options, ...roots, isolation, sourceOf: (file) => folders.get(file) }),
    );
    parts.push({ ...loaded, refused });
  }
  const schemas = new Map(parts.flatMap((part) => part.schemas).map((schema) => [schema.file, schema]));
  return {
    schemas: files.flatMap(({ file }) => schemas.get(file) ?? []),
    findings: parts.flatMap(({ findings }) => findings),
    refused: parts.flatMap(({ refused }) => refused),
  };
}

/** Imported files use the lock file of the import, other files the nearest one. */
function lockFileOf({ file, approved }: ReferencedFile): string | undefined {
  return approved ? undefined : importedFrom(file)?.lockFile;
}

/** A tool or resource query that groups can refer to. */
export interface FoundTool extends ToolPlace {
  /** `<source>/<file>.mjs`. */
  file: string;
  type: 'tool' | 'resource';
  /** Its name in references of groups: the resource of a query. */
  part: string;
  schema: LoadedSchema;
  exposed: ExposedTool;
}

/** The tools of the loaded schemas. */
export function toolsOf(
  schemas: readonly LoadedSchema[],
  files: readonly ReferencedFile[],
  { serverParams = {} }: { serverParams?: Readonly<Record<string, string>> } = {},
): FoundTool[] {
  const references = new Map(files.map(({ file, reference }) => [file, reference]));
  const byFile = new Map(schemas.map((schema) => [schema.file, schema]));
  const usable = schemas.filter(({ status }) => status);
  return exposeSchemas(usable, { serverParams }).flatMap((exposed) => {
    const schema = byFile.get(exposed.file ?? '');
    const file = references.get(exposed.file ?? '');
    if (schema === undefined || file === undefined) return [];
    const { namespace, toolName, resource } = exposed;
    const type = resource === undefined ? 'tool' : 'resource';
    return { namespace, toolName, file, type, part: resource?.resourceName ?? toolName, schema, exposed };
  });
}

/** The name of a tool on the command line: `<namespace>_<toolName>`. */
export function toolNameOf({ namespace, toolName }: ToolPlace): string {
  return toolNames({ namespace, toolName }).cli;
}
