import type { Finding } from '@schemakit/core';
import type { IndexedTool } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import { didYouMean } from '../output/nearest-word.ts';
import { type Group, isGroupName } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { writeGroup } from '../settings/write-settings.ts';
import { callableTools, namesTool } from './list-group.ts';
import { groupReference, readGroupReference, resolveInIndex } from './references.ts';

export interface Removal {
  group: Group;
  removed: readonly string[];
  /** If there are any, nothing was removed. */
  findings: readonly Finding[];
}

/**
 * Removes tools from a group, by any of their names or by a reference of the group, even a dangling one. Removing one tool of a
 * file that the group refers to as a whole keeps the other tools of that file.
 */
export async function removeFromGroup(
  settings: Settings,
  { name, group, texts }: { name: string; group: Group; texts: readonly string[] },
): Promise<Removal> {
  const nothing = { group, removed: [] };
  if (!isGroupName(name)) {
    const hint = 'Create a group with another name: schemakit group append.';
    const finding = settingsFinding('SET008', `the group name "${name}" is not a valid file name`, { hint });
    return { ...nothing, findings: [finding] };
  }
  const plans = await planRemovals(texts, group, settings);
  const findings = plans.flatMap((plan) => ('finding' in plan ? [plan.finding] : []));
  if (findings.length > 0) return { ...nothing, findings };
  const replacements = new Map(plans.flatMap((plan) => ('replace' in plan ? [...plan.replace] : [])));
  const removed = plans.flatMap((plan) => ('removed' in plan ? plan.removed : []));
  let left = group;
  const written = await writeGroup(
    settings.paths,
    name,
    (current) => {
      left = { ...current, tools: current.tools.flatMap((text) => replacements.get(text) ?? [text]) };
      left = { ...left, tools: left.tools.filter((text) => !removed.includes(text)) };
      return left;
    },
    group,
  );
  return written.ok ? { group: left, removed, findings: [] } : { ...nothing, findings: [written.finding] };
}

/** The replacement for each affected reference of the group. */
type Plan = { removed: readonly string[]; replace: ReadonlyMap<string, readonly string[]> } | { finding: Finding };

async function planRemovals(texts: readonly string[], group: Group, settings: Settings): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const isKnown = (text: string) => group.tools.includes(text);
  const asIs = (text: string): Plan => ({ removed: [text], replace: new Map([[text, []]]) });
  // References of the group can be removed even without an index.
  if (texts.every(isKnown)) return texts.map(asIs);
  await withIndex(settings, async (index) => {
    for (const text of texts)
      plans.push(isKnown(text) ? asIs(text) : await planRemoval(text, group, { index, settings }));
  });
  return plans;
}

async function planRemoval(
  text: string,
  group: Group,
  { index, settings }: { index: ToolIndex; settings: Settings },
): Promise<Plan> {
  const active = await activeTools(text, group, index);
  if (active.length > 1) return { finding: severalInGroup(text, active) };
  const references =
    active.length > 0 ? active.map(groupReference) : (await resolveInIndex([text], { index, settings })).references;
  const replace = new Map<string, readonly string[]>();
  for (const reference of references) {
    const own = group.tools.find((candidate) => isSameReference(candidate, reference));
    if (own !== undefined) replace.set(own, []);
    const file = reference.split('::', 1)[0] ?? '';
    if (own === undefined && reference !== file && group.tools.includes(file)) {
      const entry = index.file(file);
      const tools = entry === undefined ? [] : callableTools(entry);
      const others = new Set(tools.map(groupReference).filter((other) => other !== reference));
      replace.set(file, [...others]);
    }
    // A file stands for all of its tools.
    if (reference === file) for (const tool of group.tools) if (tool.startsWith(`${file}::`)) replace.set(tool, []);
  }
  return replace.size > 0 ? { removed: references, replace } : { finding: notInGroup(text, group) };
}

/** For an ambiguous name, the matching tools that are in the group. Empty for other names. */
async function activeTools(text: string, group: Group, index: ToolIndex): Promise<readonly IndexedTool[]> {
  const { outcome, tools } = await index.find(text);
  if (outcome !== 'ambiguous') return [];
  const references = group.tools.map(readGroupReference).filter((reference) => reference !== undefined);
  return tools.filter((tool) => references.some((reference) => namesTool(reference, tool)));
}

/** `<file>::<name>` and `<file>::tool::<name>` are the same reference. */
function isSameReference(left: string, right: string): boolean {
  return left === right || JSON.stringify(readGroupReference(left)) === JSON.stringify(readGroupReference(right));
}

function notInGroup(text: string, { tools }: Group): Finding {
  const hint = didYouMean(text, tools, 'Run: schemakit list');
  return settingsFinding('SET009', `not in the group: ${text}`, { hint });
}

function severalInGroup(text: string, tools: readonly IndexedTool[]): Finding {
  const hint = `Write one of ${tools.map(groupReference).join(', ')}.`;
  return settingsFinding('SET009', `the group has ${tools.length} tools called ${text}`, { hint });
}
