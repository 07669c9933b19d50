import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { HandlerError } from '../sandbox/handler-error.ts';
import { callQuery, type QueryCall } from './call-query.ts';
import { createPlaces, databaseOf, openFolder } from './fixtures/places.ts';
import { closeQueryPool } from './query-pool.ts';

const folder = openFolder();
const file = join(folder.path, 'places.db');
createPlaces(file);
afterAll(async () => {
  await closeQueryPool();
  folder.remove();
});

const parameter = (key: string, primitive: string, ...options: string[]) => ({
  position: { key, value: '{{USER_PARAM}}' },
  z: { primitive, options },
});
const literal = (value: unknown, primitive: string) => ({
  position: { key: 'k', value },
  z: { primitive, options: [] },
});

/** Calls the one query of a resource. */
function call(query: Record<string, unknown>, params?: unknown, options: Partial<QueryCall> = {}) {
  const resource = databaseOf({
    database: file,
    queries: { find: { description: 'Find.', parameters: [], ...query } },
  });
  return callQuery({ read: [folder.path], resource, query: 'find', params, ...options });
}

/** Runs a statement of the caller's own. */
function runSql(sql: string, options: Partial<QueryCall> & { limit?: number; mode?: string } = {}) {
  const { limit, mode, ...rest } = options;
  const resource = databaseOf({ database: file, mode });
  return callQuery({
    read: [folder.path],
    resource,
    query: 'runSql',
    params: { sql, ...(limit !== undefined && { limit }) },
    ...rest,
  });
}

describe('arguments', () => {
  test('are bound to the ? in order', async () => {
    const find = {
      sql: 'SELECT name FROM places WHERE people > ? AND name <> ? ORDER BY name',
      parameters: [parameter('people', 'number()'), parameter('not', 'string()')],
    };
    expect((await call(find, { not: 'Ulm', people: 112_000 })).data).toEqual([{ name: 'Kiel' }]);
  });

  test('get their defaults, so that LIMIT ? works without one', async () => {
    const find = {
      sql: 'SELECT name FROM places ORDER BY name LIMIT ?',
      parameters: [parameter('limit', 'number()', 'max(100)', 'optional()', 'default(2)')],
    };
    expect((await call(find)).data).toEqual([{ name: 'Jena' }, { name: 'Kiel' }]);
    expect((await call(find, { limit: '1' })).data).toEqual([{ name: 'Jena' }]);
  });

  test('that are absent and optional are NULL', async () => {
    const find = { sql: 'SELECT ? IS NULL AS missing', parameters: [parameter('name', 'string()', 'optional()')] };
    expect((await call(find)).data).toEqual([{ missing: 1 }]);
  });

  test('are used many times through a WITH', async () => {
    const sql = `WITH search AS (SELECT ? AS term)
      SELECT name FROM places, search WHERE name LIKE '%' || term || '%' OR name = term ORDER BY name`;
    expect((await call({ sql, parameters: [parameter('term', 'string()', 'min(1)')] }, { term: 'e' })).data).toEqual([
      { name: 'Jena' },
      { name: 'Kiel' },
    ]);
  });

  test('are values, never SQL', async () => {
    const find = { sql: 'SELECT name FROM places WHERE name = ?', parameters: [parameter('name', 'string()')] };
    expect((await call(find, { name: "Ulm' OR '1'='1" })).data).toEqual([]);
  });

  test('keep their types: whole numbers are integers, booleans are 0 and 1', async () => {
    const find = {
      sql: "SELECT typeof(?) AS whole, typeof(?) AS part, ? || '' AS text, ? AS flag, 7 / ? AS quotient",
      parameters: [
        literal(5, 'number()'),
        literal('0.5', 'number()'),
        literal(5, 'number()'),
        literal(true, 'boolean()'),
        literal('2', 'number()'),
      ],
    };
    expect((await call(find)).data).toEqual([{ whole: 'integer', part: 'real', text: '5', flag: 1, quotient: 3 }]);
  });

  test('that are invalid are refused before anything runs', async () => {
    const find = { sql: 'SELECT ?', parameters: [parameter('limit', 'number()', 'max(100)')] };
    expect(await call(find, { limit: 101, other: 1 })).toMatchObject({
      status: false,
      data: null,
      findings: [{ code: 'INP003' }, { code: 'INP006' }],
    });
  });
});

describe('rows', () => {
  test('carry what JSON can carry', async () => {
    const { data } = await runSql(
      `SELECT x'00ff10' AS blob, 9007199254740991 AS safe, 9007199254740993 AS large, -9223372036854775808 AS least,
        1.5 AS part, 9e999 AS endless, NULL AS absent, 'ä"\n' AS text`,
    );
    expect(data).toEqual([
      {
        blob: 'AP8Q',
        safe: 9007199254740991,
        large: '9007199254740993',
        least: '-9223372036854775808',
        part: 1.5,
        endless: 'Infinity',
        absent: null,
        text: 'ä"\n',
      },
    ]);
  });

  test('keep every column, with any name', async () => {
    const { data } = await runSql(`SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS "__proto__", 5 AS constructor`);
    expect(Object.entries((data as object[])[0] ?? {})).toEqual([
      ['a', 1],
      ['a_3', 2],
      ['a_2', 3],
      ['__proto__', 4],
      ['constructor', 5],
    ]);
  });

  test('of a full-text search', async () => {
    const find = {
      sql: 'SELECT title FROM stops WHERE stops MATCH ? ORDER BY rank LIMIT 10',
      parameters: [parameter('words', 'string()')],
    };
    expect((await call(find, { words: 'kiel haupt*' })).data).toEqual([{ title: 'Kiel Hauptbahnhof' }]);
    expect(await call(find, { words: '"' })).toMatchObject({ status: false, findings: [{ code: 'SQL_ERROR' }] });
  });

  test('of a spatial index, a view, json_each and a plan', async () => {
    expect((await runSql('SELECT id FROM areas WHERE west > 9.95')).data).toEqual([{ id: 2 }]);
    expect((await runSql('SELECT name FROM big ORDER BY name')).data).toEqual([{ name: 'Kiel' }, { name: 'Ulm' }]);
    expect((await runSql(`SELECT value FROM json_each('[1,2]')`)).data).toEqual([{ value: 1 }, { value: 2 }]);
    expect((await runSql('EXPLAIN QUERY PLAN SELECT * FROM places')).data).toMatchObject([{ detail: 'SCAN places' }]);
  });

  test('of describeTables name tables and columns, without the tables behind an index', async () => {
    const resource = databaseOf({ database: file });
    const { data } = await callQuery({ read: [folder.path], resource, query: 'describeTables' });
    expect(data).toContainEqual({ table_name: 'places', column: 'people', type: 'INTEGER' });
    const tables = (data as { table_name: string }[]).map(({ table_name }) => table_name);
    expect([...new Set(tables)]).toEqual(['areas', 'big', 'places', 'stops']);
  });
});

describe('limits', () => {
  const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000) SELECT x FROM n';

  test('of rows: 1,000', async () => {
    const { findings, ...result } = await call({ sql: numbers });
    expect(result).toMatchObject({ status: true, truncated: true, rowCount: 1000 });
    expect(findings).toMatchObject([{ code: 'ROWS_CUT', severity: 'warning', path: 'places.find' }]);
    expect(result.data).toHaveLength(1000);
  });

  test('that are just met leave nothing out', async () => {
    expect(await call({ sql: `${numbers} LIMIT 1000` })).toMatchObject({
      truncated: false,
      rowCount: 1000,
      findings: [],
    });
  });

  test('of bytes count the rows as JSON', async () => {
    const result = await call({ sql: numbers }, {}, { maxBytes: 100 });
    expect(result).toMatchObject({ status: true, truncated: true, rowCount: 12 });
    expect(JSON.stringify(result.data).length).toBeLessThanOrEqual(100);
    expect(result.findings[0]?.message).toContain('100 bytes');
  });

  test('of a cell cut text between characters, and BLOBs', async () => {
    const sql = `SELECT 'aäöü€' AS text, x'0102030405' AS blob, 'abc' AS short`;
    const result = await runSql(sql, { maxCellBytes: 4 });
    expect(result.data).toEqual([{ text: 'aä', blob: 'AQIDBA==', short: 'abc' }]);
    expect(result).toMatchObject({ truncated: true, findings: [{ message: '2 cells were cut at 4 bytes' }] });
  });

  test('of a row that is larger than all of them', async () => {
    const result = await runSql(`SELECT hex(zeroblob(1000)) AS a`, { maxBytes: 1000 });
    expect(result).toMatchObject({ status: true, data: [], truncated: true, rowCount: 0 });
  });

  test('by default let a row of two full cells through and cut the third', async () => {
    const cell = 'hex(zeroblob(1048576))';
    const result = await runSql(`SELECT ${cell} AS a, ${cell} AS b`);
    expect(result).toMatchObject({ status: true, rowCount: 1, truncated: true });
    expect((result.data as { a: string }[])[0]?.a).toHaveLength(1_048_576);
  });

  test('of runSql are its input, or the LIMIT of the statement', async () => {
    expect(await runSql(numbers)).toMatchObject({ rowCount: 100, truncated: true });
    expect(await runSql(numbers, { limit: 7 })).toMatchObject({ rowCount: 7, truncated: true });
    expect(await runSql(`${numbers} LIMIT 300`)).toMatchObject({ rowCount: 300, truncated: false });
    expect(await runSql(`${numbers} LIMIT 3000`)).toMatchObject({ rowCount: 1000, truncated: true });
    expect(await runSql(numbers, { limit: 1001 })).toMatchObject({ findings: [{ code: 'INP003' }] });
  });
});

describe('a statement of the caller', () => {
  test('may be called freeQuery', async () => {
    const resource = databaseOf({ database: file });
    expect(
      (await callQuery({ read: [folder.path], resource, query: 'freeQuery', params: { sql: 'SELECT 1 AS one' } })).data,
    ).toEqual([{ one: 1 }]);
  });

  test('is needed', async () => {
    const resource = databaseOf({ database: file });
    expect((await callQuery({ read: [folder.path], resource, query: 'runSql', params: {} })).findings).toMatchObject([
      { code: 'INP001' },
    ]);
    expect(
      (await callQuery({ read: [folder.path], resource, query: 'runSql', params: { sql: '' } })).findings,
    ).toMatchObject([{ code: 'INP003' }]);
  });

  test('that writes is refused, in both modes', async () => {
    expect(await runSql('DELETE FROM places')).toMatchObject({
      findings: [{ code: 'SQL_REFUSED', message: expect.stringMatching(/^Dynamic SQL: .*DELETE/) }],
    });
    const { findings } = await runSql('DELETE FROM places', { mode: 'file-based' });
    expect(findings).toMatchObject([
      { code: 'SQL_REFUSED', hint: expect.stringContaining('Writing is not supported') },
    ]);
  });

  test('has no ?', async () => {
    expect((await runSql('SELECT ?')).findings).toMatchObject([{ code: 'SQL_REFUSED' }]);
  });

  test('with a mistake gets the error of SQLite', async () => {
    const { findings } = await runSql('SELECT nme FROM places');
    expect(findings).toMatchObject([
      {
        code: 'SQL_ERROR',
        path: 'places.runSql',
        message: 'SQL error: no such column: nme',
        hint: expect.stringContaining('describeTables'),
      },
    ]);
  });
});

test('an unknown query gets a suggestion', async () => {
  const resource = databaseOf({ database: file, queries: { findPlace: { sql: 'SELECT 1' } } });
  expect(await callQuery({ read: [folder.path], resource, query: 'findPlaces' })).toMatchObject({
    status: false,
    findings: [
      {
        code: 'QUERY_UNKNOWN',
        message: 'Query "findPlaces" not found in resource places',
        hint: 'Did you mean findPlace?',
      },
    ],
  });
});

describe('full-text search', () => {
  const find = {
    sql: 'SELECT title FROM stops WHERE stops MATCH ?',
    parameters: [parameter('text', 'string()')],
  };
  const hint = expect.stringContaining('put each word or phrase in double quotes');

  test.each(['"Ulm', 'Ulm AND', 'Ulm-Haupt', 'Ulm: a', 'ICE.11', '*', '(Ulm'])(
    'that cannot read %s says how to write it',
    async (text) => {
      expect(await call(find, { text })).toMatchObject({ status: false, findings: [{ code: 'SQL_ERROR', hint }] });
    },
  );

  test('accepts what the hint says', async () => {
    expect(await call(find, { text: '"Ulm-Hauptbahnhof"' })).toMatchObject({ data: [{ title: 'Ulm Hauptbahnhof' }] });
  });

  test('gives no hint about search for a misspelled column', async () => {
    const { findings } = await runSql('SELECT nme FROM places');
    expect(findings).toMatchObject([{ hint: 'describeTables lists the tables and columns.' }]);
  });
});

describe('a handler after the query', () => {
  test('gets the rows, the statement and the arguments', async () => {
    const find = { sql: 'SELECT ? AS name', parameters: [parameter('name', 'string()')] };
    const result = await call(
      find,
      { name: 'Ulm' },
      {
        postRequest: async ({ response, struct, payload }) => ({ response: { rows: response, ...struct, ...payload } }),
      },
    );
    expect(result).toMatchObject({ status: true, rowCount: 1 });
    expect(result.data).toEqual({ rows: [{ name: 'Ulm' }], queryName: 'find', sql: 'SELECT ? AS name', name: 'Ulm' });
  });

  test.each([
    [undefined, [{ one: 1 }]],
    ['text', 'text'],
    [{ response: null }, null],
    [[1], [1]],
  ])('that gives %j', async (given, data) => {
    expect((await runSql('SELECT 1 AS one', { postRequest: async () => given })).data).toEqual(data);
  });

  test('that fails is a failure of the call', async () => {
    const place = { schema: 's', tool: 'places.find', hook: 'postRequest' };
    const error = new HandlerError({ code: 'HANDLER_TIMEOUT', message: 'too slow', hint: 'Be quick.' }, place);
    expect(await runSql('SELECT 1', { postRequest: () => Promise.reject(error) })).toMatchObject({
      status: false,
      data: null,
      findings: [{ code: 'HANDLER_TIMEOUT', message: 'postRequest error: too slow', hint: 'Be quick.' }],
    });
  });
});
