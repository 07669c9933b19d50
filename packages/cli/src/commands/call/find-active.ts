import type { Finding } from '@schemakit/core';
import { findTool } from '../../groups/find-tool.ts';
import { namesTool } from '../../groups/list-group.ts';
import { type FoundTool, loadReferencedWithLock, type ReferencedOptions, toolsOf } from '../../groups/load-group.ts';
import { readGroupReference } from '../../groups/references.ts';
import type { Group } from '../../settings/config.ts';
import type { Settings } from '../../settings/read-settings.ts';

interface Place extends ReferencedOptions {
  settings: Settings;
  group: Pick<Group, 'tools'>;
  serverParams: Readonly<Record<string, string>>;
}

/**
 * The active tool of a name, from the index: only its own file is opened, however many tools there are. Undefined where the index
 * alone cannot tell, as for a name that several tools have.
 */
export async function findActive(
  name: string,
  { settings, group, lock, isolation, serverParams }: Place,
): Promise<{ tool: FoundTool; refused: readonly Finding[] } | undefined> {
  const references = group.tools.flatMap((text) => readGroupReference(text) ?? []);
  const found = await findTool(settings, name);
  if (!found.ok) return undefined;
  const { tool: indexed, file } = found;
  if (!references.some((reference) => namesTool(reference, indexed))) return undefined;
  const { schemas, refused } = await loadReferencedWithLock([file], { lock, isolation });
  const tool = toolsOf(schemas, [file], { serverParams }).find(({ toolName }) => toolName === indexed.toolName);
  return tool === undefined ? undefined : { tool, refused };
}
