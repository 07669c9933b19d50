import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { described, envFileFlag } from './parameters.ts';

export const doctorCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('doctor', (await import('../settings/health-checks.ts')).doctor, output),
    parameters: { flags: { envFile: envFileFlag } },
    docs: described('Check settings and this machine (no network access)', 'schemakit doctor'),
  });
