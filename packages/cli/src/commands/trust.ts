import { defineCommand, type MakeCommand } from '../run-command.ts';
import { anyTexts, described, environmentFlags, lockFlag, paths, sourceFlag, yesNo } from './parameters.ts';

export const trustCommand: MakeCommand = defineCommand(
  'trust',
  async () => (await import('../sources/trust-schemas.ts')).trust,
  {
    parameters: {
      positional: paths,
      flags: {
        secret: anyTexts('Secret that handlers may read', 'name'),
        send: anyTexts('Secret that the schema may send to its root; for several, KEY1,KEY2', 'name'),
        env: environmentFlags.env,
        source: sourceFlag,
        network: anyTexts('Origin that handlers may contact, or any', 'origin'),
        read: anyTexts('File or folder that resources may read', 'path'),
        revoke: yesNo('Remove the entries, or only the named grants'),
        yes: yesNo('Do not ask for confirmation'),
        lock: lockFlag,
      },
    },
    docs: described(
      'Pin schemas to their current contents and grant them permissions',
      'schemakit trust shop.mjs --secret SHOP_KEY',
      'schemakit trust --source tides --send TIDES_KEY',
    ),
  },
);
