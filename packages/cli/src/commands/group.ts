import { buildCommand, buildRouteMap } from '@stricli/core';
import { appendToGroup, groupOf, splitReferences } from '../groups/groups.ts';
import { countTools } from '../groups/list-group.ts';
import { resolveReferences } from '../groups/references.ts';
import { removeFromGroup } from '../groups/remove-from-group.ts';
import { withIndex } from '../index/open-index.ts';
import { openSettings } from '../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import { counted } from '../output/counted.ts';
import { textTable } from '../output/text-table.ts';
import { described, onePositional } from '../parameters.ts';
import { command, type MakeCommand } from '../run-command.ts';
import { isGroupName } from '../settings/config.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { writeConfig } from '../settings/write-settings.ts';

/** `schemakit group append <name> --tools "<references>"`: adds tools to a group, and makes the group where there is none. */
async function append(
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

/** `schemakit group list`: the groups of the project with the number of their tools. */
async function list(): Promise<CommandResult> {
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

/** `schemakit group remove <name> --tools "<references>"`: takes tools out of a group. A group without tools stays. */
async function remove({ tools }: { tools: string }, name: string): Promise<CommandResult> {
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

/** `schemakit group set-default <name>`: the group that commands use where none is named. */
async function setDefault(_flags: Record<never, never>, name: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const chosen = groupOf(opened.settings, name);
  if (!chosen.ok) return failedOver([chosen.finding]);
  const written = await writeConfig(opened.settings.paths.project, (fields) => ({ ...fields, defaultGroup: name }));
  if (!written.ok) return failedOver([written.finding]);
  return { document: { status: true, defaultGroup: name }, text: () => `The default group is ${name}.` };
}

const nameOfGroup = onePositional('The name of the group', 'name', {
  proposeCompletions: async () => (await import('../completion/propose-names.ts')).proposeGroups(),
});
const toolsFlag = {
  kind: 'parsed',
  parse: String,
  brief: 'Tools by name or reference, with commas between them',
  placeholder: 'tools',
  proposeCompletions: async (partial: string) =>
    (await import('../completion/propose-names.ts')).proposeToolList(partial),
} as const;

/** `schemakit group`: named collections of tools. */
export const groupCommand: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      list: buildCommand({
        loader: async () => command('group list', list, output),
        parameters: {},
        docs: described('List the groups with the number of their tools', 'schemakit group list'),
      }),
      append: buildCommand({
        loader: async () => command('group append', append, output),
        parameters: {
          positional: nameOfGroup,
          flags: {
            tools: toolsFlag,
            description: {
              kind: 'parsed',
              parse: String,
              optional: true,
              brief: 'What the group is for',
              placeholder: 'text',
            },
          },
        },
        docs: described(
          'Add tools to a group, and make it if it is new',
          'schemakit group append work --tools "garden_searchPlants, catalog/etcd/etcd.mjs"',
        ),
      }),
      remove: buildCommand({
        loader: async () => command('group remove', remove, output),
        parameters: { positional: nameOfGroup, flags: { tools: toolsFlag } },
        docs: described('Take tools out of a group', 'schemakit group remove work --tools garden_searchPlants'),
      }),
      'set-default': buildCommand({
        loader: async () => command('group set-default', setDefault, output),
        parameters: { positional: nameOfGroup },
        docs: described('Set the group that commands use where none is named', 'schemakit group set-default work'),
      }),
    },
    docs: { brief: 'Collect tools in groups' },
  });
