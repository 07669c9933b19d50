import { buildCommand, type Command, type CommandContext } from '@stricli/core';
import { openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { anyText, described, onePositional, yesNo } from '../parameters.ts';
import { command } from '../run-command.ts';

interface ImportFlags {
  branch?: string;
  name?: string;
  dryRun: boolean;
}

const name = anyText('The name of the source, and of its folder; by default its own', 'name');
const dryRun = yesNo('Write nothing; show what would become of each file');

/** `schemakit import <url>`: brings in the schemas of a repository, an archive, a registry or a folder. */
export function importCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () =>
      command('import', (flags: ImportFlags, url: string) => importFrom('importSource', flags, url), output),
    parameters: {
      positional: onePositional('A repository, an archive, a registry or a folder', 'url'),
      flags: {
        branch: anyText('A branch, a tag or a commit of a repository; by default the branch that it names', 'name'),
        name,
        dryRun,
      },
    },
    docs: described(
      'Import schemas from a repository, an archive, a registry or a folder',
      'schemakit import https://github.com/example/tides',
      'schemakit import https://github.com/example/tides --branch next --dry-run',
      'schemakit import git@git.example.com:team/tides.git',
      'schemakit import ./tides-1.0.tar.gz --name tides',
    ),
  });
}

/** `schemakit import-registry <url>`: brings in the schemas that a registry on the web lists. */
export function importRegistryCommand(output: { isJson: boolean }): Command<CommandContext> {
  return buildCommand({
    loader: async () =>
      command(
        'import-registry',
        (flags: Omit<ImportFlags, 'branch'>, url: string) => importFrom('importRegistry', flags, url),
        output,
      ),
    parameters: {
      positional: onePositional('The address of the JSON file of a registry', 'url'),
      flags: { name, dryRun },
    },
    docs: described(
      'Import the schemas that a registry on the web lists',
      'schemakit import-registry https://schemas.example.com/registry.json',
    ),
  });
}

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
  return importedResult(result, { home: home.folder });
}
