import { childPath, type Report } from '../finding.ts';
import { isObject } from '../json.ts';
import type { ResourceQuery } from '../resource.ts';
import { resourceFinding } from '../resource-codes.ts';
import { describeTablesQuery, runSqlQuery } from './automatic-queries.ts';
import { readQuery } from './resource-query.ts';

const maxQueries = 8;

interface QueriesContext {
  path: string;
  /** The names in `requiredServerParams`. */
  secrets: ReadonlySet<string>;
  report: Report;
}

/**
 * Reads the `queries` of a database, and adds `runSql` and `describeTables` where the schema has none of its own.
 * `freeQuery` is the older name of `runSql`: a schema that has it gets no second one.
 */
export function readQueries(value: unknown, context: QueriesContext): ReadonlyMap<string, ResourceQuery> {
  const { path, secrets, report } = context;
  const queries = new Map<string, ResourceQuery>();
  for (const [name, definition] of queryEntries(value, context)) {
    const place = childPath(`${path}.queries`, name);
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
      report(resourceFinding('RES018', place, `query name ${JSON.stringify(name)} is not a camelCase word`));
    }
    const query = readQuery(name, definition, { path: place, secrets, report });
    if (query) queries.set(name, query);
  }
  for (const query of [runSqlQuery, describeTablesQuery]) {
    const hasOlder = query === runSqlQuery && queries.has('freeQuery');
    if (!queries.has(query.name) && !hasOlder) queries.set(query.name, query);
  }
  return queries;
}

function queryEntries(value: unknown, { path, report }: QueriesContext): [string, unknown][] {
  const place = `${path}.queries`;
  if (!isObject(value)) {
    const problem = value === undefined ? 'the database has no queries' : 'queries must be an object';
    const hint = "Write queries: { findPlace: { sql: 'SELECT …', description: '…', parameters: [] } }.";
    report(resourceFinding('RES007', place, problem, { hint, severity: value === undefined ? 'warning' : 'error' }));
    return [];
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > maxQueries) {
    const hint = 'Fewer and clearer queries are easier for models to choose from.';
    report(
      resourceFinding('RES007', place, `the database has ${entries.length} queries; 1 to 8 are usual`, {
        ...(entries.length > 0 && { hint }),
      }),
    );
  }
  if (!Object.hasOwn(value, 'getSchema')) {
    report(
      resourceFinding('RES024', place, 'the database has no query getSchema', {
        hint: "Add getSchema: { sql: 'SELECT name, sql FROM sqlite_master', … }. describeTables is there in any case.",
      }),
    );
  }
  return entries;
}
