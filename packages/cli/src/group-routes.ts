import { buildCommand, buildRouteMap, type CommandContext, type RouteMap } from '@stricli/core';
import { described, onePositional } from './parameters.ts';
import { command } from './run-command.ts';

const name = onePositional('The name of the group', 'name', {
  proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeGroups(),
});
const tools = {
  kind: 'parsed',
  parse: String,
  brief: 'Tools by name or reference, with commas between them',
  placeholder: 'tools',
  proposeCompletions: async (partial: string) =>
    (await import('./completion/propose-names.ts')).proposeToolList(partial),
} as const;

/** `schemakit group`: named collections of tools. */
export function groupRoutes(output: { isJson: boolean }): RouteMap<CommandContext> {
  return buildRouteMap({
    routes: {
      list: buildCommand({
        loader: async () => command('group list', (await import('./commands/group.ts')).list, output),
        parameters: {},
        docs: described('List the groups with the number of their tools', 'schemakit group list'),
      }),
      append: buildCommand({
        loader: async () => command('group append', (await import('./commands/group.ts')).append, output),
        parameters: {
          positional: name,
          flags: {
            tools,
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
        loader: async () => command('group remove', (await import('./commands/group.ts')).remove, output),
        parameters: { positional: name, flags: { tools } },
        docs: described('Take tools out of a group', 'schemakit group remove work --tools garden_searchPlants'),
      }),
      'set-default': buildCommand({
        loader: async () => command('group set-default', (await import('./commands/group.ts')).setDefault, output),
        parameters: { positional: name },
        docs: described('Set the group that commands use where none is named', 'schemakit group set-default work'),
      }),
    },
    docs: { brief: 'Collect tools in groups' },
  });
}
