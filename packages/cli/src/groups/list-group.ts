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
  prompts: readonly IndexedTool[];
  findings: readonly Finding[];
}

/** Lists a group from the index, without loading schemas. */
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
  const named = known.flatMap(({ tools }) =>
    tools.filter((tool) => entries.some(({ reference }) => namesTool(reference, tool))),
  );
  const dangling = entries.filter(({ reference }) => isDangling(reference, files));
  return {
    tools: named.filter(isCallable),
    prompts: named.filter((tool) => !isCallable(tool)),
    findings: [
      ...known.flatMap(({ schema }) => schema.findings),
      ...dangling.map(({ text }) => danglingReference(text, settings)),
    ],
  };
}

/** The paths of the files of tools. */
export function filesOf(tools: readonly Pick<IndexedTool, 'path'>[]): string[] {
  return [...new Set(tools.map(({ path }) => path))];
}

export function danglingReference(text: string, { paths }: Settings): Finding {
  return settingsFinding('SET009', `the group refers to ${text}, which does not exist`, {
    file: paths.project.groups,
    hint: `Import it again, or remove it: schemakit remove ${text}`,
  });
}

/** A reference names a whole file, a tool, a resource with all its queries, or one of them by its tool name. */
export function namesTool(
  reference: GroupReference | undefined,
  tool: Pick<IndexedTool, 'file' | 'type' | 'part' | 'toolName'>,
): boolean {
  if (reference?.file !== tool.file) return false;
  const { part } = reference;
  return part === undefined || (part.type === tool.type && [tool.part, tool.toolName].includes(part.name));
}

/** What a reference names, skills and prompts included. */
export function toolsNamed(text: string, index: ToolIndex): IndexedTool[] {
  const reference = readGroupReference(text);
  return reference ? (index.file(reference.file)?.tools.filter((tool) => namesTool(reference, tool)) ?? []) : [];
}

/** References as people read them: the name of a tool where only one is meant. */
export function shownReferences(references: readonly string[], index: ToolIndex): string[] {
  return references.map((text) => {
    const [tool, ...more] = toolsNamed(text, index);
    return tool !== undefined && more.length === 0 && isCallable(tool) ? tool.name : text;
  });
}

/** A schema that did not load has its own errors. */
function isDangling(
  reference: GroupReference | undefined,
  files: ReadonlyMap<string, IndexedFile | undefined>,
): boolean {
  const file = reference && files.get(reference.file);
  if (reference === undefined || file === undefined) return true;
  return file.schema.status && reference.part !== undefined && !file.tools.some((tool) => namesTool(reference, tool));
}

/** The number of tools of each group, as `list` shows them. */
export function countTools(settings: Settings, index: ToolIndex): ReadonlyMap<string, number> {
  const count = (group: Group) => listGroup(group, { index, settings }).tools.length;
  return new Map([...settings.groups].map(([name, group]) => [name, count(group)]));
}
