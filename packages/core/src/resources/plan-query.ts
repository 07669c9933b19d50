import type { Finding } from '../format/finding.ts';
import type { JsonValue } from '../format/json.ts';
import type { DatabaseResource, ResourceQuery } from '../format/resource.ts';
import { readSqlStatement } from '../format/sql-statement.ts';
import { withMode } from './query-findings.ts';
import type { BoundValue, QueryLimits, QueryTask } from './query-message.ts';
import { resourceCallFinding } from './resource-finding.ts';

/** What a host is to run, or why it gets nothing. */
export type PlannedQuery = { ok: true; task: QueryTask } | { ok: false; finding: Finding };

interface QueryPlace {
  resource: DatabaseResource;
  query: ResourceQuery;
}

/** Puts the checked values of a call in the order of the `?`. A value that is absent is NULL. */
export function planQuery(
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
  const reading = readSqlStatement(text);
  if (!reading.ok) return refuse(reading.problem, withMode(reading.hint, resource));
  const { placeholders, hasLimit } = reading.statement;
  if (placeholders > 0) return refuse('there is no value for the ? in the SQL', 'Write the value into the statement.');
  const wanted = hasLimit || typeof limit !== 'number' ? limits.maxRows : Math.floor(limit);
  return { ok: true, task: { ...limits, maxRows: Math.min(wanted, limits.maxRows), sql: text, values: [] } };
}
