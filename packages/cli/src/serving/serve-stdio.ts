import { createCatalogServer } from '@schemakit/server/catalog';
import { closeOnSignals } from '../end-on-signals.ts';
import type { CommandResult } from '../output/command-result.ts';
import type { ServingFlags } from './serving-flags.ts';
import { chooseSource, startServing } from './start-serving.ts';

/** `schemakit run [<path>...] [--group <name>]`: serves the tools of schemas, or of groups, over stdio. */
export async function run(flags: ServingFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const chosen = await chooseSource(flags, paths);
  if (!chosen.ok) return forServer(chosen.result);
  const started = await startServing(chosen, flags);
  if (!started.ok) return forServer(withoutRepeating(started.result));
  const server = await createCatalogServer(started.serving.offer, started.options).stdio();
  // A client that ends its server waits for no answer, and not for long.
  closeOnSignals(() => server.close({ graceMs: 1000 }));
  await started.watch();
  return undefined;
}

/** Nothing but the protocol may stand on stdout. */
function forServer(result: CommandResult): CommandResult {
  return { ...result, isServer: true };
}

/** What is wrong with schemas was said already, with its places. */
function withoutRepeating({ document, ...result }: CommandResult): CommandResult {
  return { ...result, document: result.failure === 'usage' ? document : { status: false } };
}
