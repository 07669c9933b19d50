import type { Finding, Severity } from './finding.ts';

export type FilterCode = `FLT00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | 'FLT010';

/** Rules about filters of schemas, by code: how severe a breach is, and what the rule asks for. */
export const filterCodes: Readonly<Record<FilterCode, readonly [Severity, string]>> = {
  FLT001: ['error', '`arrayOfSchemas` is an array with at least one schema.'],
  FLT002: ['error', '`arrayOfSchemas` holds objects.'],
  FLT003: ['error', '`includeNamespaces`, `excludeNamespaces` and `activateTags` are arrays of text.'],
  FLT004: ['error', 'An activate tag is `<tag>`, `<namespace>.<tool>` or `<namespace>.!<tool>`.'],
  FLT005: ['error', 'A tag in `activateTags` is a tag of a schema.'],
  FLT006: ['error', 'A namespace in `activateTags` is that of a schema.'],
  FLT007: ['error', 'A tool in `activateTags` is one of its namespace.'],
  FLT008: ['warning', 'A schema that is filtered was loaded.'],
  FLT009: ['warning', 'A namespace that is included or excluded is that of a schema.'],
  FLT010: ['warning', 'Something passes the filter.'],
};

/** Makes a finding of a rule about filters. */
export function filterFinding(code: FilterCode, path: string, message: string, hint?: string): Finding {
  return { code, severity: filterCodes[code][0], path, message, ...(hint !== undefined && { hint }) };
}
