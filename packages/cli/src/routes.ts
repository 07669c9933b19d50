import { buildRouteMap, type CommandContext, type RouteMap } from '@stricli/core';
import type { MakeCommand, Output } from './run-command.ts';

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
const commands: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  init: async () => (await import('./commands/init.ts')).initCommand,
  status: async () => (await import('./commands/status.ts')).statusCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  mode: async () => (await import('./commands/mode.ts')).modeCommand,
  add: async () => (await import('./commands/add.ts')).addCommand,
  remove: async () => (await import('./commands/remove.ts')).removeCommand,
  list: async () => (await import('./commands/list.ts')).listCommand,
  group: async () => (await import('./commands/group.ts')).groupCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  schemas: async () => (await import('./commands/schemas.ts')).schemasCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  __complete: async () => (await import('./commands/completion.ts')).completeCommand(routes),
  import: async () => (await import('./commands/import.ts')).importCommand,
  'import-registry': async () => (await import('./commands/import.ts')).importRegistryCommand,
  update: async () => (await import('./commands/update.ts')).updateCommand,
  call: async () => (await import('./commands/call/call.ts')).callCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  inspect: async () => (await import('./commands/inspect.ts')).inspectCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  test: async () => (await import('./commands/test.ts')).testCommands,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  trust: async () => (await import('./commands/trust.ts')).trustCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
};
