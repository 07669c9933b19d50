/** A value that is bound to a `?`. */
export type BoundValue = string | number | boolean | null;

/** How much a query may give. */
export interface QueryLimits {
  /** Rows. */
  maxRows: number;
  /** Bytes of all rows as JSON. */
  maxBytes: number;
  /** Bytes of one text or BLOB; what is longer is cut. */
  maxCellBytes: number;
}

/** One query for a host. The SQL was checked: one statement that only reads. */
export interface QueryTask extends QueryLimits {
  sql: string;
  values: readonly BoundValue[];
}

/** The rows of a query. */
export interface QueryRows {
  /** The rows as the text of a JSON array: its size is known before it is parsed. */
  json: string;
  count: number;
  /** Which limit left rows out. */
  cutBy?: 'rows' | 'bytes';
  /** Number of cells that were cut. */
  cutCells: number;
}

/** Why a query gave no rows; `open` where the database itself cannot be read. */
export interface QueryFailure {
  kind: 'open' | 'sql' | 'refused';
  message: string;
}

/** From our process to a host. A host works on one query at a time. */
export type ToQueryHost = { type: 'task'; id: number; task: QueryTask } | { type: 'ping' };

/** From a host to our process. */
export type FromQueryHost =
  | { type: 'ready' | 'pong' }
  | { type: 'started'; id: number }
  | { type: 'done'; id: number; result: QueryRows }
  | { type: 'failed'; id: number; failure: QueryFailure };

/** Stands in the last error text of a host that ended because of a query's hunger for memory. */
export const memoryMark = 'the query needs too much memory';
