import type { Finding } from '@schemakit/core';
import type { IndexedTool } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import { didYouMean } from '../output/nearest-word.ts';
import { type Group, isGroupName } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { writeGroup } from '../settings/write-settings.ts';
import { listGroup, shownReferences, toolsNamed } from './list-group.ts';
import { normalReference, resolveInIndex, resourceReference } from './references.ts';

export interface Removal {
  group: Group;
  /** The number of tools that the group has now. */
  toolCount: number;
  removed: readonly string[];
  /** What was removed, for people. */
  shown: readonly string[];
  /** If there are any, nothing was removed. */
  findings: readonly Finding[];
}

/**
 * Removes tools from a group, by any of their names or by a reference of the group, even a dangling one. Removing one tool of a
 * file that the group refers to as a whole keeps everything else of that file.
 */
export async function removeFromGroup(
  settings: Settings,
  { name, group, texts }: { name: string; group: Group; texts: readonly string[] },
): Promise<Removal> {
  const nothing = { group, toolCount: 0, removed: [], shown: [] };
  if (!isGroupName(name)) {
    const hint = 'Create a group with another name: schemakit group append.';
    const finding = settingsFinding('SET008', `the group name "${name}" is not a valid file name`, { hint });
    return { ...nothing, findings: [finding] };
  }
  return withIndex(settings, async (index) => {
    const plans = await Promise.all(texts.map((text) => planRemoval(text, group, { index, settings })));
    const findings = plans.flatMap((plan) => ('finding' in plan ? [plan.finding] : []));
    if (findings.length > 0) return { ...nothing, findings };
    const names = (reference: string) => plans.some((plan) => 'names' in plan && plan.names(reference));
    const removed = new Set<string>();
    let left = group;
    const written = await writeGroup(
      settings.paths,
      name,
      (current) => {
        const tools = current.tools.flatMap((text) => without(text, { names, index, removed }));
        left = { ...current, tools: [...new Set(tools)] };
        return left;
      },
      group,
    );
    if (!written.ok) return { ...nothing, findings: [written.finding] };
    const toolCount = listGroup(left, { index, settings }).tools.length;
    return { group: left, toolCount, removed: [...removed], shown: shownReferences([...removed], index), findings: [] };
  });
}

/** Tells for a reference whether it is to be removed. */
type Plan = { names: (reference: string) => boolean } | { finding: Finding };

async function planRemoval(
  text: string,
  group: Group,
  { index, settings }: { index: ToolIndex; settings: Settings },
): Promise<Plan> {
  const active = await activeTools(text, group, index);
  if (active.length > 1) return { finding: severalInGroup(text, active) };
  const found =
    active.length > 0
      ? active.map(({ reference }) => reference)
      : (await resolveInIndex([text], { index, settings })).references;
  const wanted = found.length > 0 ? found : [normalReference(text)];
  const targets = new Set(wanted.flatMap((own) => [own, ...toolsNamed(own, index).map(({ reference }) => reference)]));
  // A file stands for all of its parts, also those that it no longer has.
  const names = (reference: string) =>
    targets.has(reference) || wanted.some((own) => own.endsWith('.mjs') && reference.startsWith(`${own}::`));
  const isInGroup = group.tools.some((own) => without(own, { names, index })[0] !== own);
  return isInGroup ? { names } : { finding: notInGroup(text, group) };
}

/** What is left of a reference of a group: all of it, nothing, or references to its other parts. */
function without(
  text: string,
  { names, index, removed }: { names: (reference: string) => boolean; index: ToolIndex; removed?: Set<string> },
): string[] {
  if (names(normalReference(text))) {
    removed?.add(text);
    return [];
  }
  const all = toolsNamed(text, index);
  const left = all.filter(({ reference }) => !names(reference));
  if (left.length === all.length) return [text];
  for (const { reference } of all) if (names(reference)) removed?.add(reference);
  const isWhole = ({ part }: IndexedTool) =>
    all.filter((tool) => tool.part === part).every((tool) => left.includes(tool));
  return [...new Set(left.map((tool) => (isWhole(tool) ? resourceReference(tool) : tool.reference)))];
}

/** For an ambiguous name, the matching tools that are in the group. Empty for other names. */
async function activeTools(text: string, group: Group, index: ToolIndex): Promise<readonly IndexedTool[]> {
  const { outcome, tools } = await index.find(text);
  if (outcome !== 'ambiguous') return [];
  const active = new Set(group.tools.flatMap((own) => toolsNamed(own, index).map(({ reference }) => reference)));
  return tools.filter(({ reference }) => active.has(reference));
}

function notInGroup(text: string, { tools }: Group): Finding {
  const hint = didYouMean(text, tools, 'Run: schemakit list');
  return settingsFinding('SET009', `not in the group: ${text}`, { hint });
}

function severalInGroup(text: string, tools: readonly IndexedTool[]): Finding {
  const hint = `Write one of ${tools.map(({ reference }) => reference).join(', ')}.`;
  return settingsFinding('SET009', `the group has ${tools.length} tools called ${text}`, { hint });
}
