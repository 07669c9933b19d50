import { openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { importedResult } from '../sources/imported-result.ts';
import { importSource } from '../sources/index.ts';
import { openProgressLine } from '../sources/progress-line.ts';

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
  const result = await importSource({
    url,
    folder: home.schemas,
    dryRun,
    ...(branch !== undefined && { branch }),
    ...(name !== undefined && { name }),
    ...(line.onProgress !== undefined && { onProgress: line.onProgress }),
  });
  line.clear();
  return importedResult(result, { home: home.folder });
}
