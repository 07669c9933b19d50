import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { described, optionalPositional, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

/** `schemakit update [source]`: brings in what changed in one source or in all. */
export function updateCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () => command('update', update, output),
    parameters: {
      positional: optionalPositional('The name of a source; by default all', 'source'),
      flags: { dryRun: yesNo('Write nothing; show what would become of each file') },
    },
    docs: described(
      'Bring in what changed in imported sources',
      'schemakit update',
      'schemakit update tides --dry-run',
    ),
  });
}

async function update({ dryRun }: { dryRun: boolean }, name?: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { home } = opened.settings.paths;
  const { updateAll, updateSource } = await import('../sources/import-source.ts');
  const { withProgressLine } = await import('../sources/source-options.ts');
  const { updatedResult } = await import('../sources/source-result.ts');
  const results = await withProgressLine(async (onProgress) => {
    const options = { folder: home.schemas, dryRun, onProgress };
    return name === undefined ? updateAll(options) : [await updateSource({ ...options, name })];
  });
  return updatedResult(results, { home: home.folder });
}
