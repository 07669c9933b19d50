import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { anyText, described, yesNo } from './parameters.ts';

export const initCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('init', (await import('../settings/run-init.ts')).init, output),
    parameters: {
      flags: {
        yes: yesNo('Do not ask: project, catalog, default group, agent mode'),
        import: { kind: 'boolean', brief: 'Do not install the built-in catalog', default: true },
        registry: anyText('Registry to import instead of the catalog', 'url'),
        group: anyText('Name of the default group (default: default)', 'name'),
      },
    },
    docs: described('Set up SchemaKit for this user and this project', 'schemakit init --yes'),
  });
