import { buildCommand } from '@stricli/core';
import { printResult } from '../output/print-result.ts';
import type { MakeCommand, Output } from '../run-command.ts';
import { completeWith, type RoutesFor, type Shell, shells } from './completion/complete.ts';
import { described } from './parameters.ts';

/** `schemakit completion <shell>`: prints the script as it is, even to a pipe: shells read it from one. */
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
      'Print the completion script for a shell',
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
      loader: async () => completeWith(routesFor),
      parameters: {
        positional: {
          kind: 'tuple',
          parameters: [
            { brief: 'Shell', placeholder: 'shell', parse: readShell },
            { brief: 'Line up to the cursor', placeholder: 'line', parse: String },
            { brief: 'Word break characters', placeholder: 'breaks', parse: String, optional: true },
          ],
        },
      },
      docs: { brief: 'Print completions for a line' },
    });

function readShell(text: string): Shell {
  const shell = shells.find((name) => name === text);
  if (shell === undefined) throw new Error(`expected ${shells.join(', ')}`);
  return shell;
}

// Each script asks the command itself for completions, so that it never gets out of date.
const bash = `# Completion of schemakit for bash. Load it with: source <(schemakit completion bash)
_schemakit_complete() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    COMPREPLY+=("$found")
  done < <("$1" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o default -F _schemakit_complete schemakit
`;

const zsh = `#compdef schemakit
# Completion of schemakit for zsh. Load it with: source <(schemakit completion zsh)
_schemakit() {
  local -a found open closed
  found=("\${(@f)$("\${(Q)words[1]}" __complete zsh "\${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  closed=(\${\${found:#*=}:#})
  open=(\${(M)found:#*=})
  if (( $#open + $#closed == 0 )); then
    _files
    return
  fi
  (( $#closed )) && _describe -t values value closed
  (( $#open )) && _describe -t values value open -S ''
  return 0
}
if [[ "$funcstack[1]" == _schemakit ]]; then
  _schemakit "$@"
else
  compdef _schemakit schemakit
fi
`;

const fish = `# Completion of schemakit for fish. Load it with: schemakit completion fish | source
function __schemakit_complete
    set -l command (commandline -opc)[1]
    set -l found ($command __complete fish (commandline -cp | string collect) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c schemakit -f -a '(__schemakit_complete)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
