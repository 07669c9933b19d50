import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { described } from '../parameters.ts';
import { command } from '../run-command.ts';

/** `schemakit doctor`: what `status` looks at, and whether this machine can run handlers. */
export function doctorCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('doctor', (await import('../settings/health-checks.ts')).doctor, output),
    parameters: {},
    docs: described('Check settings and this machine; the network is not tried', 'schemakit doctor'),
  });
}
