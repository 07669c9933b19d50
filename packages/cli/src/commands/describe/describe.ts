import { defineCommand, type MakeCommand } from '../../run-command.ts';
import { described, lockFlag, onePositional } from '../parameters.ts';

export const describeCommand: MakeCommand = defineCommand(
  'describe',
  async () => (await import('./describe-name.ts')).describe,
  {
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
  },
);
