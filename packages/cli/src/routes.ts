import { buildCommand, buildRouteMap, type Command, type CommandContext, type RouteMap } from '@stricli/core';
import type { CompletionContext } from './completion/complete.ts';
import { groupRoutes } from './group-routes.ts';
import { inspectRoutes } from './inspect-routes.ts';
import {
  activeTool,
  described,
  groupFlag,
  isolationFlag,
  lockFlag,
  onePath,
  optionalPositional,
  paths,
  tool,
} from './parameters.ts';
import { command } from './run-command.ts';
import { searchRoutes } from './search-routes.ts';
import { serveRoutes } from './serve-routes.ts';
import { sourceRoutes } from './source-routes.ts';
import { testRoutes } from './test-routes.ts';

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
    init: () =>
      buildCommand({
        loader: async () => command('init', (await import('./commands/init.ts')).init, output),
        parameters: {
          flags: {
            yes: { kind: 'boolean', brief: 'Do not ask', default: false },
            import: { kind: 'boolean', brief: 'Copy the built-in catalog', default: true },
            registry: {
              kind: 'parsed',
              parse: String,
              optional: true,
              brief: 'A registry to import in place of the catalog',
              placeholder: 'url',
            },
            group: {
              kind: 'parsed',
              parse: String,
              brief: 'The default group',
              default: 'default',
              placeholder: 'name',
            },
          },
        },
        docs: described(
          'Set up the global folder and this project',
          'schemakit init',
          'schemakit init --yes --no-import',
          'schemakit init --yes --registry https://schemas.example.com/registry.json',
        ),
      }),
    status: () =>
      buildCommand({
        loader: async () => command('status', (await import('./commands/status.ts')).status, output),
        parameters: {},
        docs: described('Show settings, sources and groups, and what is wrong', 'schemakit status'),
      }),
    doctor: () =>
      buildCommand({
        loader: async () => command('doctor', (await import('./commands/doctor.ts')).doctor, output),
        parameters: {},
        docs: described('Check settings and this machine; the network is not tried', 'schemakit doctor'),
      }),
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
    ...sourceRoutes(output),
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
    ...inspectRoutes(output),
    validate: () =>
      buildCommand({
        loader: async () => command('validate', (await import('./commands/validate.ts')).validate, output),
        parameters: {
          positional: paths,
          flags: {
            strict: { kind: 'boolean', brief: 'Treat warnings as errors', default: false },
            format: {
              kind: 'enum',
              values: ['text', 'json', 'sarif'],
              optional: true,
              brief: 'How the result is written; by default text to a terminal and JSON to a program',
            },
            watch: { kind: 'boolean', brief: 'Check again whenever a file changes, until Ctrl-C', default: false },
            group: groupFlag,
            lock: lockFlag,
          },
        },
        docs: described(
          'Check schema files, or those of a group',
          'schemakit validate ./schemas',
          'schemakit validate ./schemas --strict --format sarif > schemas.sarif',
          'schemakit validate ./schemas --watch',
          'schemakit validate --group work',
        ),
      }),
    test: () => testRoutes(output),
    migrate: () =>
      buildCommand({
        loader: async () => command('migrate', (await import('./commands/migrate.ts')).migrate, output),
        parameters: {
          positional: onePath('A schema file, or a folder with --all'),
          flags: {
            all: { kind: 'boolean', brief: 'All .mjs files of a folder and below it', default: false },
            dryRun: { kind: 'boolean', brief: 'Write nothing; show what would change', default: false },
          },
        },
        docs: described(
          'Change schemas of format 2 to format 3, in place',
          'schemakit migrate shop.mjs',
          'schemakit migrate --all ./schemas --dry-run',
        ),
      }),
    trust: () =>
      buildCommand({
        loader: async () => command('trust', (await import('./commands/trust.ts')).trust, output),
        parameters: {
          positional: { ...paths, minimum: 1 },
          flags: {
            secret: {
              kind: 'parsed',
              parse: String,
              variadic: true,
              optional: true,
              brief: 'A secret whose value handlers may read',
              placeholder: 'name',
            },
            network: {
              kind: 'parsed',
              parse: String,
              variadic: true,
              optional: true,
              brief: 'An origin that handlers may reach, or any',
              placeholder: 'origin',
            },
            revoke: { kind: 'boolean', brief: 'Remove the entries, or the grants that are named', default: false },
            yes: { kind: 'boolean', brief: 'Do not ask', default: false },
            lock: lockFlag,
          },
        },
        docs: described(
          'Hold schemas to what they are now, and say what they may do',
          'schemakit trust shop.mjs --secret SHOP_KEY',
        ),
      }),
    demo: () =>
      buildCommand({
        // It shows what happens, and has no result.
        loader: async () => (await import('./commands/demo.ts')).demo,
        parameters: { flags: {} },
        docs: described('Start a small API, serve it over MCP and call its tools', 'schemakit demo'),
      }),
  };
}
