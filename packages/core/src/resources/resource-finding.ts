import type { Finding } from '../schema/finding.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { DatabaseResource } from '../schema/schema.ts';
import type { QueryOutcome } from './query-hosts.ts';
import type { QueryFailure, QueryRows, QueryTask } from './query-message.ts';

/** Why a look-up in a resource failed, by code. All are errors but `ROWS_CUT`. */
export const resourceCallCodes = {
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
} as const;

export type ResourceCallCode = keyof typeof resourceCallCodes;

/** Makes a finding about a look-up. `path` is the resource, or the resource and its query. */
export function resourceCallFinding(code: ResourceCallCode, path: string, message: string, hint?: string): Finding {
  const severity = code === 'ROWS_CUT' ? 'warning' : 'error';
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}

/** Where a finding belongs: the resource and the name that the caller gave. */
export interface QueryPlace {
  resource: DatabaseResource;
  query: string;
}

/** The finding for a query that the resource does not have. */
export function unknownQuery({ resource, query }: QueryPlace): Finding {
  const names = [...resource.queries.keys()];
  const meant = nearestWord(query, names);
  const message = `Query ${JSON.stringify(query)} not found in resource ${resource.name}`;
  const hint = meant === undefined ? `It has ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return resourceCallFinding('QUERY_UNKNOWN', resource.name, message, hint);
}

/** The code and the hint for a query whose host ended. */
const losses: Readonly<Record<'deadline' | 'memory' | 'aborted' | 'crash', readonly [ResourceCallCode, string?]>> = {
  deadline: [
    'QUERY_TIMEOUT',
    'Make the query cheaper: an indexed column, a narrower condition, a LIMIT. Check that a recursive WITH comes to an end.',
  ],
  memory: ['QUERY_MEMORY', 'Ask for less: fewer rows to sort, fewer columns, shorter text.'],
  aborted: ['QUERY_ABORTED'],
  crash: ['QUERY_CRASHED', 'If it happens again, have SQLite check the file: PRAGMA integrity_check.'],
};

/** The finding for a query that gave no rows. */
export function outcomeFinding(
  outcome: Exclude<QueryOutcome, { type: 'done' }>,
  { file, ...place }: QueryPlace & { file: string },
): Finding {
  if (outcome.type === 'failed') return failureFinding(outcome.failure, { file, ...place });
  const { reason, cause } = outcome;
  const [code, hint] = losses[reason];
  return resourceCallFinding(code, pathOf(place), `The query was ended: ${cause}`, hint);
}

function failureFinding({ kind, message }: QueryFailure, { file, ...place }: QueryPlace & { file: string }): Finding {
  const path = pathOf(place);
  switch (kind) {
    case 'open':
      return resourceCallFinding(
        'DATABASE_UNREADABLE',
        path,
        `Failed to open database "${file}": ${message}`,
        'Check that it is a complete SQLite database, and that it may be read.',
      );
    case 'refused': {
      const hint = withMode('Resources only read.', place.resource);
      return resourceCallFinding('SQL_REFUSED', path, `SQL error: ${message}`, hint);
    }
    case 'sql': {
      return resourceCallFinding('SQL_ERROR', path, `SQL error: ${message}`, sqlHint(message, place));
    }
  }
}

/** Full-text search has a language of its own, and its faults have no other mark than their texts. */
const searchFault = /^(?:fts5: |unterminated string|unknown special query|malformed MATCH)/;

function sqlHint(message: string, { resource, query }: QueryPlace): string | undefined {
  const searches = /\bMATCH\b/i.test(resource.queries.get(query)?.sql ?? '');
  // A hyphen or a colon in the text makes a column of what stands before or after it.
  if (searchFault.test(message) || (searches && message.startsWith('no such column'))) return searchHint;
  return /no such (?:table|column)/.test(message) ? 'describeTables lists the tables and columns.' : undefined;
}

const searchHint =
  'Text to search for has a syntax of its own: put each word or phrase in double quotes, such as "low-water", and write a double quote in it twice.';

/** The warnings for rows and cells that a limit left out. */
export function cutFindings({ count, cutBy, cutCells }: QueryRows, task: QueryTask, place: QueryPlace): Finding[] {
  const findings: Finding[] = [];
  const path = pathOf(place);
  if (cutBy !== undefined) {
    const limit = cutBy === 'rows' ? `${task.maxRows} rows` : `${task.maxBytes} bytes`;
    const message = `There are more rows: the first ${count} are given, because of the limit of ${limit}`;
    const hint = 'Ask for less: a narrower condition, fewer columns, or LIMIT with OFFSET for the next part.';
    findings.push(resourceCallFinding('ROWS_CUT', path, message, hint));
  }
  if (cutCells > 0) {
    const message = `${cutCells} ${cutCells === 1 ? 'cell was' : 'cells were'} cut at ${task.maxCellBytes} bytes`;
    findings.push(resourceCallFinding('ROWS_CUT', path, message, 'substr(column, start, length) gives a part.'));
  }
  return findings;
}

/** The finding for a `postRequest` that failed. */
export function hookFinding(error: unknown, place: QueryPlace): Finding {
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'HANDLER_THREW',
    severity: 'error',
    path: pathOf(place),
    message: `postRequest error: ${error instanceof Error ? error.message : String(error)}`,
    ...(typeof hint === 'string' && { hint }),
  };
}

/** A schema of the mode `file-based` may expect to write. */
export function withMode(hint: string, { mode }: DatabaseResource): string {
  return mode === 'file-based' ? `${hint} Writing is not offered, in the mode file-based either.` : hint;
}

function pathOf({ resource, query }: QueryPlace): string {
  return `${resource.name}.${query}`;
}
