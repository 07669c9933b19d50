import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { type Shell, shells } from './completion/scripts.ts';
import { described } from './parameters.ts';
import { command } from './run-command.ts';

const maxLimit = 1_000;

type Routes = Record<'search' | 'schemas' | 'completion' | '__complete', () => Command<CommandContext>>;

/** The commands that find schemas and tools, for people and for the completion of their shells. */
export function searchRoutes(output: { isJson: boolean }): Routes {
  return {
    search: () =>
      buildCommand({
        loader: async () => command('search', (await import('./commands/search.ts')).search, output),
        parameters: {
          positional: {
            kind: 'array',
            minimum: 1,
            parameter: { brief: 'Words, or their beginnings; all have to match', parse: String, placeholder: 'word' },
          },
          flags: {
            limit: {
              kind: 'parsed',
              parse: readLimit,
              default: '10',
              brief: `How many tools to show, at most ${maxLimit}`,
              placeholder: 'number',
            },
          },
        },
        docs: described(
          'Find tools by keywords, the best first',
          'schemakit search weather',
          'schemakit search exchange rates',
          'schemakit search --limit 50 data',
        ),
      }),
    schemas: () =>
      buildCommand({
        loader: async () => command('schemas', (await import('./commands/schemas.ts')).schemas, output),
        parameters: {},
        docs: described('List all sources with their schemas and tools', 'schemakit schemas'),
      }),
    completion: () =>
      buildCommand({
        loader: async () => (await import('./completion/scripts.ts')).printScript(output),
        parameters: {
          positional: {
            kind: 'tuple',
            parameters: [
              { brief: shells.join(', '), placeholder: 'shell', parse: readShell, proposeCompletions: () => shells },
            ],
          },
        },
        docs: described(
          'Print the script with which a shell completes this command',
          "echo 'source <(schemakit completion bash)' >> ~/.bashrc",
          "echo 'source <(schemakit completion zsh)' >> ~/.zshrc      # after compinit",
          'schemakit completion fish > ~/.config/fish/completions/schemakit.fish',
        ),
      }),
    __complete: () =>
      buildCommand({
        loader: async () => (await import('./completion/complete.ts')).complete,
        parameters: {
          positional: {
            kind: 'tuple',
            parameters: [
              { brief: 'Who asks', placeholder: 'shell', parse: readShell },
              { brief: 'The line as far as it was typed', placeholder: 'line', parse: String },
              { brief: 'Characters that divide words', placeholder: 'breaks', parse: String, optional: true },
            ],
          },
        },
        docs: { brief: 'Say what can stand next on a command line' },
      }),
  };
}

function readShell(text: string): Shell {
  const shell = shells.find((name) => name === text);
  if (shell === undefined) throw new Error(`Shells are ${shells.join(', ')}`);
  return shell;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > maxLimit) throw new Error(`Write a number from 1 to ${maxLimit}`);
  return limit;
}
