import { join } from 'node:path';
import { describeSources } from '../../groups/describe-sources.ts';
import { withIndex } from '../../index/open-index.ts';
import { type CommandResult, failed, failWith, usageError } from '../../output/command-result.ts';
import { ask, canAsk } from '../../output/confirm.ts';
import { counted, printable, shellWord } from '../../output/terminal-text.ts';
import { openSettings } from '../../settings/open-settings.ts';
import type { Settings } from '../../settings/read-settings.ts';
import { writeConfig } from '../../settings/write-settings.ts';
import { unknownSource } from '../../sources/import-source.ts';
import { removeSource } from '../../sources/remove-source.ts';
import { sourceFinding } from '../../sources/source-codes.ts';
import { listSources } from '../../sources/source-state.ts';

/** `schemakit source remove <name>`: groups keep their references, which are named, because other projects have groups, too. */
export async function remove({ yes }: { yes: boolean }, name: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const { home } = settings.paths;
  const sources = await withIndex(settings, (index) => describeSources(settings, index));
  const named = sources.find((candidate) => candidate.name === name);
  const folder = join(home.schemas, name);
  const source = named?.folder === folder ? named : undefined;
  const isImported = (await listSources({ folder: home.schemas })).some((listed) => listed.name === name);
  if (!isImported && (source === undefined || source.type === 'own')) {
    if (named === undefined) return notFound(await unknownSource(name, home.schemas));
    const hint = `These files were not imported: ${named.folder}`;
    return notFound(sourceFinding('SRC015', `${name} is no imported source`, { hint }));
  }
  const usedBy = source === undefined ? {} : groupsWith(name, settings);
  const schemaCount = source?.schemas.length ?? 0;
  if (!yes && !canAsk()) {
    return usageError(
      'Nothing was removed: cannot ask without a terminal.',
      `Run: schemakit source remove ${shellWord(name)} --yes`,
    );
  }
  if (!yes) {
    const lines = [`${name}: ${counted(schemaCount, 'schema')} in ${folder}`, ...usesOf(usedBy)];
    process.stderr.write(`${lines.map((line) => printable(line)).join('\n')}\n`);
    if (!(await ask(`Remove the source ${name} and its files?`))) {
      return failed('other', { error: 'Nothing was removed.' });
    }
  }
  const removed = await removeSource({ name, folder: home.schemas });
  if (!removed.ok) return failWith([removed.finding]);
  if (settings.home.sources.has(name)) {
    const written = await writeConfig(home, ({ sources: noted, ...fields }) => {
      const others = Object.entries(Object(noted)).filter(([own]) => own !== name);
      return { ...fields, sources: Object.fromEntries(others) };
    });
    if (!written.ok) return failWith([written.finding]);
  }
  const next = Object.entries(usedBy).map(
    ([group, tools]) => `schemakit group remove ${group} --tools ${shellWord(tools.join(','))}`,
  );
  return {
    document: { status: true, removed: name, schemaCount, revoked: removed.revoked, usedBy, next },
    text: () =>
      [
        `Removed ${name}: ${counted(schemaCount, 'schema')}.`,
        ...usesOf(usedBy),
        ...next.map((line) => `Next: ${line}`),
      ].join('\n'),
  };
}

function notFound(finding: Parameters<typeof failWith>[0][number]): CommandResult {
  return { ...failWith([finding]), failure: 'notFound' };
}

/** The references of this project's groups to a source. */
function groupsWith(name: string, { groups }: Settings): Record<string, readonly string[]> {
  const used = [...groups].map(
    ([group, { tools }]) => [group, tools.filter((own) => own.startsWith(`${name}/`))] as const,
  );
  return Object.fromEntries(used.filter(([, { length }]) => length > 0));
}

function usesOf(usedBy: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(usedBy).map(([group, tools]) => `The group ${group} refers to it: ${tools.join(', ')}`);
}
