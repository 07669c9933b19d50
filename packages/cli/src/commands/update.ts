import type { CommandResult } from '../output/command-result.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { openSettings } from '../settings/open-settings.ts';
import { described, optionalPositional, yesNo } from './parameters.ts';

export const updateCommand: MakeCommand = defineCommand('update', () => update, {
  parameters: {
    positional: optionalPositional('Name of a source (default: all)', 'source'),
    flags: { dryRun: yesNo('Show what would change without writing anything') },
  },
  docs: described('Update imported sources', 'schemakit update --dry-run'),
});

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
