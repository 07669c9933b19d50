import { buildCommand, buildRouteMap } from '@stricli/core';
import { appendToGroup, openGroup, splitReferences } from '../groups/groups.ts';
import { countTools } from '../groups/list-group.ts';
import { resolveReferences } from '../groups/references.ts';
import { removeFromGroup } from '../groups/remove-from-group.ts';
import { withIndex } from '../index/open-index.ts';
import { type CommandResult, failWith, usageError } from '../output/command-result.ts';
import { counted } from '../output/terminal-text.ts';
import { textTable } from '../output/text-table.ts';
import { command, type MakeCommand } from '../run-command.ts';
import { isGroupName } from '../settings/config.ts';
import { openSettings } from '../settings/open-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { writeConfig } from '../settings/write-settings.ts';
import { anyText, described, onePositional } from './parameters.ts';

async function append(
  { tools, description }: { tools: string; description?: string },
  name: string,
): Promise<CommandResult> {
  if (!isGroupName(name)) {
    const hint =
      'Use at most 64 letters, digits, ".", "_" and "-", beginning with a letter or digit. Device names such as "con" are not allowed.';
    return failWith([settingsFinding('SET008', `"${name}" is not a valid group name`, { hint })]);
  }
  const texts = splitReferences(tools);
  if (texts.length === 0) return usageError('--tools is empty.', 'Write --tools "<tool>,<tool>".');
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { references, findings } = await resolveReferences(texts, opened.settings);
  // All or nothing.
  if (findings.length > 0) return failWith(findings);
  const appended = await appendToGroup(opened.settings, { name, references, description });
  if (!appended.ok) return failWith([appended.finding]);
  const { group, added, isDefault } = appended;
  return {
    document: { status: true, group: name, toolCount: group.tools.length, tools: group.tools, added, isDefault },
    text: () => `Added ${counted(added.length, 'reference')} to ${name}, which now has ${group.tools.length}.`,
  };
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
  const { group, removed } = outcome;
  return {
    document: { status: true, group: name, toolCount: group.tools.length, tools: group.tools, removed },
    text: () => `Removed from ${name}: ${removed.join(', ')}`,
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
  proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeGroups(),
});
const toolsFlag = {
  kind: 'parsed',
  parse: String,
  brief: 'Names or references of tools, separated by commas',
  placeholder: 'tools',
  proposeCompletions: async (partial: string) =>
    (await import('./completion/propose-names.ts')).proposeToolList(partial),
} as const;

export const groupCommand: MakeCommand = (output) =>
  buildRouteMap({
    routes: {
      list: buildCommand({
        loader: async () => command('group list', list, output),
        parameters: {},
        docs: described('List groups and their number of tools', 'schemakit group list'),
      }),
      append: buildCommand({
        loader: async () => command('group append', append, output),
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
      }),
      remove: buildCommand({
        loader: async () => command('group remove', remove, output),
        parameters: { positional: nameOfGroup, flags: { tools: toolsFlag } },
        docs: described('Remove tools from a group', 'schemakit group remove work --tools frankfurter_getRates'),
      }),
      'set-default': buildCommand({
        loader: async () => command('group set-default', setDefault, output),
        parameters: { positional: nameOfGroup },
        docs: described('Set the default group', 'schemakit group set-default work'),
      }),
    },
    docs: { brief: 'Manage groups of tools' },
  });
