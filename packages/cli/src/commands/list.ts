import type { Finding } from '@schemakit/core';
import { buildCommand } from '@stricli/core';
import { groupOf } from '../groups/groups.ts';
import { listGroup } from '../groups/list-group.ts';
import { withIndex } from '../index/open-index.ts';
import { openSettings } from '../open-settings.ts';
import { type CommandResult, failedOver } from '../output/command-result.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { described, groupFlag, lockFlag } from '../parameters.ts';
import { printFindings } from '../print-findings.ts';
import { command, type MakeCommand } from '../run-command.ts';
import type { Group } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { nearestLockFile } from '../sources/lock-files.ts';

/** `schemakit list`: the active tools, which are those of the default group. */
async function list({ group: named, lock }: { group?: string; lock?: string }): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const chosen = groupOf(settings, named);
  if (!chosen.ok) return failedOver([chosen.finding]);
  const isHeld = (lock ?? nearestLockFile() ?? nearestLockFile(settings.paths.home.schemas)) !== undefined;
  const refused = isHeld ? await refusedByLock(chosen.group, settings, lock) : [];
  if (refused.length > 0) return failedOver(refused);
  const listed = await withIndex(settings, (index) => listGroup(chosen.group, { index, settings }));
  printFindings(listed.findings.filter(({ severity }) => severity === 'error'));
  const tools = listed.tools.map(({ name, description, tags, parameters }) => ({
    name,
    description,
    tags,
    parameters,
  }));
  const rows = tools.map(({ name, description }) => [name, firstLine(description)]);
  return {
    document: { status: true, group: chosen.name, toolCount: tools.length, tools },
    text: () =>
      rows.length === 0
        ? `The group ${chosen.name} has no tools. Find some: schemakit search <words>`
        : textTable(['Tool', 'Description'], rows),
  };
}

/** What schemas say that are not those that were trusted is not shown. Only then they have to be read. */
async function refusedByLock(group: Group, settings: Settings, lock: string | undefined): Promise<readonly Finding[]> {
  const { loadGroup } = await import('../groups/load-group.ts');
  return (await loadGroup(group, settings, { lock })).refused;
}

export const listCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('list', list, output),
    parameters: { flags: { group: groupFlag, lock: lockFlag } },
    docs: described('List the active tools with their parameters', 'schemakit list', 'schemakit list --group work'),
  });
