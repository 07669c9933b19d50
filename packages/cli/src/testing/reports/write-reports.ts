import { dirname, resolve } from 'node:path';
import { updateFile } from '@schemakit/core/internal';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { reasonOf } from '../../output/terminal-text.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import type { ReportTarget } from '../test-options.ts';
import type { ReportedRun } from '../test-row.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';

/** Writes the reports of a run. Returns a failed result if one cannot be written. */
export async function writeReports(
  targets: readonly ReportTarget[],
  run: ReportedRun,
): Promise<CommandResult | undefined> {
  for (const { kind, file } of targets) {
    const text = reportText(kind, run);
    try {
      makeFolder(dirname(resolve(file)));
      await updateFile(resolve(file), () => text);
    } catch (error) {
      const message = `Cannot write the report ${file}: ${reasonOf(error)}`;
      const result = failed('other', { ...run.document, error: message, fix: 'Check the path and its permissions.' });
      return { ...result, document: { ...result.document, status: false } };
    }
  }
  return undefined;
}

function reportText(kind: ReportTarget['kind'], run: ReportedRun): string {
  if (kind === 'junit') return junitReport(run);
  return kind === 'html' ? htmlReport(run) : `${JSON.stringify(run.document, null, 2)}\n`;
}
