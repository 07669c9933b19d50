import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../../run-command.ts';
import { described, lockFlag, onePositional } from '../parameters.ts';

export const describeCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('describe', (await import('./describe-name.ts')).describe, output),
    parameters: {
      positional: onePositional('Name, reference or file of a tool, schema, list, prompt, skill or agent', 'name', {
        proposeCompletions: async (partial) => (await import('../completion/propose-names.ts')).proposeTools(partial),
      }),
      flags: { lock: lockFlag },
    },
    docs: described(
      'Show what a model sees: a tool, schema, list, prompt, skill or agent',
      'schemakit describe frankfurter_getRates',
    ),
  });
