import type { Finding } from '@schemakit/core';
import type { Group } from '../../settings/config.ts';
import type { Settings } from '../../settings/read-settings.ts';
import { findTool, findToolAmong } from '../../tools/find-tool.ts';
import { readGroupReference } from '../../tools/group-reference.ts';
import { namesTool } from '../../tools/list-group.ts';
import { loadReferencedWithLock, type ReferencedOptions } from '../../tools/load-referenced.ts';
import { type FoundTool, toolsOf } from '../../tools/tools-of.ts';

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
  const places = [...new Set(references.map((reference) => reference.file))];
  // Only where the files of the group have changed, all others are looked at too.
  const found = findToolAmong(places, name, settings) ?? (await findTool(settings, name));
  if (!found.ok) return undefined;
  const { tool: indexed, file } = found;
  if (!references.some((reference) => namesTool(reference, indexed))) return undefined;
  const { schemas, refused } = await loadReferencedWithLock([file], { lock, isolation });
  const tool = toolsOf(schemas, [file], { serverParams }).find(({ toolName }) => toolName === indexed.toolName);
  return tool === undefined ? undefined : { tool, refused };
}
