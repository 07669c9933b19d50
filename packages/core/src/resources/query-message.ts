/** A value that is bound to a `?`. */
export type BoundValue = string | number | boolean | null;

export interface QueryLimits {
  maxRows: number;
  /** Bytes of all rows as JSON. */
  maxBytes: number;
  /** Bytes of one text or BLOB; longer ones are truncated. */
  maxCellBytes: number;
}

/** One query for a host. The SQL has been checked: one statement, which only reads. */
export interface QueryTask extends QueryLimits {
  sql: string;
  values: readonly BoundValue[];
}

export interface QueryRows {
  /** The rows as a JSON array, in text, so that the size is known before it is parsed. */
  json: string;
  count: number;
  /** The limit by which rows were left out. */
  truncatedBy?: 'rows' | 'bytes';
  truncatedCells: number;
}

/** Why a query failed; `open` if the database cannot be read. */
export interface QueryFailure {
  kind: 'open' | 'sql' | 'refused';
  message: string;
}

/** To a host, which runs one query at a time. */
export type ToQueryHost = { type: 'task'; id: number; task: QueryTask } | { type: 'ping' };

export type FromQueryHost =
  | { type: 'ready' | 'pong' }
  | { type: 'started'; id: number }
  | { type: 'done'; id: number; result: QueryRows }
  | { type: 'failed'; id: number; failure: QueryFailure };

/** In the error output of a host that ended because a query used too much memory. */
export const memoryMark = 'the query needs too much memory';
