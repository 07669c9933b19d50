import { openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { importSource } from '../sources/import-source.ts';
import { openProgressLine } from '../sources/progress-line.ts';
import { importedResult } from '../sources/source-result.ts';

export interface ImportFlags {
  branch?: string;
  name?: string;
  dryRun: boolean;
}

/** `schemakit import <url>`: brings in the schemas of a repository, an archive, a registry or a folder. */
export async function importSchemas({ branch, name, dryRun }: ImportFlags, url: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { home } = opened.settings.places;
  const line = openProgressLine();
  const result = await importSource({ url, branch, name, folder: home.schemas, dryRun, onProgress: line.onProgress });
  line.clear();
  return importedResult(result, { home: home.folder });
}
