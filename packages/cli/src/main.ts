import { readFileSync } from 'node:fs';
import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
  run as runApplication,
} from '@stricli/core';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

const paths = {
  kind: 'array',
  minimum: 1,
  parameter: { brief: 'Schema files or folders', parse: String, placeholder: 'path' },
} as const;

const routes = buildRouteMap({
  routes: {
    run: buildCommand({
      loader: async () => (await import('./commands/run.ts')).run,
      parameters: { positional: paths, flags: {} },
      docs: {
        brief: 'Serve schemas as an MCP server over stdio',
        fullDescription: 'Serve schemas as an MCP server over stdio.\n\nExample: schemakit run ./schemas',
      },
    }),
    call: buildCommand({
      loader: async () => (await import('./commands/call.ts')).call,
      parameters: {
        positional: {
          kind: 'array',
          minimum: 1,
          parameter: {
            brief: 'A tool and its input as JSON, or list-tools and paths',
            parse: String,
            placeholder: 'argument',
          },
        },
        flags: {},
      },
      docs: {
        brief: 'Call a tool once, or list the tools of files and folders',
        fullDescription: [
          'Call a tool once: schemakit call <file>::tool::<name> [<json>]',
          'List tools: schemakit call list-tools <path>...',
          '',
          `Example: schemakit call garden.mjs::tool::searchPlants '{"q":"allium"}'`,
        ].join('\n'),
      },
    }),
    validate: buildCommand({
      loader: async () => (await import('./commands/validate.ts')).validate,
      parameters: {
        positional: paths,
        flags: { strict: { kind: 'boolean', brief: 'Treat warnings as errors', default: false } },
      },
      docs: {
        brief: 'Check schema files',
        fullDescription: 'Check schema files.\n\nExample: schemakit validate ./schemas',
      },
    }),
    demo: buildCommand({
      loader: async () => (await import('./commands/demo.ts')).demo,
      parameters: { flags: {} },
      docs: { brief: 'Start a small API, serve it over MCP and call its tools' },
    }),
  },
  docs: { brief: 'Describe a REST API once; get validated MCP tools.' },
});

const application: Application<CommandContext> = buildApplication(routes, {
  name: 'schemakit',
  versionInfo: { currentVersion: manifest.version },
  scanner: { caseStyle: 'allow-kebab-for-camel' },
});

/** Runs the command line; sets the exit status of the process: 2 where the words of the command are wrong. */
export async function run(args: readonly string[]): Promise<void> {
  endOnSignals();
  const { stdout, stderr, env } = process;
  const context = {
    process: { stdout, stderr, env } as {
      stdout: typeof stdout;
      stderr: typeof stderr;
      env: typeof env;
      exitCode?: number | string | null;
    },
  };
  await runApplication(application, args, context);
  // Stricli's own statuses are negative; a shell knows 0 to 255.
  const { exitCode } = context.process;
  if (exitCode) process.exitCode = Number(exitCode) < 0 ? 2 : Number(exitCode);
}

/**
 * Ends the process by `exit`, which ends handler hosts too: a host in a loop does not notice that we are gone. Statuses are
 * those of a shell, 128 and the number of the signal.
 */
function endOnSignals(): void {
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
  for (const [signal, number] of Object.entries(numbers)) process.once(signal, () => process.exit(128 + number));
}
