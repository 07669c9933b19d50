import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { anyTexts, described, lockFlag, paths, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

/** `schemakit trust <path>...`: shows what schemas want, and writes entries for them in the lock file. */
export function trustCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('trust', (await import('../sources/trust-schemas.ts')).trust, output),
    parameters: {
      positional: { ...paths, minimum: 1 },
      flags: {
        secret: anyTexts('A secret whose value handlers may read', 'name'),
        network: anyTexts('An origin that handlers may reach, or any', 'origin'),
        revoke: yesNo('Remove the entries, or the grants that are named'),
        yes: yesNo('Do not ask'),
        lock: lockFlag,
      },
    },
    docs: described(
      'Hold schemas to what they are now, and say what they may do',
      'schemakit trust shop.mjs --secret SHOP_KEY',
    ),
  });
}
