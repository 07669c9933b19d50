import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { described, groupFlag, lockFlag, paths, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

/** `schemakit validate [<path>...] [--group <name>]`: checks schema files. */
export function validateCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('validate', (await import('../testing/validate-files.ts')).validate, output),
    parameters: {
      positional: paths,
      flags: {
        strict: yesNo('Treat warnings as errors'),
        format: {
          kind: 'enum',
          values: ['text', 'json', 'sarif'],
          optional: true,
          brief: 'How the result is written; by default text to a terminal and JSON to a program',
        },
        watch: yesNo('Check again whenever a file changes, until Ctrl-C'),
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
}
