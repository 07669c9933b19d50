import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { described, paths } from './parameters.ts';
import { listenFlags } from './serve/listen-flags.ts';
import { servingFlags } from './serve/serving-flags.ts';

export const serveCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('serve', (await import('./serve/serve-http.ts')).serve, output),
    parameters: { positional: paths, flags: { ...servingFlags('info'), ...listenFlags } },
    docs: described('Serve tools as an MCP server over HTTP', 'schemakit serve catalog/frankfurter --port 3000'),
  });
