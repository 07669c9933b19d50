import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ToolCatalog } from '@schemakit/server';
import { createCatalogServer } from '@schemakit/server/catalog';
import type { CommandResult } from '../../output/command-result.ts';
import { counted, printable } from '../../output/terminal-text.ts';
import { settingsPaths } from '../../settings/settings-paths.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { readGlobalFlags } from '../global-flags.ts';
import { serverEntry } from '../install/server-entry.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';
import { chooseSource, startServing } from './start-serving.ts';

export async function run(flags: ServingFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const chosen = await chooseSource(flags, paths);
  if (!chosen.ok) return forServer(chosen.result);
  const started = await startServing(chosen, flags);
  if (!started.ok) return forServer(withoutRepeating(started.result));
  if (process.stdin.isTTY === true)
    sayHowToConnect(chosen.source, started.serving.catalog.current, { ...flags, paths });
  const server = await createCatalogServer(started.serving.catalog, started.options).stdio();
  // Clients kill a server that takes long to end.
  closeOnSignals(() => server.close({ graceMs: 1000 }));
  await started.watch();
  return undefined;
}

/** A person who starts the server by hand would otherwise see nothing: it waits for a client. */
function sayHowToConnect(
  { name, subject }: ServingSource,
  catalog: ToolCatalog,
  { paths, group }: { paths: readonly string[]; group?: readonly string[] },
): void {
  const { tools, prompts, resources } = catalog;
  const from =
    paths.length === 0
      ? subject.replace(/^The /, 'the ')
      : paths.map((path) => (existsSync(path) ? resolve(path) : path)).join(', ');
  const counts = [
    counted(tools.count, 'tool'),
    counted(prompts.list.length, 'prompt'),
    counted(resources.list.length + resources.templates.length, 'resource'),
  ];
  const given = readGlobalFlags(process.argv.slice(2));
  const words = given.ok ? withAbsolutePaths(given.args.slice(1), paths) : [];
  // The name that `install` gives it.
  const key = group === undefined ? 'schemakit' : name;
  const entry = serverEntry(words, { paths: settingsPaths() });
  const settings = JSON.stringify({ mcpServers: { [key]: entry } }, null, 2);
  const lines = [
    `${name}: ${counts.join(', ')} from ${from}`,
    'Waiting for an MCP client on stdin. Stop with Ctrl-C. To have a client start it, add to the settings of the client:',
    settings,
  ];
  process.stderr.write(printable(`${lines.join('\n')}\n`, { keepLines: true }));
}

/** Node.js itself looks for the file of `--env-file`, before `--cwd`. A path may also be that of a source, such as catalog/demo. */
function withAbsolutePaths(words: readonly string[], paths: readonly string[]): string[] {
  return words.map((word, index) => {
    const [, flag, value] = /^(--(?:env-file|envFile|lock)=)(.+)$/.exec(word) ?? [];
    if (flag !== undefined && value !== undefined) return `${flag}${resolve(value)}`;
    const isFile =
      /^--(env-file|envFile|lock)$/.test(words[index - 1] ?? '') || (paths.includes(word) && existsSync(word));
    return isFile ? resolve(word) : word;
  });
}

/** stdout carries the protocol. */
function forServer(result: CommandResult): CommandResult {
  return { ...result, isServer: true };
}

/** Findings of schemas were printed already, with their location. */
function withoutRepeating({ document, ...result }: CommandResult): CommandResult {
  return { ...result, document: result.failure === 'usage' ? document : { status: false } };
}
