import { type Finding, messageOf } from '../schema/finding.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { DatabaseResource } from '../schema/schema.ts';
import type { QueryFailure, QueryRows, QueryTask } from './query-message.ts';
import type { LostQuery } from './query-pool.ts';

/** Codes of failed look-ups in resources, with what docs/errors.md says about each. All are errors except `ROWS_CUT`. */
export const resourceCallCodes = {
  QUERY_UNKNOWN: 'The resource has no query with this name.',
  FILE_REFUSED: 'The file of the resource is outside the folders that its schema may read, and was not granted.',
  FILE_MISSING: 'The file of the resource is in none of the folders that are searched.',
  DATABASE_UNREADABLE: 'The file is not a SQLite database, or it is damaged.',
  SQL_REFUSED: 'The SQL does more than read, or has more than one statement.',
  SQL_ERROR: 'SQLite rejected the statement or its values.',
  QUERY_TIMEOUT: 'The query exceeded its time limit, or no host became free.',
  QUERY_ABORTED: "The caller's signal was aborted.",
  QUERY_MEMORY: 'The query exceeded its memory limit.',
  QUERY_CRASHED: 'The host process ended while the query ran.',
  ROWS_CUT: 'A warning: a limit left out rows or truncated cells.',
  DOCUMENT_UNREADABLE: 'The document cannot be read, or exceeds the size limit.',
  DOCUMENT_PART_INVALID: 'More than one part of a document is requested, or an invalid range of lines.',
  DOCUMENT_PART_UNKNOWN: 'The document does not have this section, or these lines.',
} as const;

export type ResourceCallCode = keyof typeof resourceCallCodes;

/** @param path - The resource, or `<resource>.<query>`. */
export function resourceCallFinding(code: ResourceCallCode, path: string, message: string, hint?: string): Finding {
  const severity = code === 'ROWS_CUT' ? 'warning' : 'error';
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}

/** A query, by the name that the caller used. */
export interface QueryName {
  resource: DatabaseResource;
  query: string;
}

export function unknownQueryFinding({ resource, query }: QueryName): Finding {
  const names = [...resource.queries.keys()];
  const suggestion = nearestWord(query, names);
  const message = `Query ${JSON.stringify(query)} not found in resource ${resource.name}`;
  const hint = suggestion === undefined ? `It has ${names.join(', ')}.` : `Did you mean ${suggestion}?`;
  return resourceCallFinding('QUERY_UNKNOWN', resource.name, message, hint);
}

const losses: Readonly<Record<LostQuery['reason'], readonly [ResourceCallCode, string?]>> = {
  deadline: [
    'QUERY_TIMEOUT',
    'Make the query cheaper: an indexed column, a narrower condition, a LIMIT. Check that a recursive WITH comes to an end.',
  ],
  memory: ['QUERY_MEMORY', 'Ask for less: fewer rows to sort, fewer columns, shorter text.'],
  aborted: ['QUERY_ABORTED'],
  crash: ['QUERY_CRASHED', 'If it happens again, have SQLite check the file: PRAGMA integrity_check.'],
};

export function lossFinding({ reason, cause }: LostQuery, call: QueryName): Finding {
  const [code, hint] = losses[reason];
  return resourceCallFinding(code, pathOf(call), `The query was ended: ${cause}`, hint);
}

/** The finding for a query that SQLite did not run, on the database `file`. */
export function queryFailureFinding(
  { kind, message }: QueryFailure,
  { file, ...call }: QueryName & { file: string },
): Finding {
  const path = pathOf(call);
  const sqlError = `SQL error: ${message}`;
  if (kind === 'refused') {
    return resourceCallFinding('SQL_REFUSED', path, sqlError, withMode('Resources only read.', call.resource));
  }
  if (kind === 'sql') return resourceCallFinding('SQL_ERROR', path, sqlError, sqlHint(message, call));
  const hint = 'Check that it is a complete SQLite database, and that it may be read.';
  return resourceCallFinding('DATABASE_UNREADABLE', path, `Failed to open database "${file}": ${message}`, hint);
}

/** SQLite reports errors in full-text search expressions only by their text. */
const searchFault = /^(?:fts5: |unterminated string|unknown special query|malformed MATCH)/;

function sqlHint(message: string, { resource, query }: QueryName): string | undefined {
  const searches = /\bMATCH\b/i.test(resource.queries.get(query)?.sql ?? '');
  // A hyphen or a colon in a search text makes SQLite look for a column.
  if (searchFault.test(message) || (searches && message.startsWith('no such column'))) return searchHint;
  return /no such (?:table|column)/.test(message) ? 'describeTables lists the tables and columns.' : undefined;
}

const searchHint =
  'Text to search for has a syntax of its own: put each word or phrase in double quotes, such as "low-water", and write a double quote in it twice.';

/** The warnings for rows that a limit left out, and for truncated cells. */
export function truncationFindings(
  { count, truncatedBy, truncatedCells }: QueryRows,
  task: QueryTask,
  call: QueryName,
): Finding[] {
  const findings: Finding[] = [];
  const path = pathOf(call);
  if (truncatedBy !== undefined) {
    const limit = truncatedBy === 'rows' ? `${task.maxRows} rows` : `${task.maxBytes} bytes`;
    const message = `There are more rows: only the first ${count} are returned, because of the limit of ${limit}`;
    const hint = 'Ask for less: a narrower condition, fewer columns, or LIMIT with OFFSET for the next part.';
    findings.push(resourceCallFinding('ROWS_CUT', path, message, hint));
  }
  if (truncatedCells > 0) {
    const message = `${truncatedCells} ${truncatedCells === 1 ? 'cell was' : 'cells were'} cut at ${task.maxCellBytes} bytes`;
    findings.push(resourceCallFinding('ROWS_CUT', path, message, 'substr(column, start, length) gives a part.'));
  }
  return findings;
}

export function hookFinding(error: unknown, call: QueryName): Finding {
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'HANDLER_THREW',
    severity: 'error',
    path: pathOf(call),
    message: `postRequest error: ${messageOf(error)}`,
    ...(typeof hint === 'string' && { hint }),
  };
}

/** Adds that the mode `file-based` does not allow writing either. */
export function withMode(hint: string, { mode }: DatabaseResource): string {
  return mode === 'file-based' ? `${hint} Writing is not supported, not even in the mode file-based.` : hint;
}

function pathOf({ resource, query }: QueryName): string {
  return `${resource.name}.${query}`;
}
