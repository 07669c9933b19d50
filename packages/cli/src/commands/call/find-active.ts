import type { Finding } from '@schemakit/core';
import type { Group } from '../../settings/config.ts';
import type { Settings } from '../../settings/read-settings.ts';
import { findTool } from '../../tools/find-tool.ts';
import { readGroupReference } from '../../tools/group-reference.ts';
import { namesTool } from '../../tools/list-group.ts';
import { loadReferencedWithLock } from '../../tools/load-referenced.ts';
import { type FoundTool, toolsOf } from '../../tools/tools-of.ts';

interface Place {
  settings: Settings;
  group: Pick<Group, 'tools'>;
  lock: string | undefined;
  serverParams: Readonly<Record<string, string>>;
}

/**
 * The active tool of a name, from the index: only its own file is opened, however many tools there are. Undefined where the index
 * alone cannot tell, as for a name that several tools have.
 */
export async function findActive(
  name: string,
  { settings, group, lock, serverParams }: Place,
): Promise<{ tool: FoundTool; refused: readonly Finding[] } | undefined> {
  const found = await findTool(settings, name);
  if (!found.ok) return undefined;
  const { tool: indexed, file } = found;
  const references = group.tools.map(readGroupReference);
  if (!references.some((reference) => reference !== undefined && namesTool(reference, indexed))) return undefined;
  const { schemas, refused } = await loadReferencedWithLock([file], lock);
  const tool = toolsOf(schemas, [file], { serverParams }).find(({ toolName }) => toolName === indexed.toolName);
  return tool === undefined ? undefined : { tool, refused };
}
