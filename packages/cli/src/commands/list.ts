import type { ServedTool } from '@schemakit/server';
import { openGroup } from '../groups/groups.ts';
import { filesOf, listGroup } from '../groups/list-group.ts';
import type { IndexedTool } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import { type CommandResult, failWith } from '../output/command-result.ts';
import { printErrors, printFindings } from '../output/print-findings.ts';
import { printable } from '../output/terminal-text.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { importedFrom, nearestLockFile } from '../sources/lock-files.ts';
import { parametersText } from './describe/parameters-text.ts';
import { described, groupFlag, lockFlag, yesNo } from './parameters.ts';

interface ListFlags {
  group?: string;
  lock?: string;
  long: boolean;
}

async function list({ group: named, lock, long }: ListFlags): Promise<CommandResult> {
  const chosen = openGroup(named);
  if (!chosen.ok) return chosen.result;
  const { settings } = chosen;
  const isHeld = (lock ?? nearestLockFile() ?? nearestLockFile(settings.paths.home.schemas)) !== undefined;
  if (isHeld) {
    const { loadGroup } = await import('../groups/load-group.ts');
    const { refused } = await loadGroup(chosen.group, settings, { lock, asks: false });
    // Do not show descriptions of schemas that changed since they were trusted.
    if (refused.length > 0) return failWith(refused);
  }
  const listed = await withIndex(settings, (index) => {
    const { tools, ...more } = listGroup(chosen.group, { index, settings });
    return { ...more, tools: tools.map((tool) => ({ ...tool, listing: index.listing(tool.reference) })) };
  });
  printErrors(listed.findings);
  const tools = listed.tools.map(({ name, description, tags, parameters }) => ({
    name,
    description,
    tags,
    parameters,
  }));
  const grants = await grantsOf(filesOf(listed.tools), lock);
  const prompts = listed.prompts.map(({ name, type, description }) => ({ name, type, description }));
  const withType = prompts.map(({ name, type, description }) => ({ name: `${name} (${type})`, description }));
  const rows = [...tools, ...withType].map(({ name, description }) => [name, firstLine(description)]);
  return {
    document: {
      status: true,
      group: chosen.name,
      toolCount: tools.length,
      tools,
      ...(prompts.length > 0 && { prompts }),
      ...grants,
    },
    text: () =>
      rows.length === 0
        ? `The group ${chosen.name} has no tools. Find some: schemakit search <words>`
        : long
          ? longText(listed.tools, prompts)
          : textTable(['Tool', 'Description'], rows),
  };
}

/** Names the grants that imported schemas lack. The library is loaded only where there are some. */
async function grantsOf(files: readonly string[], lock: string | undefined): Promise<object> {
  if (!files.some((file) => importedFrom(file) !== undefined)) return {};
  const { missingGrants, needsGrants, waitingFindings } = await import('../sources/send-grants.ts');
  const waiting = await missingGrants(files, { lock });
  printFindings(waitingFindings(waiting));
  return needsGrants(waiting);
}

interface LongTool extends IndexedTool {
  listing: ServedTool['listing'] | undefined;
}

function longText(
  tools: readonly LongTool[],
  prompts: readonly { name: string; type: string; description: string }[],
): string {
  const shown = [
    ...tools.map(({ name, description, listing }) => [
      printable(`${name}: ${firstLine(description)}`),
      ...(listing === undefined ? [] : parametersText(listing.inputSchema)),
    ]),
    ...prompts.map(({ name, type, description }) => [printable(`${name} (${type}): ${firstLine(description)}`)]),
  ];
  return shown.map((lines) => lines.join('\n')).join('\n\n');
}

export const listCommand: MakeCommand = defineCommand('list', () => list, {
  parameters: {
    flags: { group: groupFlag, long: yesNo('Show the parameters as well'), lock: lockFlag },
    aliases: { l: 'long' },
  },
  docs: described('List active tools and prompts', 'schemakit list --long'),
});
