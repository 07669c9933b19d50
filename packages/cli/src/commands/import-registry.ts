import { openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { importRegistry } from '../sources/import-source.ts';
import { openProgressLine } from '../sources/progress-line.ts';
import { importedResult } from '../sources/source-result.ts';

export interface ImportRegistryFlags {
  name?: string;
  dryRun: boolean;
}

/** `schemakit import-registry <url>`: brings in the schemas that a registry on the web lists. */
export async function importFromRegistry({ name, dryRun }: ImportRegistryFlags, url: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { home } = opened.settings.places;
  const line = openProgressLine();
  const result = await importRegistry({ url, name, folder: home.schemas, dryRun, onProgress: line.onProgress });
  line.clear();
  return importedResult(result, { home: home.folder });
}
