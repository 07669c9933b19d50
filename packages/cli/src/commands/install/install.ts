import { defineCommand, type MakeCommand } from '../../run-command.ts';
import { described, yesNo } from '../parameters.ts';
import { type ClientName, clientNames } from './clients.ts';

export const installCommand: MakeCommand = defineCommand(
  'install',
  async () => (await import('./install-client.ts')).install,
  {
    parameters: {
      positional: {
        kind: 'tuple',
        parameters: [
          {
            brief: clientNames.join(', '),
            placeholder: 'client',
            parse: readClient,
            proposeCompletions: () => clientNames,
          },
          {
            brief: 'Group to serve (default: the default group)',
            placeholder: 'group',
            parse: String,
            optional: true,
            proposeCompletions: async () => (await import('../completion/propose-names.ts')).proposeGroups(),
          },
        ],
      },
      flags: {
        print: yesNo('Print the settings instead of writing them'),
        yes: yesNo('Do not ask for confirmation'),
        project: yesNo("Write the project's settings of the client instead of the user's"),
        npx: yesNo('Start this version of the command with npx, which the client must find on its path'),
      },
    },
    docs: described(
      'Add this project to the settings of an MCP client',
      'schemakit install claude-desktop',
      'schemakit install cursor work --project',
      'schemakit install codex --print',
    ),
  },
);

function readClient(text: string): ClientName {
  const client = clientNames.find((name) => name === text);
  if (client === undefined) {
    const near = clientNames.filter((name) => text !== '' && name.startsWith(text));
    throw new Error(`expected ${(near.length === 0 ? clientNames : near).join(', ')}`);
  }
  return client;
}
