import { type CommandResult, failedOver } from '../output/command-result.ts';
import { printFindings } from '../print-findings.ts';
import { sourceFailure } from './source-failure.ts';
import type { SourceResult } from './source-result.ts';

/** What is wrong with a file of others can be mended by them alone. */
const leftOutHint = 'The other files are in place. Tell whoever runs the source what is wrong, and update later.';

/** As many files are named in one message. */
const most = 5;

/** Writes to stderr what is wrong, but for the one error that `failedSources` shows as a whole. */
export function printSourceFindings(results: readonly SourceResult[]): void {
  const findings = results.flatMap((result) => result.findings);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isAllSaid = errors.length === 1 && leftOut(results).length === 0;
  printFindings(isAllSaid ? findings.filter(({ severity }) => severity !== 'error') : findings);
}

/** What a command ends in that could not bring in all files of all sources. */
export function failedSources(
  results: readonly SourceResult[],
  fields: Readonly<Record<string, unknown>>,
): Pick<CommandResult, 'document' | 'failure'> {
  const findings = results.flatMap((result) => result.findings);
  const { document } = failedOver(findings, fields);
  const paths = leftOut(results);
  const named = paths.slice(0, most).join(', ');
  const more = paths.length > most ? ` and ${paths.length - most} more` : '';
  const shown = paths.length > 0 && { error: `Files were left out: ${named}${more}.`, fix: leftOutHint };
  return { document: { ...document, ...shown }, failure: sourceFailure(findings) };
}

function leftOut(results: readonly SourceResult[]): string[] {
  return results.flatMap(({ name, failed }) => failed.map((path) => `${name}/${path}`));
}
