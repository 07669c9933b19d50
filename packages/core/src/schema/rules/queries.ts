import { childPath } from '../finding.ts';
import { fieldsOf } from '../format/fields.generated.ts';
import { createInputCheck } from '../input/check-input.ts';
import { coerceInput } from '../input/check-value.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Place } from '../rule-report.ts';
import type { Input, Output, ResourceQuery } from '../schema.ts';
import { parseSqlStatement } from '../sql-statement.ts';
import { splitPlaceholders } from '../template.ts';
import { expectsFailure, parseExpectation } from './expectation.ts';
import { reportUnknownFields, textArray, textField } from './fields.ts';
import { parseOutput } from './output.ts';
import { isServerParam } from './placeholders.ts';
import { parseQueryParameters } from './query-parameters.ts';

const maxQueries = 8;

interface QueryContext extends Place {
  secrets: ReadonlySet<string>;
}

/** Parses the `queries` of a database; adds `runSql` (older name: `freeQuery`) and `describeTables` unless the schema has them. */
export function parseQueries(value: unknown, context: QueryContext): ReadonlyMap<string, ResourceQuery> {
  const { path, secrets, report } = context;
  const queries = new Map<string, ResourceQuery>();
  for (const [name, definition] of queryEntries(value, context)) {
    const place = childPath(`${path}.queries`, name);
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
      report('RES018', place, `query name ${JSON.stringify(name)} is not a camelCase word`);
    }
    const query = parseQuery(name, definition, { path: place, secrets, report });
    if (query) queries.set(name, query);
  }
  for (const query of [runSqlQuery, describeTablesQuery]) {
    const hasOlder = query === runSqlQuery && queries.has('freeQuery');
    if (!queries.has(query.name) && !hasOlder) queries.set(query.name, query);
  }
  return queries;
}

function queryEntries(value: unknown, { path, report }: QueryContext): [string, unknown][] {
  const place = `${path}.queries`;
  if (!isObject(value)) {
    const problem = value === undefined ? 'the database has no queries' : 'queries must be an object';
    const hint = "Write queries: { findPlace: { sql: 'SELECT …', description: '…', parameters: [] } }.";
    report('RES007', place, problem, { hint, severity: value === undefined ? 'warning' : 'error' });
    return [];
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > maxQueries) {
    const hint = 'Fewer and clearer queries are easier for models to choose from.';
    report('RES007', place, `the database has ${entries.length} queries; 1 to 8 are recommended`, {
      ...(entries.length > 0 && { hint }),
    });
  }
  if (!Object.hasOwn(value, 'getSchema')) {
    const hint =
      "Add getSchema: { sql: 'SELECT name, sql FROM sqlite_master', … }. describeTables is always available.";
    report('RES024', place, 'the database has no query getSchema', hint);
  }
  return entries;
}

/** Parses a query: `sql` with a `?` for each parameter, or `{{DYNAMIC_SQL}}`. Undefined if it cannot be run. */
function parseQuery(name: string, definition: unknown, context: QueryContext): ResourceQuery | undefined {
  const { path, report } = context;
  if (!isObject(definition)) return report('RES008', path, 'a query must be an object');
  reportUnknownFields(definition, fieldsOf.Query, { path, report });
  const description = textField(definition, 'description');
  if (description === undefined) {
    const hint = 'Describe what it finds and by which values; models choose by it.';
    report('RES009', `${path}.description`, `query ${name} has no description`, hint);
  }
  const { inputs: declared, bindings, isReadable } = parseQueryParameters(definition.parameters, context);
  const output = parseRows(definition.output, context);
  const sql = textField(definition, 'sql');
  if (sql === undefined) {
    report('RES008', `${path}.sql`, 'the query has no sql', "Write sql: 'SELECT … FROM … WHERE name LIKE ?'.");
  }
  const isCallers = sql !== undefined && /^\s*\{\{\s*DYNAMIC_SQL\s*\}\}\s*;?\s*$/.test(sql);
  // The schema's own `sql` and `limit` inputs replace the built-in ones; other inputs are not used.
  const inputs = isCallers
    ? dynamicInputs.map((input) => declared.find(({ name }) => name === input.name) ?? input)
    : declared;
  reportQueryTests(definition.tests, { ...(isReadable && { inputs }), path, report });
  if (sql === undefined) return undefined;
  const common = { name, description: description ?? '', sql, output, inputs, isDeclared: true };
  if (isCallers) return { ...common, bindings: [], isDynamic: true };
  return isRunnable(sql, bindings.length, context) ? { ...common, bindings, isDynamic: false } : undefined;
}

function isRunnable(sql: string, parameters: number, { path, secrets, report }: QueryContext): boolean {
  const place = `${path}.sql`;
  if (splitPlaceholders(sql).some((part) => part.kind === 'placeholder' && isServerParam(part.name, secrets))) {
    report('RES016', place, 'the sql contains a server parameter', 'Leave it out.');
    return false;
  }
  const reading = parseSqlStatement(sql);
  if (!reading.ok) {
    report('RES013', place, reading.problem, reading.hint);
    return false;
  }
  const { placeholders } = reading;
  if (placeholders === parameters) return true;
  const hint =
    'The first parameter goes to the first ?, and so on. WITH input AS (SELECT ? AS term) lets you use one value several times.';
  report('RES014', place, `the sql has ${placeholders} ?, the query has ${parameters} parameters`, hint);
  return false;
}

/** Parses the output of a query: `{ mimeType, schema }`, or the names of its columns in `{ columns }`. */
function parseRows(value: unknown, { path, report }: Place): Output {
  const place = `${path}.output`;
  if (value === undefined) {
    const hint = "Add output: { mimeType: 'application/json', schema: { type: 'array', items: { … } } }.";
    report('RES011', place, 'no output is declared', hint);
    return rowsOf({});
  }
  const columns = isObject(value) ? textArray(value.columns) : undefined;
  if (columns) return rowsOf(Object.fromEntries(columns.map((column) => [column, {}])));
  const output = parseOutput(value, { path, report });
  if (output?.schema === undefined) return rowsOf({});
  if (output.schema.type !== 'array') {
    const hint =
      "A query gives rows: write { type: 'array', items: { type: 'object', properties: { … } } }. A postRequest handler may give something else.";
    report('RES021', `${place}.schema`, 'output.schema must describe an array', hint);
  }
  return output;
}

function rowsOf(properties: JsonObject): Output {
  const items: JsonObject = { type: 'object', ...(Object.keys(properties).length > 0 && { properties }) };
  return { mimeType: 'application/json', schema: { type: 'array', items } };
}

interface TestsContext extends Place {
  inputs?: readonly Input[];
}

/** Checks `tests` of a query: `[{ _description, <parameter>: <value> }]`. All findings are warnings. */
function reportQueryTests(tests: unknown, { inputs, path, report }: TestsContext): void {
  if (!Array.isArray(tests) || tests.length === 0) {
    const hint = "Add tests: [{ _description: '…', <parameter>: <value> }], so that the query can be tested.";
    report('RES012', `${path}.tests`, 'the query has no tests', hint);
    return;
  }
  const check = inputs && createInputCheck(inputs);
  for (const [index, test] of tests.entries()) {
    const place = `${path}.tests[${index}]`;
    if (!isPlainObject(test)) {
      report('RES023', place, 'a test must be a plain object');
      continue;
    }
    if (test._expect !== undefined) parseExpectation(test._expect, { path: `${place}._expect`, report });
    if (expectsFailure(test._expect)) continue;
    // Keys with an underscore describe the test; they are not arguments.
    const result = check?.(Object.fromEntries(Object.entries(test).filter(([key]) => !key.startsWith('_'))));
    if (result === undefined || result.ok) continue;
    for (const { path: argument, message } of result.findings) {
      report('RES022', argument === '' ? place : childPath(place, argument), message.replace(/\.$/, ''));
    }
  }
}

function isPlainObject(test: unknown): test is Record<string, unknown> {
  return isObject(test) && coerceInput({ primitive: 'object', optional: false }, test) !== undefined;
}

const maxLimit = 1000;

const dynamicInputs: readonly Input[] = [
  {
    name: 'sql',
    aliases: [],
    description: 'One SELECT, WITH … SELECT or EXPLAIN statement of SQLite.',
    z: { primitive: 'string', optional: false, min: 1 },
  },
  {
    name: 'limit',
    aliases: [],
    description: 'Maximum number of rows. A LIMIT in the statement takes precedence.',
    z: { primitive: 'number', optional: true, default: 100, min: 1, max: maxLimit },
  },
];

const runSqlQuery: ResourceQuery = {
  name: 'runSql',
  description: 'Run one read-only SQL statement (SQLite) on the database. describeTables lists its tables and columns.',
  sql: '{{DYNAMIC_SQL}}',
  inputs: dynamicInputs,
  bindings: [],
  output: { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object' } } },
  isDynamic: true,
  isDeclared: false,
};

/** Lists tables and columns, without the tables behind full-text and spatial indexes. */
const describeTablesQuery: ResourceQuery = {
  name: 'describeTables',
  description: 'List the tables and views of the database with their columns.',
  sql: `SELECT tables.name AS table_name, columns.name AS "column", columns.type AS type
    FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.schema = 'main' AND tables.type <> 'shadow' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY tables.name, columns.cid`,
  inputs: [],
  bindings: [],
  output: {
    mimeType: 'application/json',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { table_name: { type: 'string' }, column: { type: 'string' }, type: { type: 'string' } },
      },
    },
  },
  isDynamic: false,
  isDeclared: false,
};
