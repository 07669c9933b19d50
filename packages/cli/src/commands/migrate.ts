import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { described, onePath, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

/** `schemakit migrate <path>`: format 2 becomes format 3, in place. */
export function migrateCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('migrate', (await import('../migration/migrate-files.ts')).migrate, output),
    parameters: {
      positional: onePath('A schema file, or a folder with --all'),
      flags: {
        all: yesNo('All .mjs files of a folder and below it'),
        dryRun: yesNo('Write nothing; show what would change'),
      },
    },
    docs: described(
      'Change schemas of format 2 to format 3, in place',
      'schemakit migrate shop.mjs',
      'schemakit migrate --all ./schemas --dry-run',
    ),
  });
}
