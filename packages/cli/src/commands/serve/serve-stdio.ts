import { resolve } from 'node:path';
import type { ToolCatalog } from '@schemakit/server';
import { createCatalogServer } from '@schemakit/server/catalog';
import type { CommandResult } from '../../output/command-result.ts';
import { counted, printable } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';
import { chooseSource, startServing } from './start-serving.ts';

export async function run(flags: ServingFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const chosen = await chooseSource(flags, paths);
  if (!chosen.ok) return forServer(chosen.result);
  const started = await startServing(chosen, flags);
  if (!started.ok) return forServer(withoutRepeating(started.result));
  if (process.stdin.isTTY === true) sayHowToConnect(chosen.source, started.serving.catalog.current, paths);
  const server = await createCatalogServer(started.serving.catalog, started.options).stdio();
  // Clients kill a server that takes long to end.
  closeOnSignals(() => server.close({ graceMs: 1000 }));
  await started.watch();
  return undefined;
}

/** A person who starts the server by hand would otherwise see nothing: it waits for a client. */
function sayHowToConnect({ name, subject }: ServingSource, catalog: ToolCatalog, paths: readonly string[]): void {
  const { tools, prompts, resources } = catalog;
  const from = paths.length === 0 ? subject.replace(/^The /, 'the ') : paths.map((path) => resolve(path)).join(', ');
  const counts = [
    counted(tools.count, 'tool'),
    counted(prompts.list.length, 'prompt'),
    counted(resources.list.length + resources.templates.length, 'resource'),
  ];
  // Clients start it in another folder and without a PATH.
  const flags = process.argv.slice(2).map((word) => (paths.includes(word) ? resolve(word) : word));
  const command = { command: process.execPath, args: [process.argv[1] ?? 'schemakit', ...flags] };
  const settings = JSON.stringify({ mcpServers: { [name]: command } }, null, 2);
  const lines = [
    `${name}: ${counts.join(', ')} from ${from}`,
    'Waiting for an MCP client on stdin. Stop with Ctrl-C. To have a client start it, add to the settings of the client:',
    settings,
  ];
  process.stderr.write(printable(`${lines.join('\n')}\n`, { keepLines: true }));
}

/** stdout carries the protocol. */
function forServer(result: CommandResult): CommandResult {
  return { ...result, isServer: true };
}

/** Findings of schemas were printed already, with their location. */
function withoutRepeating({ document, ...result }: CommandResult): CommandResult {
  return { ...result, document: result.failure === 'usage' ? document : { status: false } };
}
