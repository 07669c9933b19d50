import { countTools } from '../../groups/list-group.ts';
import { withIndex } from '../../index/open-index.ts';
import { openSettings } from '../../open-settings.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { textTable } from '../../output/text-table.ts';

/** `schemakit group list`: the groups of the project with the number of their tools. */
export async function list(): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const { groups: all, defaultGroup = null } = settings;
  const counts = await withIndex(settings, (index) => countTools(settings, index));
  const groups = Object.fromEntries(
    [...all].map(([name, { description }]) => [name, { description, toolCount: counts.get(name) ?? 0 }]),
  );
  const rows = Object.entries(groups).map(([name, { description, toolCount }]) => [
    `${name}${name === defaultGroup ? ' (default)' : ''}`,
    String(toolCount),
    description,
  ]);
  return {
    document: { status: true, defaultGroup, groups },
    text: () =>
      rows.length === 0
        ? 'There are no groups. Activate a tool: schemakit add <tool>'
        : textTable(['Group', 'Tools', 'Description'], rows),
  };
}
