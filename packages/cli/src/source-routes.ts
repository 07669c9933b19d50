import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { described, onePositional, optionalPositional } from './parameters.ts';
import { command } from './run-command.ts';

const name = {
  kind: 'parsed',
  parse: String,
  optional: true,
  brief: 'The name of the source, and of its folder; by default its own',
  placeholder: 'name',
} as const;
const dryRun = {
  kind: 'boolean',
  brief: 'Write nothing; show what would become of each file',
  default: false,
} as const;

/** The commands that bring in schemas of others, and keep them up to date. */
export function sourceRoutes(output: {
  isJson: boolean;
}): Record<'import' | 'import-registry' | 'update', () => Command<CommandContext>> {
  return {
    import: () =>
      buildCommand({
        loader: async () => command('import', (await import('./commands/import.ts')).importSchemas, output),
        parameters: {
          positional: onePositional('A repository, an archive, a registry or a folder', 'url'),
          flags: {
            branch: {
              kind: 'parsed',
              parse: String,
              optional: true,
              brief: 'A branch, a tag or a commit of a repository; by default the branch that it names',
              placeholder: 'name',
            },
            name,
            dryRun,
          },
        },
        docs: described(
          'Import schemas from a repository, an archive, a registry or a folder',
          'schemakit import https://github.com/example/tides',
          'schemakit import https://github.com/example/tides --branch next --dry-run',
          'schemakit import git@git.example.com:team/tides.git',
          'schemakit import ./tides-1.0.tar.gz --name tides',
        ),
      }),
    'import-registry': () =>
      buildCommand({
        loader: async () =>
          command('import-registry', (await import('./commands/import-registry.ts')).importFromRegistry, output),
        parameters: {
          positional: onePositional('The address of the JSON file of a registry', 'url'),
          flags: { name, dryRun },
        },
        docs: described(
          'Import the schemas that a registry on the web lists',
          'schemakit import-registry https://schemas.example.com/registry.json',
        ),
      }),
    update: () =>
      buildCommand({
        loader: async () => command('update', (await import('./commands/update.ts')).update, output),
        parameters: {
          positional: optionalPositional('The name of a source; by default all', 'source'),
          flags: { dryRun },
        },
        docs: described(
          'Bring in what changed in imported sources',
          'schemakit update',
          'schemakit update tides --dry-run',
        ),
      }),
  };
}
