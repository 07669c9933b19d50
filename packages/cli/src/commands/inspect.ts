import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { command } from '../run-command.ts';
import type { InspectFlags } from './inspect/read-target.ts';
import { anyText, anyTexts, described, optionalPositional, yesNo } from './parameters.ts';

/** `schemakit inspect`, which tells what an MCP server offers and whether its payment terms hold. */
export function inspectCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => {
      const { inspectServer } = await import('./inspect/inspect-server.ts');
      const run = (flags: Omit<InspectFlags, 'isJson'>, url?: string) =>
        inspectServer({ ...flags, isJson: output.isJson }, url);
      return command('inspect', run, output);
    },
    parameters: {
      positional: optionalPositional('The address of an MCP server', 'url'),
      flags: {
        command: anyText('A server to start, in place of an address', 'command'),
        env: anyTexts('With --command: a variable of this environment that the server gets', 'name'),
        header: anyTexts('A header to send, such as "Authorization: Bearer …"', 'header'),
        privateOrigin: anyTexts(
          'An origin beside the address that may be private, such as http://10.0.0.5:8080',
          'origin',
        ),
        probe: {
          kind: 'enum',
          values: ['all', 'safe', 'none'],
          brief: 'Which tools are called: all but destructive ones, those that only read, or none',
          default: 'all',
        },
        timeout: {
          kind: 'parsed',
          parse: (text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN),
          brief: 'For everything together, in milliseconds',
          default: '10000',
          placeholder: 'ms',
        },
        compare: anyText('An earlier result, as JSON: says what has changed', 'file'),
        failOn: {
          kind: 'enum',
          values: ['error', 'warning', 'change', 'never'],
          brief: 'What makes the status other than 0',
          default: 'error',
        },
        sarif: yesNo('Print SARIF, for code hosts'),
        html: yesNo('Print a page'),
      },
    },
    docs: described(
      'Tell what an MCP server offers, and whether its payment terms hold',
      'schemakit inspect https://tools.example.com/mcp',
      'schemakit inspect https://tools.example.com/mcp --json > before.json',
      'schemakit inspect https://tools.example.com/mcp --compare before.json --fail-on change',
      'schemakit inspect --command "schemakit run ./schemas" --probe safe',
    ),
  });
}
