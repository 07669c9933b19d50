import { buildCommand } from '@stricli/core';
import { openGroup } from '../groups/groups.ts';
import { filesOf, listGroup } from '../groups/list-group.ts';
import { withIndex } from '../index/open-index.ts';
import { type CommandResult, failWith } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { command, type MakeCommand } from '../run-command.ts';
import { nearestLockFile } from '../sources/lock-files.ts';
import { described, groupFlag, lockFlag } from './parameters.ts';

async function list({ group: named, lock }: { group?: string; lock?: string }): Promise<CommandResult> {
  const chosen = openGroup(named);
  if (!chosen.ok) return chosen.result;
  const { settings } = chosen;
  const isHeld = (lock ?? nearestLockFile() ?? nearestLockFile(settings.paths.home.schemas)) !== undefined;
  if (isHeld) {
    const { loadGroup } = await import('../groups/load-group.ts');
    const { refused } = await loadGroup(chosen.group, settings, { lock });
    // Do not show descriptions of schemas that changed since they were trusted.
    if (refused.length > 0) return failWith(refused);
  }
  const listed = await withIndex(settings, (index) => listGroup(chosen.group, { index, settings }));
  printFindings(listed.findings.filter(({ severity }) => severity === 'error'));
  const tools = listed.tools.map(({ name, description, tags, parameters }) => ({
    name,
    description,
    tags,
    parameters,
  }));
  const { needsGrants, waitingFindings, waitingSecrets } = await import('../sources/send-grants.ts');
  const waiting = waitingSecrets(filesOf(listed.tools), { lock });
  printFindings(waitingFindings(waiting));
  const rows = tools.map(({ name, description }) => [name, firstLine(description)]);
  return {
    document: { status: true, group: chosen.name, toolCount: tools.length, tools, ...needsGrants(waiting) },
    text: () =>
      rows.length === 0
        ? `The group ${chosen.name} has no tools. Find some: schemakit search <words>`
        : textTable(['Tool', 'Description'], rows),
  };
}

export const listCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('list', list, output),
    parameters: { flags: { group: groupFlag, lock: lockFlag } },
    docs: described('List active tools', 'schemakit list', 'schemakit list --group work'),
  });
