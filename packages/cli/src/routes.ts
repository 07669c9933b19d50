import { buildCommand, buildRouteMap, type Command, type CommandContext, type RouteMap } from '@stricli/core';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { importCommand, importRegistryCommand } from './commands/import.ts';
import { initCommand } from './commands/init.ts';
import { inspectCommand } from './commands/inspect.ts';
import { migrateCommand } from './commands/migrate.ts';
import { testCommands } from './commands/test.ts';
import { trustCommand } from './commands/trust.ts';
import { updateCommand } from './commands/update.ts';
import { validateCommand } from './commands/validate.ts';
import type { CompletionContext } from './completion/complete.ts';
import { groupRoutes } from './group-routes.ts';
import { activeTool, described, groupFlag, isolationFlag, lockFlag, optionalPositional, tool } from './parameters.ts';
import { command } from './run-command.ts';
import { searchRoutes } from './search-routes.ts';
import { serveRoutes } from './serve-routes.ts';

/** Makes the routes of a command, or of those that follow its word. */
type RoutesMaker = () => Command<CommandContext> | RouteMap<CommandContext>;

/** The commands with their flags, arguments and help. Their code is loaded when they are called. */
export function routes(output: { isJson: boolean }): RouteMap<CommandContext> {
  return buildRouteMap({
    routes: Object.fromEntries(Object.entries(routesMakers(output)).map(([name, make]) => [name, make()])),
    docs: {
      brief: 'Describe a REST API once; get validated MCP tools.',
      hideRoute: { __complete: true },
      fullDescription: [
        'Describe a REST API once; get validated MCP tools.',
        '',
        'Every command takes --cwd <dir>, the folder of the project, and --json, for JSON on a terminal too.',
      ].join('\n'),
    },
  });
}

function routesMakers(output: { isJson: boolean }): Readonly<Record<string, RoutesMaker>> {
  return {
    init: () => initCommand(output),
    status: () =>
      buildCommand({
        loader: async () => command('status', (await import('./commands/status.ts')).status, output),
        parameters: {},
        docs: described('Show settings, sources and groups, and what is wrong', 'schemakit status'),
      }),
    doctor: () => doctorCommand(output),
    mode: () =>
      buildCommand({
        loader: async () => command('mode', (await import('./commands/mode.ts')).mode, output),
        parameters: {
          positional: optionalPositional('agent or dev', 'mode', { proposeCompletions: () => ['agent', 'dev'] }),
        },
        docs: described('Show or set the mode of the project', 'schemakit mode', 'schemakit mode dev'),
      }),
    add: () =>
      buildCommand({
        loader: async () => command('add', (await import('./commands/add.ts')).add, output),
        parameters: { positional: tool },
        docs: described(
          'Activate a tool in the default group',
          'schemakit add garden_searchPlants',
          'schemakit add catalog/demo/garden.mjs',
        ),
      }),
    remove: () =>
      buildCommand({
        loader: async () => command('remove', (await import('./commands/remove.ts')).remove, output),
        parameters: { positional: activeTool },
        docs: described('Deactivate a tool in the default group', 'schemakit remove garden_searchPlants'),
      }),
    list: () =>
      buildCommand({
        loader: async () => command('list', (await import('./commands/list.ts')).list, output),
        parameters: { flags: { group: groupFlag, lock: lockFlag } },
        docs: described('List the active tools with their parameters', 'schemakit list', 'schemakit list --group work'),
      }),
    group: () => groupRoutes(output),
    ...searchRoutes(output),
    import: () => importCommand(output),
    'import-registry': () => importRegistryCommand(output),
    update: () => updateCommand(output),
    call: () =>
      buildCommand({
        loader: async () => command('call', (await import('./commands/call/call.ts')).call, output),
        parameters: {
          positional: {
            kind: 'array',
            minimum: 1,
            parameter: {
              brief: 'A tool and its input: JSON, @file, - or key=value; or list-tools and paths',
              parse: String,
              placeholder: 'argument',
              async proposeCompletions(this: CompletionContext, partial: string) {
                return (await import('./completion/propose-names.ts')).proposeCallWords(this.words ?? [], partial);
              },
            },
          },
          flags: {
            dryRun: { kind: 'boolean', brief: 'Send nothing; show the request, without secrets', default: false },
            curl: { kind: 'boolean', brief: 'Send nothing; show the request as a curl command', default: false },
            select: {
              kind: 'parsed',
              parse: String,
              optional: true,
              brief: 'Show what a JMESPath expression selects from the answer',
              placeholder: 'expression',
            },
            cache: { kind: 'boolean', brief: 'Use kept answers of tools with preload', default: true },
            refresh: { kind: 'boolean', brief: 'Ask the API, and keep its new answer', default: false },
            group: groupFlag,
            lock: lockFlag,
            isolation: isolationFlag,
          },
        },
        docs: described(
          'Call a tool once, or list the tools of a group, files or folders',
          'schemakit call garden_searchPlants q=allium',
          `schemakit call garden_searchPlants '{"q":"allium"}' --select 'plants[].name'`,
          'schemakit call garden_searchPlants @input.json --dry-run',
          'schemakit call garden_searchPlants q=allium --curl',
          `schemakit call garden.mjs::tool::searchPlants '{"q":"allium"}'`,
          'schemakit call list-tools',
          'schemakit call list-tools ./schemas',
        ),
      }),
    ...serveRoutes(output),
    inspect: () => inspectCommand(output),
    validate: () => validateCommand(output),
    test: () => testCommands(output),
    migrate: () => migrateCommand(output),
    trust: () => trustCommand(output),
    demo: () => demoCommand(),
  };
}
