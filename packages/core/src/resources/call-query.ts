import type { Finding } from '../schema/finding.ts';
import { createInputCheck, type InputCheck } from '../schema/input/check-input.ts';
import type { JsonValue } from '../schema/json.ts';
import type { DatabaseResource, ResourceQuery } from '../schema/schema.ts';
import { parseSqlStatement } from '../schema/sql-statement.ts';
import { type LocateOptions, locateFile } from './locate-file.ts';
import { runInQueryHost } from './query-hosts.ts';
import type { BoundValue, QueryLimits, QueryTask } from './query-message.ts';
import {
  cutFindings,
  hookFinding,
  outcomeFinding,
  resourceCallFinding,
  unknownQuery,
  withMode,
} from './resource-finding.ts';

/** Runs after a query, with its rows. What it gives as `response` takes their place; a failure of it is one of the call. */
export type RowsHook = (context: RowsHookContext) => Promise<unknown>;

/** The argument of a `RowsHook`. */
export interface RowsHookContext {
  response: JsonValue;
  struct: { queryName: string; sql: string };
  payload: Record<string, JsonValue>;
}

/** A call of a query. */
export interface QueryCall extends LocateOptions, Partial<QueryLimits> {
  resource: DatabaseResource;
  /** Name of the query. `freeQuery` and `runSql` stand for each other. */
  query: string;
  /** The caller's arguments. */
  params?: unknown;
  /** Ends the query. */
  signal?: AbortSignal | undefined;
  /** Of the query, in milliseconds; it waits as long for a host at most. Default 10 seconds. */
  timeoutMs?: number;
  /** The schema's `postRequest` for this query. */
  postRequest?: RowsHook | undefined;
}

/** What came of a query. `data` is null unless it succeeded. */
export interface QueryResult {
  status: boolean;
  /** Errors, or the warning `ROWS_CUT`. */
  findings: Finding[];
  /** The rows as objects, or what the hook made of them. */
  data: unknown;
  /** Number of rows that the query gave. */
  rowCount: number;
  /** Whether rows or cells are missing because of a limit. */
  truncated: boolean;
}

const defaultLimits: QueryLimits = { maxRows: 1000, maxBytes: 5 * 1024 * 1024, maxCellBytes: 1024 * 1024 };
const checks = new WeakMap<ResourceQuery, InputCheck>();

/**
 * Runs a query of a database: checks the arguments and applies their defaults, finds the database, binds the values in
 * order and runs the statement in a host process, which can only read and is ended at the deadline. Rows come as objects;
 * a BLOB in them is base64, an integer beyond 2^53 is text. Never throws.
 *
 * Limits: 1,000 rows, 5 MiB of rows as JSON, 1 MiB for a cell, unless the call says otherwise.
 *
 * @example
 * const { status, data } = await callQuery({ resource, query: 'findPlace', params: { name: 'Ulm' }, schemaFile });
 */
export async function callQuery(call: QueryCall): Promise<QueryResult> {
  const { resource, signal, timeoutMs = 10_000 } = call;
  const query = findQuery(resource, call.query);
  if (query === undefined) return failed(unknownQuery(call));
  const checked = checkInput(query, call.params);
  if (!checked.ok) return failed(...checked.findings);
  const planned = planQuery({ resource, query }, checked.values, limitsOf(call));
  if (!planned.ok) return failed(planned.finding);
  const located = await locateFile(resource, call);
  if (!located.ok) return failed(located.finding);
  const { task } = planned;
  const outcome = await runInQueryHost({ database: located.file, task, timeoutMs, signal });
  if (outcome.type !== 'done') return failed(outcomeFinding(outcome, { ...call, file: located.file }));
  const { rows } = outcome;
  const findings = cutFindings(rows, task, call);
  const result = { status: true, findings, rowCount: rows.count, truncated: findings.length > 0 };
  const response: JsonValue = JSON.parse(rows.json);
  if (call.postRequest === undefined) return { ...result, data: response };
  try {
    const struct = { queryName: query.name, sql: task.sql };
    const changed = await call.postRequest({ response, struct, payload: { ...checked.values } });
    return { ...result, data: responseOf(changed, response) };
  } catch (error) {
    return failed(hookFinding(error, call));
  }
}

/** A query by its name, or by the other name of `runSql`. */
function findQuery({ queries }: DatabaseResource, name: string): ResourceQuery | undefined {
  const other = name === 'freeQuery' ? 'runSql' : name === 'runSql' ? 'freeQuery' : name;
  return queries.get(name) ?? queries.get(other);
}

function checkInput(query: ResourceQuery, params: unknown): ReturnType<InputCheck> {
  const check = checks.get(query) ?? createInputCheck(query.inputs);
  checks.set(query, check);
  return check(params);
}

function limitsOf({
  maxRows = defaultLimits.maxRows,
  maxBytes = defaultLimits.maxBytes,
  maxCellBytes = defaultLimits.maxCellBytes,
}: QueryCall): QueryLimits {
  return { maxRows, maxBytes, maxCellBytes };
}

/** A hook that gives nothing changes nothing; one that gives no `response` gives the value itself. */
function responseOf(changed: unknown, rows: JsonValue): unknown {
  if (typeof changed !== 'object' || changed === null) return changed ?? rows;
  return 'response' in changed ? changed.response : changed;
}

function failed(...findings: Finding[]): QueryResult {
  return { status: false, findings, data: null, rowCount: 0, truncated: false };
}

/** What a host is to run, or why it gets nothing. */
export type PlannedQuery = { ok: true; task: QueryTask } | { ok: false; finding: Finding };

interface QueryPlace {
  resource: DatabaseResource;
  query: ResourceQuery;
}

/** Puts the checked values of a call in the order of the `?`. A value that is absent is NULL. */
function planQuery(
  { resource, query }: QueryPlace,
  values: Readonly<Record<string, JsonValue>>,
  limits: QueryLimits,
): PlannedQuery {
  if (query.isDynamic) return planDynamic({ resource, query }, values, limits);
  const bound = query.bindings.map((binding): BoundValue => {
    const value = binding.kind === 'literal' ? binding.value : values[binding.name];
    return value === undefined || typeof value === 'object' ? null : value;
  });
  return { ok: true, task: { ...limits, sql: query.sql, values: bound } };
}

/** A statement of the caller's own. Where it has no LIMIT, the input `limit` says how many rows it gives. */
function planDynamic(
  { resource, query }: QueryPlace,
  { sql, limit }: Readonly<Record<string, JsonValue>>,
  limits: QueryLimits,
): PlannedQuery {
  const text = String(sql);
  const refuse = (problem: string, hint: string): PlannedQuery => {
    const place = `${resource.name}.${query.name}`;
    return { ok: false, finding: resourceCallFinding('SQL_REFUSED', place, `Dynamic SQL: ${problem}`, hint) };
  };
  const reading = parseSqlStatement(text);
  if (!reading.ok) return refuse(reading.problem, withMode(reading.hint, resource));
  const { placeholders, hasLimit } = reading.statement;
  if (placeholders > 0) return refuse('there is no value for the ? in the SQL', 'Write the value into the statement.');
  const wanted = hasLimit || typeof limit !== 'number' ? limits.maxRows : Math.floor(limit);
  return { ok: true, task: { ...limits, maxRows: Math.min(wanted, limits.maxRows), sql: text, values: [] } };
}
