import type { Settings } from '../settings/read-settings.ts';
import type { ToolIndex } from '../tool-index/index.ts';
import { readGroupReference } from './group-reference.ts';
import { callableTools } from './list-group.ts';

/** The number of tools of each group: those of its files, and one for each part. */
export async function countTools({ groups }: Settings, index: ToolIndex): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const [name, { tools }] of groups) {
    let count = 0;
    for (const text of tools) count += await countOf(text, index);
    counts.set(name, count);
  }
  return counts;
}

/** What is not there is counted too, so that the number does not hide it. */
async function countOf(text: string, index: ToolIndex): Promise<number> {
  const reference = readGroupReference(text);
  if (reference === undefined || reference.part !== undefined) return 1;
  const file = await index.file(reference.file);
  return file === undefined ? 1 : callableTools(file).length;
}
