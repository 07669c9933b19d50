import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { described } from './parameters.ts';

export const doctorCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('doctor', (await import('../settings/health-checks.ts')).doctor, output),
    parameters: {},
    docs: described('Check settings and this machine (no network access)', 'schemakit doctor'),
  });
