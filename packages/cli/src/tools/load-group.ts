import {
  type ExposedPrompt,
  exposeSchemaPrompts,
  type Finding,
  type LoadedSchema,
  parseReference,
} from '@schemakit/core';
import type { Group } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { deadReference } from './list-group.ts';
import { loadReferencedWithLock, type ReferencedOptions } from './load-referenced.ts';
import { findReferenced, type ReferencedFile, schemaRoots } from './schema-roots.ts';
import { type FoundTool, toolsOf } from './tools-of.ts';

export interface LoadedGroup {
  schemas: readonly LoadedSchema[];
  files: readonly ReferencedFile[];
  tools: readonly FoundTool[];
  prompts: readonly ExposedPrompt[];
  /** Of the schemas, and of references that lead nowhere. */
  findings: readonly Finding[];
  /** Errors over which nothing may run: schemas that are not those that were trusted. */
  refused: readonly Finding[];
}

interface Entry {
  text: string;
  file?: ReferencedFile;
  /** Absent where all of the file is meant. */
  part?: { type: string; name: string };
}

export interface LoadGroupOptions extends Partial<ReferencedOptions> {
  serverParams?: Readonly<Record<string, string>>;
  /** Says which schemas are used in place of those that were loaded, such as the last good ones of broken files. */
  settle?: (schemas: readonly LoadedSchema[]) => readonly LoadedSchema[];
}

/** Loads the schemas of a group and picks what its references name. */
export async function loadGroup(
  { tools: references }: Pick<Group, 'tools'>,
  settings: Settings,
  { lock, isolation, serverParams, settle = (schemas) => schemas }: LoadGroupOptions = {},
): Promise<LoadedGroup> {
  const roots = schemaRoots(settings);
  const entries = references.map((text): Entry => {
    const { reference } = parseReference(text);
    if (reference?.form !== 'file') return { text };
    const file = findReferenced(roots, reference);
    return { text, ...(file && { file }), ...(reference.part && { part: reference.part }) };
  });
  const files = [...new Map(entries.flatMap(({ file }) => (file ? [[file.file, file]] : []))).values()];
  const { schemas: loaded, findings, refused } = await loadReferencedWithLock(files, { lock, isolation });
  const schemas = settle(loaded);
  const all = toolsOf(schemas, files, { ...(serverParams && { serverParams }) });
  const tools = all.filter((tool) => entries.some((entry) => picksTool(entry, tool)));
  const lost = entries.filter((entry) => isLost(entry, { schemas, all }));
  const problems = lost.map(({ text }) => deadReference(text, settings));
  return { schemas, files, tools, prompts: promptsOf(schemas, entries), findings: [...findings, ...problems], refused };
}

function picksTool({ file, part }: Entry, tool: FoundTool): boolean {
  if (file?.reference !== tool.file) return false;
  return part === undefined || tool.reference === `${tool.file}::${part.type}::${part.name}`;
}

/** A schema that did not load says so itself. */
function isLost(
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

/** The prompts of whole schemas, and those that are named. */
function promptsOf(schemas: readonly LoadedSchema[], entries: readonly Entry[]): ExposedPrompt[] {
  const usable = schemas.filter(({ status }) => status);
  return exposeSchemaPrompts(usable).filter(({ prompt }) => {
    const schema = usable.find(({ prompts }) => prompts.includes(prompt));
    return entries.some(
      ({ file, part }) => file?.file === schema?.file && (part === undefined || isNamed(prompt, part)),
    );
  });
}

function isNamed(prompt: { kind: string; name: string }, part: { type: string; name: string }): boolean {
  return prompt.kind === part.type && prompt.name === part.name;
}
