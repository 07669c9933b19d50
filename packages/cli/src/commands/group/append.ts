import { appendToGroup, splitReferences } from '../../groups/groups.ts';
import { resolveReferences } from '../../groups/references.ts';
import { openSettings } from '../../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../../output/command-result.ts';
import { counted } from '../../output/counted.ts';
import { isGroupName } from '../../settings/group-name.ts';
import { settingsFinding } from '../../settings/settings-codes.ts';

/** `schemakit group append <name> --tools "<references>"`: adds tools to a group, and makes the group where there is none. */
export async function append(
  { tools, description }: { tools: string; description?: string },
  name: string,
): Promise<CommandResult> {
  if (!isGroupName(name)) return failedOver([badName(name)]);
  const texts = splitReferences(tools);
  if (texts.length === 0) return misused('--tools names no tool.', 'Write --tools "<tool>,<tool>".');
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { references, findings } = await resolveReferences(texts, opened.settings);
  // All or nothing: half of a group is not what was asked for.
  if (findings.length > 0) return failedOver(findings);
  const appended = await appendToGroup(opened.settings, { name, references, description });
  if (!appended.ok) return failedOver([appended.finding]);
  const { group, added, isDefault } = appended;
  return {
    document: { status: true, group: name, toolCount: group.tools.length, tools: group.tools, added, isDefault },
    text: () => `${name} has ${counted(group.tools.length, 'reference')} now, ${added.length} of them new.`,
  };
}

function badName(name: string): ReturnType<typeof settingsFinding> {
  return settingsFinding('SET008', `"${name}" cannot be the name of a group`, {
    hint: 'Use letters, digits, ".", "_" and "-", at most 64 of them; begin with a letter or a digit. Names of devices, such as "con", are refused.',
  });
}
