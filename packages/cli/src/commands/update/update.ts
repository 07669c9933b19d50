import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { defineCommand, type MakeCommand } from '../../run-command.ts';
import { isFolder } from '../../settings/make-folder.ts';
import { openSettings } from '../../settings/open-settings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { described, optionalPositional, textFlag, yesNo } from '../parameters.ts';
import type { FolderFlags } from './update-folder.ts';

export const updateCommand: MakeCommand = defineCommand('update', () => update, {
  parameters: {
    positional: optionalPositional('Name of a source (default: all), or a folder that `new` wrote', 'source'),
    flags: {
      dryRun: yesNo('Show what would change without writing anything'),
      from: textFlag('Folder: read the document from this file, address or curl command from now on', 'source'),
      server: textFlag('Folder: the address of the API, where the document has none or another', 'url'),
      prefer: {
        kind: 'enum',
        values: ['document', 'file'],
        brief: 'Folder: who is right where you and the document changed the same lines',
        optional: true,
      },
      failOn: {
        kind: 'enum',
        values: ['breaking', 'any'],
        brief: 'Folder: fail without writing anything if the document has such changes',
        optional: true,
      },
    },
  },
  docs: described(
    'Update imported sources, or schemas from a document',
    'schemakit update --dry-run',
    'schemakit update schemas/pets --dry-run',
  ),
});

async function update({ dryRun, ...flags }: FolderFlags, name?: string): Promise<CommandResult> {
  if (name !== undefined && (await isImportFolder(name))) {
    const { updateFolder } = await import('./update-folder.ts');
    return updateFolder({ dryRun, ...flags }, name);
  }
  if (name !== undefined && /[\\/]/.test(name) && !existsSync(name)) {
    const fix = 'Check the path. `schemakit new <document>` writes such a folder.';
    return failed('notFound', { error: `There is no folder ${name}.`, fix });
  }
  if (Object.values(flags).some((value) => value !== undefined)) {
    return usageError(
      '--from, --server, --prefer and --fail-on need a folder that `schemakit new` wrote.',
      'Name the folder.',
    );
  }
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { home } = opened.settings.paths;
  const { updateAll, updateSource } = await import('../../sources/import-source.ts');
  const { withProgressLine } = await import('../../sources/source-options.ts');
  const { updatedResult } = await import('../../sources/source-result.ts');
  const results = await withProgressLine(async (onProgress) => {
    const options = { folder: home.schemas, dryRun, onProgress };
    return name === undefined ? updateAll(options) : [await updateSource({ ...options, name })];
  });
  return updatedResult(results, { home: home.folder });
}

/** Any folder but one that has the name of a source: names of sources have no slashes and dots. */
async function isImportFolder(name: string): Promise<boolean> {
  if (existsSync(join(name, 'import.json'))) return true;
  if (!isFolder(name)) return false;
  const { stateName } = await import('../../sources/source-state.ts');
  return /[\\/.]/.test(name) || !existsSync(join(readSettings().paths.home.schemas, name, stateName));
}
