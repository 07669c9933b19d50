import { defineCommand, type MakeCommand } from '../run-command.ts';
import { anyText, described, yesNo } from './parameters.ts';

export const initCommand: MakeCommand = defineCommand(
  'init',
  async () => (await import('../settings/run-init.ts')).init,
  {
    parameters: {
      flags: {
        yes: yesNo('Do not ask: project, catalog, default group, agent mode'),
        import: { kind: 'boolean', brief: 'Do not install the built-in catalog', default: true },
        registry: anyText('Registry to import instead of the catalog', 'url'),
        group: anyText('Name of the default group (default: default)', 'name'),
      },
    },
    docs: described('Set up SchemaKit for this user and this project', 'schemakit init --yes'),
  },
);
