import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { anyText, described, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

/** `schemakit init`: makes both levels of settings, and offers the built-in catalog. */
export function initCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('init', (await import('../settings/run-init.ts')).init, output),
    parameters: {
      flags: {
        yes: yesNo('Do not ask'),
        import: { kind: 'boolean', brief: 'Copy the built-in catalog', default: true },
        registry: anyText('A registry to import in place of the catalog', 'url'),
        group: { kind: 'parsed', parse: String, brief: 'The default group', default: 'default', placeholder: 'name' },
      },
    },
    docs: described(
      'Set up the global folder and this project',
      'schemakit init',
      'schemakit init --yes --no-import',
      'schemakit init --yes --registry https://schemas.example.com/registry.json',
    ),
  });
}
