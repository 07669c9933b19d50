import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { updateFile } from '@schemakit/core';
import { type CommandResult, failed } from '../../output/command-result.ts';
import type { ReportTarget } from '../test-options.ts';
import type { TestRow } from '../test-row.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';

/** What reports are made of; secrets are masked in it. */
export interface ReportedRun {
  document: CommandResult['document'];
  rows: readonly TestRow[];
  durationMs: number;
}

export type WrittenReports = { ok: true; files: string[] } | { ok: false; result: CommandResult };

/** Writes the reports of a run. */
export async function writeReports(targets: readonly ReportTarget[], run: ReportedRun): Promise<WrittenReports> {
  const files: string[] = [];
  for (const { kind, file } of targets) {
    const text = reportText(kind, run);
    try {
      await mkdir(dirname(resolve(file)), { recursive: true });
      await updateFile(resolve(file), () => text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const result = failed('other', {
        ...run.document,
        error: `The report ${file} cannot be written: ${reason}`,
        fix: 'Check the path and its rights.',
      });
      return { ok: false, result: { ...result, document: { ...result.document, status: false } } };
    }
    files.push(file);
  }
  return { ok: true, files };
}

function reportText(kind: ReportTarget['kind'], run: ReportedRun): string {
  if (kind === 'junit') return junitReport(run);
  return kind === 'html' ? htmlReport(run) : `${JSON.stringify(run.document, null, 2)}\n`;
}
