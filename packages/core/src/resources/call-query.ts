import type { Finding } from '../schema/finding.ts';
import { createInputCheck, type InputCheck } from '../schema/input/check-input.ts';
import type { JsonValue } from '../schema/json.ts';
import type { DatabaseResource, ResourceQuery } from '../schema/schema.ts';
import { parseSqlStatement } from '../schema/sql-statement.ts';
import { type LocateOptions, locateFile } from './locate-file.ts';
import type { BoundValue, QueryLimits, QueryTask } from './query-message.ts';
import { runInQueryPool } from './query-pool.ts';
import {
  hookFinding,
  lossFinding,
  queryFailureFinding,
  resourceCallFinding,
  truncationFindings,
  unknownQueryFinding,
  withMode,
} from './resource-finding.ts';

/** Runs after a query. The `response` that it returns replaces the rows; if it throws, the call fails. */
export type RowsHook = (context: RowsHookContext) => Promise<unknown>;

export interface RowsHookContext {
  response: JsonValue;
  struct: { queryName: string; sql: string };
  payload: Record<string, JsonValue>;
}

export interface QueryCall extends LocateOptions, Partial<QueryLimits> {
  resource: DatabaseResource;
  /** Name of the query. `freeQuery` and `runSql` are the same. */
  query: string;
  params?: unknown;
  signal?: AbortSignal | undefined;
  /** Deadline of the query, in milliseconds. It waits at most as long for a free host. Default 10 seconds. */
  timeoutMs?: number;
  postRequest?: RowsHook | undefined;
}

/** `data` is null unless the query succeeded. */
export interface QueryResult {
  status: boolean;
  /** Errors, or the warning `ROWS_CUT`. */
  findings: Finding[];
  /** The rows as objects, or what the hook returned. */
  data: unknown;
  rowCount: number;
  /** Whether a limit left out rows or truncated cells. */
  truncated: boolean;
}

const checks = new WeakMap<ResourceQuery, InputCheck>();

/**
 * Runs a query of a database: checks the arguments, finds the database, binds the values in order, and runs the statement in a
 * host process that can only read and is killed at the deadline. Returns rows as objects (docs/resources.md, "Rows"). Never
 * throws.
 *
 * Default limits: 1,000 rows, 5 MiB for all rows as JSON, 1 MiB for a cell.
 */
export async function callQuery(call: QueryCall): Promise<QueryResult> {
  const { resource, signal, timeoutMs = 10_000 } = call;
  const query = findQuery(resource, call.query);
  if (query === undefined) return failed(unknownQueryFinding(call));
  const checked = checkInput(query, call.params);
  if (!checked.ok) return failed(...checked.findings);
  const planned = planQuery(resource, query, { values: checked.values, limits: limitsOf(call) });
  if (!planned.ok) return failed(planned.finding);
  const located = await locateFile(resource, call);
  if (!located.ok) return failed(located.finding);
  const { task } = planned;
  const outcome = await runInQueryPool({ database: located.file, task, timeoutMs, signal });
  if (outcome.type === 'lost') return failed(lossFinding(outcome, call));
  if (outcome.type === 'failed') return failed(queryFailureFinding(outcome.failure, { ...call, file: located.file }));
  const { rows } = outcome;
  const findings = truncationFindings(rows, task, call);
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

/** Finds a query by its name, or by the alias of `runSql`. */
function findQuery({ queries }: DatabaseResource, name: string): ResourceQuery | undefined {
  const alias = name === 'freeQuery' ? 'runSql' : name === 'runSql' ? 'freeQuery' : name;
  return queries.get(name) ?? queries.get(alias);
}

function checkInput(query: ResourceQuery, params: unknown): ReturnType<InputCheck> {
  const check = checks.get(query) ?? createInputCheck(query.inputs);
  checks.set(query, check);
  return check(params);
}

function limitsOf({ maxRows = 1000, maxBytes = 5 * 1024 * 1024, maxCellBytes = 1024 * 1024 }: QueryCall): QueryLimits {
  return { maxRows, maxBytes, maxCellBytes };
}

/** A hook that returns nothing leaves the rows; one that returns no `response` returns the value itself. */
function responseOf(changed: unknown, rows: JsonValue): unknown {
  if (typeof changed !== 'object' || changed === null) return changed ?? rows;
  return 'response' in changed ? changed.response : changed;
}

function failed(...findings: Finding[]): QueryResult {
  return { status: false, findings, data: null, rowCount: 0, truncated: false };
}

type PlannedQuery = { ok: true; task: QueryTask } | { ok: false; finding: Finding };

interface QueryInput {
  values: Readonly<Record<string, JsonValue>>;
  limits: QueryLimits;
}

/** Puts checked values in the order of the `?`. An absent value is NULL. */
function planQuery(resource: DatabaseResource, query: ResourceQuery, input: QueryInput): PlannedQuery {
  if (query.isDynamic) return planDynamicQuery(resource, query, input);
  const values = query.bindings.map((binding): BoundValue => {
    const value = binding.kind === 'literal' ? binding.value : input.values[binding.name];
    return value === undefined || typeof value === 'object' ? null : value;
  });
  return { ok: true, task: { ...input.limits, sql: query.sql, values } };
}

/** A statement of the caller. If it has no LIMIT, the input `limit` is the number of rows. */
function planDynamicQuery(resource: DatabaseResource, query: ResourceQuery, input: QueryInput): PlannedQuery {
  const { values, limits } = input;
  const sql = String(values.sql);
  const refuse = (problem: string, hint: string): PlannedQuery => {
    const path = `${resource.name}.${query.name}`;
    return { ok: false, finding: resourceCallFinding('SQL_REFUSED', path, `Dynamic SQL: ${problem}`, hint) };
  };
  const parsed = parseSqlStatement(sql);
  if (!parsed.ok) return refuse(parsed.problem, withMode(parsed.hint, resource));
  const { placeholders, hasLimit } = parsed;
  if (placeholders > 0) return refuse('there is no value for the ? in the SQL', 'Write the value into the statement.');
  const rows = hasLimit || typeof values.limit !== 'number' ? limits.maxRows : Math.floor(values.limit);
  return { ok: true, task: { ...limits, maxRows: Math.min(rows, limits.maxRows), sql, values: [] } };
}
