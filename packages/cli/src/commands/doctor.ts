import { defineCommand, type MakeCommand } from '../run-command.ts';
import { described, envFileFlag } from './parameters.ts';

export const doctorCommand: MakeCommand = defineCommand(
  'doctor',
  async () => (await import('../settings/health-checks.ts')).doctor,
  {
    parameters: { flags: { envFile: envFileFlag } },
    docs: described('Check settings and this machine (no network access)', 'schemakit doctor'),
  },
);
