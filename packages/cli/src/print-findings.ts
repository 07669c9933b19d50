import { relative } from 'node:path';
import type { Finding } from '@schemakit/core';

/** Writes findings to stderr, one line each with its place, and what to do below it. */
export function printFindings(findings: readonly Finding[]): void {
  for (const { code, severity, message, hint, file, line, column } of findings) {
    const place = file
      ? `${relative(process.cwd(), file) || file}${line === undefined ? '' : `:${line}:${column ?? 1}`}: `
      : '';
    process.stderr.write(`${place}${severity} ${code}: ${message}\n${hint === undefined ? '' : `    ${hint}\n`}`);
  }
}
