import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { anyTexts, described, lockFlag, paths, yesNo } from './parameters.ts';

export const trustCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('trust', (await import('../sources/trust-schemas.ts')).trust, output),
    parameters: {
      positional: { ...paths, minimum: 1 },
      flags: {
        secret: anyTexts('Secret that handlers may read', 'name'),
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
    ),
  });
