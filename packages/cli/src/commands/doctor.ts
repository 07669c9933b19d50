import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { command } from '../run-command.ts';
import { described } from './parameters.ts';

export function doctorCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('doctor', (await import('../settings/health-checks.ts')).doctor, output),
    parameters: {},
    docs: described('Check settings and this machine (no network access)', 'schemakit doctor'),
  });
}
