import { relative } from 'node:path';
import type { Finding } from '@schemakit/core';
import { printable } from '../printable.ts';

/** Findings by file, a line each with its place, and what to do below it. */
export function findingsText(findings: readonly Finding[]): string {
  const byFile = Map.groupBy(findings, ({ file }) => file);
  return [...byFile].map(([file, own]) => fileText(file, own)).join('');
}

function fileText(file: string | undefined, findings: readonly Finding[]): string {
  const rows = [...new Set(findings.map(findingText))];
  const title = file === undefined ? '' : `${printable(relative(process.cwd(), file) || file)}\n`;
  return `${title}${rows.join('')}\n`;
}

function findingText({ severity, code, message, hint, line, column }: Finding): string {
  const place = line === undefined ? '' : `${line}:${column ?? 1}`;
  const lead = `  ${place.padEnd(8)}${severity.padEnd(9)}${code.padEnd(8)}`;
  const advice = hint === undefined ? '' : `${' '.repeat(lead.length)}${printable(hint)}\n`;
  return `${lead}${printable(message)}\n${advice}`;
}
