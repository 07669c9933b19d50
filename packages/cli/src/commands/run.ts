import { buildCommand } from '@stricli/core';
import { described, paths } from '../parameters.ts';
import { command, type MakeCommand } from '../run-command.ts';
import { servingFlags } from '../serving/serving-flags.ts';

/** `schemakit run [<path>...] [--group <name>]`. Its server is loaded when it runs. */
export const runCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('run', (await import('../serving/serve-stdio.ts')).run, output),
    parameters: { positional: paths, flags: servingFlags('silent') },
    docs: described(
      'Serve a group, or schemas, as an MCP server over stdio',
      'schemakit run',
      'schemakit run --group work',
      'schemakit run ./schemas --discovery search',
    ),
  });
