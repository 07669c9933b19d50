import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import type { InspectFlags } from './inspection/read-target.ts';
import { described, optionalPositional } from './parameters.ts';
import { command } from './run-command.ts';

/** `schemakit inspect`, which tells what an MCP server offers and whether its payment terms hold. */
export function inspectRoutes(output: { isJson: boolean }): Record<'inspect', () => Command<CommandContext>> {
  return {
    inspect: () =>
      buildCommand({
        loader: async () => {
          const { inspect } = await import('./commands/inspect.ts');
          const withOutput = (flags: Omit<InspectFlags, 'isJson'>, url?: string) =>
            inspect({ ...flags, isJson: output.isJson }, url);
          return command('inspect', withOutput, output);
        },
        parameters: {
          positional: optionalPositional('The address of an MCP server', 'url'),
          flags: {
            command: {
              kind: 'parsed',
              parse: String,
              optional: true,
              brief: 'A server to start, in place of an address',
              placeholder: 'command',
            },
            env: {
              kind: 'parsed',
              parse: String,
              variadic: true,
              optional: true,
              brief: 'With --command: a variable of this environment that the server gets',
              placeholder: 'name',
            },
            header: {
              kind: 'parsed',
              parse: String,
              variadic: true,
              optional: true,
              brief: 'A header to send, such as "Authorization: Bearer …"',
              placeholder: 'header',
            },
            privateOrigin: {
              kind: 'parsed',
              parse: String,
              variadic: true,
              optional: true,
              brief: 'An origin beside the address that may be private, such as http://10.0.0.5:8080',
              placeholder: 'origin',
            },
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
            compare: {
              kind: 'parsed',
              parse: String,
              optional: true,
              brief: 'An earlier result, as JSON: says what has changed',
              placeholder: 'file',
            },
            failOn: {
              kind: 'enum',
              values: ['error', 'warning', 'change', 'never'],
              brief: 'What makes the status other than 0',
              default: 'error',
            },
            sarif: { kind: 'boolean', brief: 'Print SARIF, for code hosts', default: false },
            html: { kind: 'boolean', brief: 'Print a page', default: false },
          },
        },
        docs: described(
          'Tell what an MCP server offers, and whether its payment terms hold',
          'schemakit inspect https://tools.example.com/mcp',
          'schemakit inspect https://tools.example.com/mcp --json > before.json',
          'schemakit inspect https://tools.example.com/mcp --compare before.json --fail-on change',
          'schemakit inspect --command "schemakit run ./schemas" --probe safe',
        ),
      }),
  };
}
