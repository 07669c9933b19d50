import { openGroup } from '../groups/groups.ts';
import { removeFromGroup } from '../groups/remove-from-group.ts';
import { type CommandResult, failWith } from '../output/command-result.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { activeTool, described } from './parameters.ts';

async function remove(_flags: Record<never, never>, text: string): Promise<CommandResult> {
  const chosen = openGroup();
  if (!chosen.ok) return chosen.result;
  const { removed, shown, findings } = await removeFromGroup(chosen.settings, { ...chosen, texts: [text] });
  if (findings.length > 0) return failWith(findings);
  return {
    document: { status: true, removed: text, references: removed, group: chosen.name },
    text: () => `Removed ${shown.join(', ')} from the group ${chosen.name}.`,
  };
}

export const removeCommand: MakeCommand = defineCommand('remove', () => remove, {
  parameters: { positional: activeTool },
  docs: described('Deactivate a tool, or all tools of a schema', 'schemakit remove frankfurter_getRates'),
});
