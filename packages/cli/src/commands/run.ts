import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { described, paths } from './parameters.ts';
import { servingFlags } from './serve/serving-flags.ts';

export const runCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('run', (await import('./serve/serve-stdio.ts')).run, output),
    parameters: { positional: paths, flags: servingFlags('silent') },
    docs: described('Serve tools as an MCP server over stdio', 'schemakit run catalog/frankfurter'),
  });
