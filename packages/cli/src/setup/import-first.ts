import { type CommandResult, failedOver } from '../output/command-result.ts';
import { refusedByMode } from '../run-command.ts';
import { importRegistry } from '../sources/import-source.ts';
import { openProgressLine } from '../sources/progress-line.ts';
import { registryAddress } from '../sources/source-address.ts';
import { printSourceFindings, type SourceResult } from '../sources/source-result.ts';

/** Why a registry cannot be imported at the setup; looked at before anything is written. */
export function registryProblem(url: string): CommandResult | undefined {
  const reading = registryAddress(url);
  if (!reading.ok) return { ...failedOver([reading.finding]), failure: 'usage' };
  return refusedByMode('import-registry');
}

/** Imports a registry, in place of the built-in catalog. */
export async function importFirst(url: string, folder: string): Promise<SourceResult> {
  const line = openProgressLine();
  const result = await importRegistry({ url, folder, onProgress: line.onProgress });
  line.clear();
  printSourceFindings([result]);
  return result;
}
