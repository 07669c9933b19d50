import { buildCommand } from '@stricli/core';
import type { RoutesFor } from '../completion/complete.ts';
import { type Shell, scripts, shells } from '../completion/scripts.ts';
import { printResult } from '../output/print-result.ts';
import { described } from '../parameters.ts';
import type { MakeCommand, Output } from '../run-command.ts';

/** `schemakit completion <shell>`: prints what the shell loads. It is no document, because shells read it from a pipe. */
function printScript({ isJson }: Output): (flags: Record<never, never>, shell: Shell) => void {
  return (_flags, shell) => {
    const script = scripts[shell];
    if (isJson) printResult({ document: { status: true, shell, script } }, { asJson: true });
    else process.stdout.write(script);
  };
}

export const completionCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => printScript(output),
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
  });

/** `schemakit __complete <shell> <line>`, which those scripts call. */
export const completeCommand =
  (routesFor: RoutesFor): MakeCommand =>
  () =>
    buildCommand({
      loader: async () => (await import('../completion/complete.ts')).completeWith(routesFor),
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
    });

function readShell(text: string): Shell {
  const shell = shells.find((name) => name === text);
  if (shell === undefined) throw new Error(`Shells are ${shells.join(', ')}`);
  return shell;
}
