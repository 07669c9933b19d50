import type { Finding } from '@schemakit/core';
import { isCallable } from '../index/indexed-entry.ts';
import type { IndexedFile, IndexedTool } from '../index/indexed-tool.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import type { Group } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { type GroupReference, readGroupReference } from './references.ts';

export interface GroupListing {
  /** Tools, queries and documents, in the order of the files. */
  tools: readonly IndexedTool[];
  /** Errors of the schemas, and references that lead nowhere. */
  findings: readonly Finding[];
}

/** What a group has, from the index: no schema is opened. */
export function listGroup(
  { tools: references }: Pick<Group, 'tools'>,
  { index, settings }: { index: ToolIndex; settings: Settings },
): GroupListing {
  const entries = references.map((text) => ({ text, reference: readGroupReference(text) }));
  const files = new Map<string, IndexedFile | undefined>();
  for (const { reference } of entries) {
    if (reference !== undefined && !files.has(reference.file)) {
      files.set(reference.file, index.file(reference.file));
    }
  }
  const known = [...files.values()].filter((file) => file !== undefined);
  const tools = known.flatMap((file) =>
    callableTools(file).filter((tool) => entries.some(({ reference }) => reference && namesTool(reference, tool))),
  );
  const lost = entries.filter(({ reference }) => isLost(reference, files));
  return {
    tools,
    findings: [
      ...known.flatMap(({ schema }) => schema.findings),
      ...lost.map(({ text }) => deadReference(text, settings)),
    ],
  };
}

/** What can be called: skills and prompts are texts. */
export function callableTools({ tools }: IndexedFile): IndexedTool[] {
  return tools.filter(isCallable);
}

/** The error of a reference in a group that leads nowhere. */
export function deadReference(text: string, { places }: Settings): Finding {
  return settingsFinding('SET009', `the group has ${text}, which is not there`, {
    file: places.project.groups,
    hint: `Import it again, or take it out: schemakit remove ${text}`,
  });
}

/** Whether the reference of a group means a tool, alone or with all of its file. */
export function namesTool({ file, part }: GroupReference, tool: Pick<IndexedTool, 'file' | 'type' | 'part'>): boolean {
  return file === tool.file && (part === undefined || (part.type === tool.type && part.name === tool.part));
}

/** A schema that did not load says so itself. */
function isLost(reference: GroupReference | undefined, files: ReadonlyMap<string, IndexedFile | undefined>): boolean {
  const file = reference && files.get(reference.file);
  if (reference === undefined || file === undefined) return true;
  return file.schema.status && reference.part !== undefined && !file.tools.some((tool) => namesTool(reference, tool));
}

/** The number of tools of each group: those of its files, and one for each part. */
export function countTools({ groups }: Settings, index: ToolIndex): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, { tools }] of groups) {
    counts.set(
      name,
      tools.reduce((count, text) => count + countOf(text, index), 0),
    );
  }
  return counts;
}

/** What is not there is counted too, so that the number does not hide it. */
function countOf(text: string, index: ToolIndex): number {
  const reference = readGroupReference(text);
  if (reference === undefined || reference.part !== undefined) return 1;
  const file = index.file(reference.file);
  return file === undefined ? 1 : callableTools(file).length;
}
