import { buildCommand, buildRouteMap, type CommandContext, type RouteMap } from '@stricli/core';
import { described, groupFlag, lockFlag, onePath, paths } from './parameters.ts';
import { command, type MakeRoute, type Output } from './run-command.ts';

/**
 * The commands with their flags, arguments and help.
 *
 * @param first The first word of the command line: where it is a command, only that one is loaded.
 */
export async function routes(output: Output, first = ''): Promise<RouteMap<CommandContext>> {
  const names = Object.hasOwn(commands, first) ? [first] : Object.keys(commands);
  const made = await Promise.all(names.map(async (name) => [name, (await commands[name]?.())?.(output)] as const));
  return buildRouteMap({
    routes: Object.fromEntries(made.flatMap(([name, route]) => (route === undefined ? [] : [[name, route]]))),
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

/** In the order of the help. */
const commands: Readonly<Record<string, () => Promise<MakeRoute>>> = {
  init: async () => init,
  status: async () => (await import('./commands/status.ts')).statusRoute,
  doctor: async () => (await import('./commands/doctor.ts')).doctorRoute,
  mode: async () => (await import('./commands/mode.ts')).modeRoute,
  add: async () => (await import('./commands/add.ts')).addRoute,
  remove: async () => (await import('./commands/remove.ts')).removeRoute,
  list: async () => (await import('./commands/list.ts')).listRoute,
  group: async () => (await import('./commands/group.ts')).groupRoute,
  search: async () => (await import('./commands/search.ts')).searchRoute,
  schemas: async () => (await import('./commands/schemas.ts')).schemasRoute,
  completion: async () => (await import('./commands/completion.ts')).completionRoute,
  __complete: async () => (await import('./commands/completion.ts')).completeRoute(routes),
  import: async () => {
    const { sourceRoutes } = await import('./source-routes.ts');
    return (output) => sourceRoutes(output).import();
  },
  'import-registry': async () => {
    const { sourceRoutes } = await import('./source-routes.ts');
    return (output) => sourceRoutes(output)['import-registry']();
  },
  update: async () => {
    const { sourceRoutes } = await import('./source-routes.ts');
    return (output) => sourceRoutes(output).update();
  },
  call: async () => (await import('./commands/call/call.ts')).callRoute,
  run: async () => (await import('./commands/run.ts')).runRoute,
  serve: async () => (await import('./commands/serve.ts')).serveRoute,
  inspect: async () => {
    const { inspectRoutes } = await import('./inspect-routes.ts');
    return (output) => inspectRoutes(output).inspect();
  },
  validate: async () => validate,
  test: async () => (await import('./test-routes.ts')).testRoutes,
  migrate: async () => migrate,
  trust: async () => trust,
  demo: async () => (await import('./commands/demo.ts')).demoRoute,
};

const init: MakeRoute = (output) =>
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
  });

const validate: MakeRoute = (output) =>
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
  });

const migrate: MakeRoute = (output) =>
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
  });

const trust: MakeRoute = (output) =>
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
  });
