import { createCatalogServer } from '@schemakit/server/catalog';
import type { CommandResult } from '../../output/command-result.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import type { ServingFlags } from './serving-flags.ts';
import { chooseSource, startServing } from './start-serving.ts';

export async function run(flags: ServingFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const chosen = await chooseSource(flags, paths);
  if (!chosen.ok) return forServer(chosen.result);
  const started = await startServing(chosen, flags);
  if (!started.ok) return forServer(withoutRepeating(started.result));
  const server = await createCatalogServer(started.serving.catalog, started.options).stdio();
  // Clients kill a server that takes long to end.
  closeOnSignals(() => server.close({ graceMs: 1000 }));
  await started.watch();
  return undefined;
}

/** stdout carries the protocol. */
function forServer(result: CommandResult): CommandResult {
  return { ...result, isServer: true };
}

/** Findings of schemas were printed already, with their location. */
function withoutRepeating({ document, ...result }: CommandResult): CommandResult {
  return { ...result, document: result.failure === 'usage' ? document : { status: false } };
}
