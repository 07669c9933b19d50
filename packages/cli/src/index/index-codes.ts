import type { Finding, Severity } from '@schemakit/core';

export type IndexCode = `IDX00${1 | 2}`;

/** What can hinder the index of tools, by code. None of it stops a command. */
export const indexCodes: Readonly<Record<IndexCode, readonly [Severity, string]>> = {
  IDX001: ['warning', 'The index of tools can be written. Until then, every command reads all schemas.'],
  IDX002: ['warning', 'A folder of schemas can be read.'],
};

const hints: Readonly<Record<IndexCode, string>> = {
  IDX001: 'Make the file and its folder writable: until then, every command reads all schemas again.',
  IDX002: 'Check the path and the rights of the folder.',
};

/** Makes a finding about an index. */
export function indexFinding(code: IndexCode, message: string): Finding {
  return { code, severity: indexCodes[code][0], path: '', message, hint: hints[code] };
}
