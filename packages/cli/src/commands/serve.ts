import { defineCommand, type MakeCommand } from '../run-command.ts';
import { described, paths, textFlag, textsFlag } from './parameters.ts';
import { listenFlags } from './serve/listen-flags.ts';
import { servingFlags } from './serve/serving-flags.ts';

export const serveCommand: MakeCommand = defineCommand(
  'serve',
  async () => (await import('./serve/serve-http.ts')).serve,
  {
    parameters: {
      positional: paths,
      flags: {
        ...servingFlags('info'),
        ...listenFlags,
        price: textsFlag('Price of a tool, paid by x402 before its answer is given', 'tool=price'),
        payTo: textFlag('With --price: address that is paid', 'address'),
        network: textFlag('With --price: network of the payment, such as eip155:8453 (Base)', 'caip2'),
        facilitator: textFlag(
          'With --price: URL of the service that checks and settles payments; X402_FACILITATOR_HEADERS has its headers, as JSON',
          'url',
        ),
        tasks: textFlag(
          'With --price: where receipts are kept, so that they survive a restart: sqlite:<file>; encrypted with TASKS_KEY',
          'url',
        ),
      },
    },
    docs: described('Serve tools as an MCP server over HTTP', 'schemakit serve catalog/frankfurter --port 3000'),
  },
);
