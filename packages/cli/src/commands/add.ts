import { appendToGroup, targetGroup } from '../groups/groups.ts';
import { filesOf, listGroup } from '../groups/list-group.ts';
import { includingReferences, resolveInIndex } from '../groups/references.ts';
import type { IndexedTool } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import { type CommandResult, failWith } from '../output/command-result.ts';
import { canAsk } from '../output/confirm.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { openSettings } from '../settings/open-settings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { described, tool } from './parameters.ts';

async function add(_flags: Record<never, never>, text: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  return withIndex(opened.settings, (index) => addTool(text, { index, settings: opened.settings }));
}

async function addTool(
  text: string,
  { index, settings }: { index: ToolIndex; settings: Settings },
): Promise<CommandResult> {
  const target = targetGroup(settings);
  if (!target.ok) return failWith([target.finding]);
  const { references, findings } = await resolveInIndex([text], { index, settings });
  if (findings.length > 0) return failWith(findings);
  const isActive = references.every((reference) =>
    includingReferences(reference, index).some((own) => target.group.tools.includes(own)),
  );
  if (!isActive) {
    const appended = await appendToGroup(settings, { name: target.name, references, index });
    if (!appended.ok) return failWith([appended.finding]);
  }
  const { tools } = listGroup({ tools: references }, { index, settings });
  if (canAsk()) {
    const { askForGrants } = await import('../sources/send-grants.ts');
    await askForGrants(filesOf(tools));
  }
  return addedResult(tools, { references, group: target.name, isActive });
}

function addedResult(
  tools: readonly IndexedTool[],
  { references, group, isActive }: { references: readonly string[]; group: string; isActive: boolean },
): CommandResult {
  const [tool] = tools;
  const isOne = tools.length === 1 && tool !== undefined;
  const added = isOne ? tool.name : references.join(', ');
  const message = isActive ? `${added} is already active.` : undefined;
  return {
    document: {
      status: true,
      ...{ added, group },
      ...(isOne ? { parameters: tool.parameters } : { tools: tools.map(({ name }) => name) }),
      message,
    },
    text: () => message ?? `Added ${added} to the group ${group}.`,
  };
}

export const addCommand: MakeCommand = defineCommand('add', () => add, {
  parameters: { positional: tool },
  docs: described('Activate a tool, or all tools of a schema', 'schemakit add frankfurter_getRates'),
});
