import { buildRouteMap } from '@stricli/core';
import { appendToGroup, openGroup, splitReferences } from '../../groups/groups.ts';
import { countTools, shownReferences } from '../../groups/list-group.ts';
import { resolveInIndex } from '../../groups/references.ts';
import { removeFromGroup } from '../../groups/remove-from-group.ts';
import { withIndex } from '../../index/open-index.ts';
import { type CommandResult, failWith, usageError } from '../../output/command-result.ts';
import { counted } from '../../output/terminal-text.ts';
import { textTable } from '../../output/text-table.ts';
import { defineCommand, type MakeCommand } from '../../run-command.ts';
import { isGroupName } from '../../settings/config.ts';
import { openSettings } from '../../settings/open-settings.ts';
import { settingsFinding } from '../../settings/settings-codes.ts';
import { moveGroup, writeConfig } from '../../settings/write-settings.ts';
import { anyText, described, onePositional, yesNo } from '../parameters.ts';

async function append(
  { tools, description }: { tools: string; description?: string },
  name: string,
): Promise<CommandResult> {
  const problem = nameProblem(name);
  if (problem !== undefined) return problem;
  const texts = splitReferences(tools);
  if (texts.length === 0) return usageError('--tools is empty.', 'Write --tools "<tool>,<tool>".');
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  return withIndex(settings, async (index) => {
    const { references, findings } = await resolveInIndex(texts, { index, settings });
    // All or nothing.
    if (findings.length > 0) return failWith(findings);
    const appended = await appendToGroup(settings, { name, references, description, index });
    if (!appended.ok) return failWith([appended.finding]);
    const { group, toolCount, added, isDefault } = appended;
    const what = added.length === 0 ? 'Nothing new for' : `Added ${shownReferences(added, index).join(', ')} to`;
    return {
      document: { status: true, group: name, toolCount, tools: group.tools, added, isDefault },
      text: () => `${what} ${name}, which now has ${counted(toolCount, 'tool')}.`,
    };
  });
}

function nameProblem(name: string): CommandResult | undefined {
  if (isGroupName(name)) return undefined;
  const hint =
    'Use at most 64 letters, digits, ".", "_" and "-", beginning with a letter or digit. Device names such as "con" are not allowed.';
  return failWith([settingsFinding('SET008', `"${name}" is not a valid group name`, { hint })]);
}

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
        ? 'No groups yet. Activate a tool: schemakit add <tool>'
        : textTable(['Group', 'Tools', 'Description'], rows),
  };
}

/** `schemakit group remove <name> --tools "<references>"`: removes tools from a group. An empty group stays. */
async function remove({ tools }: { tools: string }, name: string): Promise<CommandResult> {
  const texts = splitReferences(tools);
  if (texts.length === 0) return usageError('--tools is empty.', 'Write --tools "<tool>,<tool>".');
  const chosen = openGroup(name);
  if (!chosen.ok) return chosen.result;
  const outcome = await removeFromGroup(chosen.settings, { ...chosen, texts });
  if (outcome.findings.length > 0) return failWith(outcome.findings);
  const { group, toolCount, removed, shown } = outcome;
  return {
    document: { status: true, group: name, toolCount, tools: group.tools, removed },
    text: () => `Removed ${shown.join(', ')} from ${name}, which now has ${counted(toolCount, 'tool')}.`,
  };
}

/** `schemakit group delete <name>`: removes the list, not the schemas. What it listed is shown, so that it can be made again. */
async function deleteGroup({ yes }: { yes: boolean }, name: string): Promise<CommandResult> {
  const chosen = openGroup(name);
  if (!chosen.ok) return chosen.result;
  const { settings, group } = chosen;
  const wasDefault = settings.defaultGroup === name;
  if (wasDefault && !yes) {
    const fix = 'Choose another one first: schemakit group set-default <name>. Or add --yes to have none.';
    return usageError(`${name} is the default group.`, fix);
  }
  const deleted = await moveGroup(settings.paths, name, { group });
  if (!deleted.ok) return failWith([deleted.finding]);
  const { tools } = group;
  const shown = await withIndex(settings, async (index) => shownReferences(tools, index));
  return {
    document: { status: true, deleted: name, description: group.description, tools, wasDefault },
    text: () => `Deleted the group ${name}${tools.length === 0 ? ', which was empty' : `: ${shown.join(', ')}`}.`,
  };
}

async function rename(_flags: Record<never, never>, name: string, to: string): Promise<CommandResult> {
  const chosen = openGroup(name);
  if (!chosen.ok) return chosen.result;
  const { settings, group } = chosen;
  const problem = nameProblem(to);
  if (problem !== undefined) return problem;
  const taken = [...settings.groups.keys()].find((other) => other.toLowerCase() === to.toLowerCase());
  if (taken !== undefined) return usageError(`There already is a group ${taken}.`, 'Choose another name.');
  const renamed = await moveGroup(settings.paths, name, { group, to });
  if (!renamed.ok) return failWith([renamed.finding]);
  const isDefault = settings.defaultGroup === name;
  return {
    document: { status: true, renamed: name, group: to, isDefault },
    text: () => `Renamed the group ${name} to ${to}${isDefault ? ', which is the default group' : ''}.`,
  };
}

async function setDefault(_flags: Record<never, never>, name: string): Promise<CommandResult> {
  const chosen = openGroup(name);
  if (!chosen.ok) return chosen.result;
  const written = await writeConfig(chosen.settings.paths.project, (fields) => ({ ...fields, defaultGroup: name }));
  if (!written.ok) return failWith([written.finding]);
  return { document: { status: true, defaultGroup: name }, text: () => `Default group: ${name}` };
}

const nameOfGroup = onePositional('Name of the group', 'name', {
  proposeCompletions: async () => (await import('../completion/propose-names.ts')).proposeGroups(),
});
const twoNames = {
  kind: 'tuple',
  parameters: [nameOfGroup.parameters[0], { brief: 'New name', placeholder: 'new', parse: String, optional: false }],
} as const;
const toolsFlag = {
  kind: 'parsed',
  parse: String,
  brief: 'Names or references of tools, separated by commas',
  placeholder: 'tools',
  proposeCompletions: async (partial: string) =>
    (await import('../completion/propose-names.ts')).proposeToolList(partial),
} as const;

export const groupCommand: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      list: defineCommand('group list', () => list, {
        parameters: {},
        docs: described('List groups and their number of tools', 'schemakit group list'),
      })(output),
      append: defineCommand('group append', () => append, {
        parameters: {
          positional: nameOfGroup,
          flags: {
            tools: toolsFlag,
            description: anyText('Description of the group', 'text'),
          },
        },
        docs: described(
          'Add tools to a group; create the group if needed',
          'schemakit group append work --tools "frankfurter_getRates, catalog/openmeteo/openmeteo.mjs"',
        ),
      })(output),
      remove: defineCommand('group remove', () => remove, {
        parameters: { positional: nameOfGroup, flags: { tools: toolsFlag } },
        docs: described('Remove tools from a group', 'schemakit group remove work --tools frankfurter_getRates'),
      })(output),
      delete: defineCommand('group delete', () => deleteGroup, {
        parameters: { positional: nameOfGroup, flags: { yes: yesNo('Delete the default group, too') } },
        docs: described('Delete a group; its schemas stay', 'schemakit group delete work'),
      })(output),
      rename: defineCommand('group rename', () => rename, {
        parameters: { positional: twoNames },
        docs: described('Rename a group', 'schemakit group rename work office'),
      })(output),
      'set-default': defineCommand('group set-default', () => setDefault, {
        parameters: { positional: nameOfGroup },
        docs: described('Set the default group', 'schemakit group set-default work'),
      })(output),
    },
    docs: { brief: 'Manage groups of tools' },
  });
