import type { CommandResult } from '../output/command-result.ts';
import { shellWord } from '../output/shell-word.ts';
import { failedSources, printSourceFindings } from './failed-sources.ts';
import { installCommand } from './install-command.ts';
import { sourceDocument } from './source-document.ts';
import type { SourceResult } from './source-result.ts';
import { sourceText } from './source-text.ts';

/**
 * What an import ends in.
 *
 * @param options.home - The folder above that of the sources.
 */
export function importedResult(result: SourceResult, { home }: { home: string }): CommandResult {
  const { name, schemaCount, status } = result;
  printSourceFindings([result]);
  const about = sourceDocument(result);
  const install = installCommand(result.requiredModules, { home });
  const [first] = result.trusted;
  const next = [
    ...(install === undefined ? [] : [install]),
    ...(first === undefined || result.dryRun ? [] : [`schemakit add ${shellWord(`${name}/${first}`)}`]),
  ];
  const fields = { source: name, schemasImported: schemaCount, ...about, next };
  const isEmpty = Object.values(about.files).every((paths) => paths.length === 0);
  const text = () =>
    isEmpty ? '' : [sourceText(about), ...(next.length > 0 ? ['Go on with:', ...next.map(indented)] : [])].join('\n');
  if (status) return { document: { status, ...fields }, text };
  return { ...failedSources([result], fields), text };
}

function indented(line: string): string {
  return `  ${line}`;
}
