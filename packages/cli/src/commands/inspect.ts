import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { chainFlags } from './chain-nodes.ts';
import type { InspectFlags } from './inspect/read-target.ts';
import { anyText, anyTexts, described, optionalPositional, yesNo } from './parameters.ts';

export const inspectCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => {
      const { inspectServer } = await import('./inspect/inspect-server.ts');
      const run = (flags: Omit<InspectFlags, 'isJson'>, url?: string) =>
        inspectServer({ ...flags, isJson: output.isJson }, url);
      return command('inspect', run, output);
    },
    parameters: {
      positional: optionalPositional('URL of an MCP server', 'url'),
      flags: {
        all: yesNo(
          'Assess all eight layers of a URL, and grade it: HTTP, MCP, A2A, payment, OAuth, MCP Apps, website, ERC-8004',
        ),
        command: anyText('Command that starts a server, instead of a URL', 'command'),
        env: anyTexts('With --command: environment variable to pass to the server', 'name'),
        header: anyTexts('Request header, such as "Authorization: Bearer …"', 'header'),
        privateOrigin: anyTexts('Additional private origin to allow, such as http://10.0.0.5:8080', 'origin'),
        ...chainFlags,
        probe: {
          kind: 'enum',
          values: ['all', 'safe', 'none'],
          brief: 'Tools to call: all except destructive ones (asks first), safe (read-only), or none',
          default: 'safe',
        },
        yes: yesNo('With --probe all: call tools that may write without asking'),
        timeout: {
          kind: 'parsed',
          parse: (text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN),
          brief: 'Timeout of the whole inspection, in milliseconds (default 10000; with --all 15000)',
          optional: true,
          placeholder: 'ms',
        },
        compare: anyText('Report changes since an earlier result (JSON)', 'file'),
        failOn: {
          kind: 'enum',
          values: ['error', 'warning', 'change', 'never'],
          brief: 'What makes the inspection fail',
          default: 'error',
        },
        sarif: yesNo('Print SARIF, for code scanning'),
        html: yesNo('Print an HTML report'),
      },
    },
    docs: described(
      'Inspect an MCP server: tools, payment terms, authorization, security',
      'schemakit inspect --command "schemakit run catalog/frankfurter"',
    ),
  });
