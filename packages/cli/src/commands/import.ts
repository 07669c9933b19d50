import { join } from 'node:path';
import type { CommandResult } from '../output/command-result.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { openSettings } from '../settings/open-settings.ts';
import { anyText, described, onePositional, yesNo } from './parameters.ts';

interface ImportFlags {
  branch?: string;
  name?: string;
  dryRun: boolean;
}

const name = anyText('Name of the source and its folder (default: taken from the source)', 'name');
const dryRun = yesNo('Show what would change without writing anything');

export const importCommand: MakeCommand = defineCommand(
  'import',
  () => (flags: ImportFlags, url: string) => importFrom('importSource', flags, url),
  {
    parameters: {
      positional: onePositional('URL or path of a repository, archive, registry or folder', 'url'),
      flags: {
        branch: anyText('Branch, tag or commit of a repository (default: its default branch)', 'name'),
        name,
        dryRun,
      },
    },
    docs: described(
      'Import schemas from a repository, archive, registry or folder',
      'schemakit import https://github.com/example/tides --branch next',
    ),
  },
);

export const importRegistryCommand: MakeCommand = defineCommand(
  'import-registry',
  () => (flags: Omit<ImportFlags, 'branch'>, url: string) => importFrom('importRegistry', flags, url),
  {
    parameters: {
      positional: onePositional('URL of the JSON file of a registry', 'url'),
      flags: { name, dryRun },
    },
    docs: described(
      'Import schemas from a registry on the web',
      'schemakit import-registry https://schemas.example.com/registry.json',
    ),
  },
);

async function importFrom(
  kind: 'importSource' | 'importRegistry',
  flags: ImportFlags,
  url: string,
): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { home } = opened.settings.paths;
  const sources = await import('../sources/import-source.ts');
  const { withProgressLine } = await import('../sources/source-options.ts');
  const { importedResult } = await import('../sources/source-result.ts');
  const result = await withProgressLine((onProgress) =>
    sources[kind]({ ...flags, url, folder: home.schemas, onProgress }),
  );
  const { askForGrants, missingGrants } = await import('../sources/send-grants.ts');
  const { added, changed, unchanged, edited } = result;
  // Not only new ones: an earlier import may have ended before its question.
  const present = result.dryRun ? [] : [...added, ...changed, ...unchanged, ...edited];
  const files = present.map((path) => join(home.schemas, result.name ?? '', path));
  await askForGrants(files);
  return importedResult(result, { home: home.folder, waiting: await missingGrants(files) });
}
