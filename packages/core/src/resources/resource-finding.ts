import type { Finding } from '../format/finding.ts';

export type ResourceCallCode =
  | 'QUERY_UNKNOWN'
  | 'FILE_REFUSED'
  | 'FILE_MISSING'
  | 'DATABASE_UNREADABLE'
  | 'SQL_REFUSED'
  | 'SQL_ERROR'
  | 'QUERY_TIMEOUT'
  | 'QUERY_ABORTED'
  | 'QUERY_MEMORY'
  | 'QUERY_CRASHED'
  | 'ROWS_CUT'
  | 'DOCUMENT_UNREADABLE'
  | 'DOCUMENT_PART_INVALID'
  | 'DOCUMENT_PART_UNKNOWN';

/** Why a look-up in a resource failed, by code. All are errors but `ROWS_CUT`. */
export const resourceCallCodes: Readonly<Record<ResourceCallCode, string>> = {
  QUERY_UNKNOWN: 'The resource has no query of that name.',
  FILE_REFUSED: 'The path of the resource leads to where its schema may not read.',
  FILE_MISSING: 'The file of the resource is in none of the places where it may be.',
  DATABASE_UNREADABLE: 'The file is no SQLite database, or it is damaged.',
  SQL_REFUSED: 'The statement does something else than reading, or is more than one.',
  SQL_ERROR: 'SQLite does not accept the statement or its values.',
  QUERY_TIMEOUT: 'The query took longer than it may, or no host became free.',
  QUERY_ABORTED: "The caller's signal was aborted.",
  QUERY_MEMORY: 'The query needed more memory than it may.',
  QUERY_CRASHED: 'The host process of the query ended while it ran.',
  ROWS_CUT: 'Rows or cells are missing from the result because of its limits. A warning.',
  DOCUMENT_UNREADABLE: 'The document cannot be read, or is larger than is read.',
  DOCUMENT_PART_INVALID: 'More than one part of a document is asked for, or lines in a way that cannot be read.',
  DOCUMENT_PART_UNKNOWN: 'The document has no such section, or fewer lines.',
};

/** Makes a finding about a look-up. `path` is the resource, or the resource and its query. */
export function resourceCallFinding(code: ResourceCallCode, path: string, message: string, hint?: string): Finding {
  const severity = code === 'ROWS_CUT' ? 'warning' : 'error';
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}
