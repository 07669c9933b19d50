import { defineCommand, type MakeCommand } from '../run-command.ts';
import { described, paths } from './parameters.ts';
import { servingFlags } from './serve/serving-flags.ts';

export const runCommand: MakeCommand = defineCommand('run', async () => (await import('./serve/serve-stdio.ts')).run, {
  parameters: { positional: paths, flags: servingFlags('silent') },
  docs: described('Serve tools as an MCP server over stdio', 'schemakit run catalog/frankfurter'),
});
