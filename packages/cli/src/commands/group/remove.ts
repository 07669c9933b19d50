import { groupOf, splitReferences } from '../../groups/groups.ts';
import { removeFromGroup } from '../../groups/remove-from-group.ts';
import { openSettings } from '../../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../../output/command-result.ts';

/** `schemakit group remove <name> --tools "<references>"`: takes tools out of a group. A group without tools stays. */
export async function remove({ tools }: { tools: string }, name: string): Promise<CommandResult> {
  const texts = splitReferences(tools);
  if (texts.length === 0) return misused('--tools names no tool.', 'Write --tools "<tool>,<tool>".');
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const chosen = groupOf(opened.settings, name);
  if (!chosen.ok) return failedOver([chosen.finding]);
  const outcome = await removeFromGroup(opened.settings, { ...chosen, texts });
  if (outcome.findings.length > 0) return failedOver(outcome.findings);
  const { group, removed } = outcome;
  return {
    document: { status: true, group: name, toolCount: group.tools.length, tools: group.tools, removed },
    text: () => `Removed from ${name}: ${removed.join(', ')}`,
  };
}
