import {
  type ExposedTool,
  exposeSchemas,
  type Finding,
  type LoadedSchema,
  loadSchemas,
  parseReference,
  type ToolPlace,
  toolNames,
} from '@schemakit/core';
import { loadWithLock } from '../load-with-lock.ts';
import type { Isolation } from '../parameters.ts';
import type { Group } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { importedFrom } from '../sources/lock-files.ts';
import { danglingReference } from './list-group.ts';
import { findReferenced, type ReferencedFile, schemaRoots } from './schema-roots.ts';

export interface LoadedGroup {
  schemas: readonly LoadedSchema[];
  files: readonly ReferencedFile[];
  tools: readonly FoundTool[];
  /** Of the schemas, and of dangling references. */
  findings: readonly Finding[];
  /** Errors that forbid calls: schemas that differ from their lock file. */
  refused: readonly Finding[];
}

interface Entry {
  text: string;
  file?: ReferencedFile;
  /** Absent for the whole file. */
  part?: { type: string; name: string };
}

/** Loads the schemas of a group and selects the tools that its references name. */
export async function loadGroup(
  { tools: references }: Pick<Group, 'tools'>,
  settings: Settings,
  { lock }: { lock?: string | undefined } = {},
): Promise<LoadedGroup> {
  const roots = schemaRoots(settings);
  const entries = references.map((text): Entry => {
    const { reference } = parseReference(text);
    if (reference?.form !== 'file') return { text };
    const file = findReferenced(roots, reference);
    return { text, ...(file && { file }), ...(reference.part && { part: reference.part }) };
  });
  const files = [...new Map(entries.flatMap(({ file }) => (file ? [[file.file, file]] : []))).values()];
  const { schemas, findings, refused } = await loadReferencedWithLock(files, { lock });
  const all = toolsOf(schemas, files);
  const tools = all.filter((tool) => entries.some((entry) => picksTool(entry, tool)));
  const dangling = entries.filter((entry) => isDangling(entry, { schemas, all }));
  const problems = dangling.map(({ text }) => danglingReference(text, settings));
  return { schemas, files, tools, findings: [...findings, ...problems], refused };
}

function picksTool({ file, part }: Entry, tool: FoundTool): boolean {
  if (file?.reference !== tool.file) return false;
  return part === undefined || tool.reference === `${tool.file}::${part.type}::${part.name}`;
}

/** A schema that did not load has its own errors. */
function isDangling(
  entry: Entry,
  { schemas, all }: { schemas: readonly LoadedSchema[]; all: readonly FoundTool[] },
): boolean {
  const { file, part } = entry;
  if (file === undefined) return true;
  const schema = schemas.find((candidate) => candidate.file === file.file);
  if (part === undefined || schema?.status !== true) return false;
  if (part.type === 'skill' || part.type === 'prompt') return !schema.prompts.some((prompt) => isNamed(prompt, part));
  return !all.some((tool) => picksTool(entry, tool));
}

function isNamed(prompt: { kind: string; name: string }, part: { type: string; name: string }): boolean {
  return prompt.kind === part.type && prompt.name === part.name;
}

export interface LoadedFiles {
  schemas: LoadedSchema[];
  findings: Finding[];
}

export interface ReferencedOptions {
  lock: string | undefined;
  isolation?: Isolation | undefined;
}

/** Loads schema files; only the user's own are approved for their root. */
async function loadReferenced(
  files: readonly ReferencedFile[],
  options: { lockFile?: string; isolation: Isolation },
): Promise<LoadedFiles> {
  const folders = new Map(files.map((entry) => [entry.file, sourceFolder(entry)]));
  const loaded = await Promise.all(
    [true, false].map(async (approveRoot) => {
      const paths = files.filter(({ approved }) => approved === approveRoot).map(({ file }) => file);
      if (paths.length === 0) return { schemas: [], findings: [] };
      return loadSchemas({ paths, approveRoot, sourceOf: (file) => folders.get(file), ...options });
    }),
  );
  const schemas = new Map(loaded.flatMap((part) => part.schemas).map((schema) => [schema.file, schema]));
  return {
    // In the order of `files`.
    schemas: files.flatMap(({ file }) => schemas.get(file) ?? []),
    findings: loaded.flatMap(({ findings }) => findings),
  };
}

/** The folder of the source that a reference begins with. */
function sourceFolder({ reference, file }: ReferencedFile): string {
  return file.slice(0, file.length - (reference.length - reference.indexOf('/')));
}

/** Loads schema files and checks them against their lock file. `refused` has the errors that forbid calls. */
export async function loadReferencedWithLock(
  files: readonly ReferencedFile[],
  { lock, isolation = 'process' }: ReferencedOptions,
): Promise<LoadedFiles & { refused: readonly Finding[] }> {
  const parts: (LoadedFiles & { refused: readonly Finding[] })[] = [];
  // Sequential, because each may ask the user.
  for (const [own, part] of byLockFile(files)) {
    const paths = part.map(({ file }) => file);
    const { loaded, refused } = await loadWithLock({ paths, lock: lock ?? own }, (options) =>
      loadReferenced(part, { ...options, isolation }),
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
function byLockFile(files: readonly ReferencedFile[]): Map<string | undefined, ReferencedFile[]> {
  return Map.groupBy(files, ({ file, approved }) => (approved ? undefined : importedFrom(file)?.lockFile));
}

/** A tool or resource query that groups can refer to. */
export interface FoundTool extends ToolPlace {
  /** `<source>/<file>.mjs`. */
  file: string;
  /** As in groups: `<source>/<file>.mjs::tool::<name>`, or `::resource::<name>` for a query. */
  reference: string;
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
    const part = resource === undefined ? `tool::${toolName}` : `resource::${resource.resourceName}`;
    return { namespace, toolName, file, reference: `${file}::${part}`, schema, exposed };
  });
}

/** The name of a tool on the command line: `<namespace>_<toolName>`. */
export function toolNameOf({ namespace, toolName }: ToolPlace): string {
  return toolNames({ namespace, toolName }).cli;
}
