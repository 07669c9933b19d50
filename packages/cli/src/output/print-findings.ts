import { relative } from 'node:path';
import type { Finding } from '@schemakit/core';
import { printable } from './terminal-text.ts';

let print: (findings: readonly Finding[]) => void = writeFindings;

export function printFindings(findings: readonly Finding[]): void {
  print(findings);
}

/** Redirects findings, for example to the log of a server. */
export function sendFindings(to: (findings: readonly Finding[]) => void): void {
  print = to;
}

/** Writes findings with their location and hint. Duplicates are skipped. */
export function writeFindings(findings: readonly Finding[]): void {
  const said = new Set<string>();
  for (const { code, severity, message, hint, file, line, column } of findings) {
    const place = file
      ? `${relative(process.cwd(), file) || file}${line === undefined ? '' : `:${line}:${column ?? 1}`}: `
      : '';
    const text = `${place}${severity} ${code}: ${message}\n${hint === undefined ? '' : `    ${hint}\n`}`;
    if (said.has(text)) continue;
    said.add(text);
    process.stderr.write(printable(text, { keepLines: true }));
  }
}
