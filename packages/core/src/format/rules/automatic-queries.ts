import type { ResourceQuery } from '../resource.ts';
import type { Input } from '../tool.ts';

/** Most rows that `limit` can ask for. */
const maxLimit = 1000;

/** What callers of a dynamic query pass. */
export const dynamicInputs: readonly Input[] = [
  {
    name: 'sql',
    aliases: [],
    description: 'One SELECT, WITH … SELECT or EXPLAIN statement of SQLite.',
    z: { primitive: 'string', optional: false, min: 1 },
  },
  {
    name: 'limit',
    aliases: [],
    description: 'Most rows to return. A LIMIT in the statement goes before it.',
    z: { primitive: 'number', optional: true, default: 100, min: 1, max: maxLimit },
  },
];

/** Lets a caller write the statement; in every database. */
export const runSqlQuery: ResourceQuery = {
  name: 'runSql',
  description: 'Run one reading SQL statement (SQLite) on the database. describeTables lists its tables and columns.',
  sql: '{{DYNAMIC_SQL}}',
  inputs: dynamicInputs,
  bindings: [],
  output: { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object' } } },
  isDynamic: true,
  isDeclared: false,
};

/** Lists tables and columns; in every database. The tables behind a full-text or spatial index are left out. */
export const describeTablesQuery: ResourceQuery = {
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
