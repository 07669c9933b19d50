import type { Finding } from '@schemakit/core';

/**
 * Findings as lines to compare: severity, code, path and message, then the line of the file that each points at.
 *
 * @param text The file that was checked.
 */
export function findingLines(findings: readonly Finding[], text: string): string {
  const source = text.split('\n');
  return findings
    .map(({ severity, code, path, message, line }) => {
      const place = line === undefined ? 'no line' : `${line}: ${(source[line - 1] ?? 'no such line').trim()}`;
      return `${severity} ${code} ${path || '(file)'}: ${message}\n  ${place}`;
    })
    .join('\n');
}
