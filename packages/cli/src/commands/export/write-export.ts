import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '@schemakit/core';
import { exportFinding, type Omission } from '../../exports/export-codes.ts';
import { type CommandResult, failWith, type Step } from '../../output/command-result.ts';
import { counted, printable, reasonOf } from '../../output/terminal-text.ts';
import { firstLine } from '../../output/text-table.ts';
import { isFolder } from '../../settings/make-folder.ts';

export interface ExportFlags {
  group?: string;
  lock?: string;
  out?: string;
  force: boolean;
}

/** Writes a file as a whole, or not at all. A file with other contents is only replaced with --force. */
export function writeExport(out: string, bytes: Uint8Array, { force }: Pick<ExportFlags, 'force'>): Step<object> {
  const refuse = (message: string, hint: string) => exportRefused(exportFinding('EXP005', message, hint));
  if (isFolder(out)) return refuse(`${out} is a folder`, 'Give the path of a file: --out <file>.');
  const temporary = `${out}.${randomUUID()}.tmp`;
  try {
    if (existsSync(out)) {
      if (readFileSync(out).equals(bytes)) return { ok: true };
      if (!force)
        return refuse(`${out} exists and is different`, 'Choose another file with --out, or replace it with --force.');
    }
    writeFileSync(temporary, bytes, { flag: 'wx' });
    renameSync(temporary, out);
    return { ok: true };
  } catch (error) {
    rmSync(temporary, { force: true });
    return refuse(`cannot write ${out}: ${reasonOf(error)}`, `Check ${dirname(out)} and its permissions.`);
  }
}

export function exportRefused(finding: Finding): { ok: false; result: CommandResult } {
  return { ok: false, result: failWith([finding], { findings: [finding] }) };
}

/** Where the document itself goes to stdout, so that an error does not end up in the user's file. */
export function onStandardOutput(result: CommandResult): CommandResult {
  return { ...result, isServer: true };
}

/** What was left out, on stderr: stdout may have the document. */
export function sayOmissions(omissions: readonly Omission[]): void {
  process.stderr.write(
    omissionLines(omissions)
      .map((line) => `${printable(line)}\n`)
      .join(''),
  );
}

const maxShown = 10;

export function omissionLines(omissions: readonly Omission[]): string[] {
  if (omissions.length === 0) return [];
  const shown = omissions.slice(0, maxShown);
  const rest = omissions.length - shown.length;
  return [
    `${counted(omissions.length, 'part')} left out or not fully said:`,
    ...shown.map(({ code, tool, message }) => `  ${code} ${firstLine(`${tool}: ${message}`, 160)}`),
    ...(rest > 0 ? [`  and ${rest} more (all with --json)`] : []),
  ];
}
