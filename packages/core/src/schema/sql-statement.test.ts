import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSqlStatement, tokenizeSql } from './sql-statement.ts';

function problemOf(sql: string): string {
  const reading = parseSqlStatement(sql);
  return reading.ok ? '' : reading.problem;
}

describe('a read-only statement', () => {
  test.each([
    'SELECT 1',
    '  select * from t where a = ? ;  ',
    'SELECT 1;;; -- the end',
    '/* first */ -- second\n SELECT 1 /* third ; */ ;',
    '\ufeffSELECT 1',
    "SELECT ';', 'it''s; ATTACH', \"a;b\", `c;d`, [e;f] FROM t",
    'SELECT replace(name, ?, ?) FROM t',
    'SELECT "delete", [insert] FROM "update"',
    'SELECT name AS edit, load_extension FROM t',
    "WITH search AS (SELECT ? AS term) SELECT * FROM t, search WHERE t.name LIKE '%' || term || '%'",
    'WITH RECURSIVE n(x, y) AS (SELECT 1, 2 UNION ALL SELECT x + 1, y FROM n) SELECT * FROM n LIMIT 3',
    'WITH a AS MATERIALIZED (SELECT 1), b(x) AS NOT MATERIALIZED (SELECT (2)) SELECT * FROM a, b',
    'WITH a AS (SELECT 1) VALUES (1)',
    'EXPLAIN SELECT 1',
    'EXPLAIN QUERY PLAN WITH a AS (SELECT 1) SELECT * FROM a',
    "SELECT * FROM pragma_table_info('t')",
    'SELECT 1 /* never closed',
  ])('%s', (sql) => {
    expect(parseSqlStatement(sql)).toMatchObject({ ok: true });
  });
});

describe('anything else is refused', () => {
  test.each([
    ['', 'no statement'],
    [' ; -- nothing\n', 'no statement'],
    ['SELECT 1; SELECT 2', 'more than one statement'],
    ['SELECT 1; /* ; */ DROP TABLE t', 'more than one statement'],
    ["SELECT 'a''; b'; ATTACH 'x' AS y", 'more than one statement'],
    ["SELECT '--'; DELETE FROM t", 'more than one statement'],
    ['SELECT "/*"; DELETE FROM t --*/', 'more than one statement'],
    ["ATTACH DATABASE '/tmp/x.db' AS x", 'found ATTACH'],
    ["/* SELECT */ ATTACH '/tmp/x.db' AS x", 'found ATTACH'],
    ["--\nVACUUM INTO '/tmp/x.db'", 'found VACUUM'],
    ['PRAGMA user_version = 5', 'found PRAGMA'],
    ['EXPLAIN PRAGMA journal_mode = DELETE', 'found PRAGMA'],
    ['EXPLAIN QUERY PLAN DELETE FROM t', 'found DELETE'],
    ['INSERT INTO t VALUES (1)', 'found INSERT'],
    ['REPLACE INTO t VALUES (1)', 'found REPLACE'],
    ['VALUES (1)', 'found VALUES'],
    ['"SELECT" 1', 'found SELECT'],
    ['WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a', 'found INSERT'],
    ['WITH a(x) AS (SELECT 1), b AS (SELECT 2) UPDATE t SET x = 1', 'found UPDATE'],
    ['WITH RECURSIVE a AS (SELECT (1)) DELETE FROM t', 'found DELETE'],
    ['WITH a AS (SELECT 1) REPLACE INTO t SELECT 1', 'found REPLACE'],
    ['WITH a AS (SELECT 1)', 'found nothing'],
    ["SELECT load_extension('x')", 'load_extension()'],
    ['SELECT "Load_Extension" /* */ (\'x\')', 'load_extension()'],
    ["SELECT [fts3_tokenizer]('simple', ?)", 'fts3_tokenizer()'],
    ["SELECT writefile('/tmp/x', 'y')", 'writefile()'],
    ['SELECT * FROM pragma_database_list', 'pragma_database_list'],
    ["SELECT * FROM 'pragma_database_list'", 'pragma_database_list'],
    ['SELECT * FROM main.[PRAGMA_compile_options]()', 'pragma_compile_options'],
    ['SELECT :name', 'placeholder :name'],
    ['SELECT ?1, ?1', 'placeholder ?1'],
    ['SELECT $x(;ATTACH)', 'more than one statement'],
    ['SELECT {{id}}', 'in braces'],
    ["SELECT 'open", 'never closed'],
    ['SELECT [open', 'never closed'],
    ['SELECT 1\0; DROP TABLE t', 'NUL'],
    ["SELECT '\0'", 'NUL'],
  ])('%j: %s', (sql, problem) => {
    expect(problemOf(sql)).toContain(problem);
  });
});

test('doubled quotes are one', () => {
  expect(tokenizeSql(`'it''s' "a""b" [c]`)).toEqual({
    ok: true,
    tokens: [
      { kind: 'text', text: "it's" },
      { kind: 'name', text: 'a"b' },
      { kind: 'name', text: 'c' },
    ],
  });
});

test('only real placeholders are counted', () => {
  const sql = 'SELECT ?, \'?\', "?", [?], `?` -- ?\n /* ? */ FROM t WHERE a=? AND b IN (?,?)';
  expect(parseSqlStatement(sql)).toMatchObject({ placeholders: 4 });
});

test('a LIMIT counts only for the whole statement', () => {
  expect(parseSqlStatement('SELECT 1 limit 5')).toMatchObject({ hasLimit: true });
  expect(parseSqlStatement('SELECT (SELECT 1 LIMIT 1)')).toMatchObject({ hasLimit: false });
  expect(parseSqlStatement('SELECT \'LIMIT\', "limit"')).toMatchObject({ hasLimit: false });
});

test('a megabyte of text is parsed quickly', () => {
  for (const piece of ["'", '/*', '--\n', '((', 'WITH a AS (', "''", '"', 'SELECT ']) {
    const start = process.cpuUsage();
    parseSqlStatement(piece.repeat(1_000_000 / piece.length));
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  }
});

const pieces = [
  ...['SELECT', 'WITH', 'EXPLAIN', 'QUERY PLAN', 'RECURSIVE', 'AS', 'VALUES', 'FROM', 't', 'a', 'x', '1', '?', 'u'],
  ...['(', ')', ',', ';', '.', '*', '=', '-', '--', '/', '/*', '*/', "'", "''", '"', '`', '[', ']', '\n', '\0', '\\'],
  ...[
    'SELECT 1',
    'AS (SELECT 1)',
    'a AS (SELECT 1)',
    'WITH a AS (SELECT 1)',
    'FROM t',
    ' ',
    '\t',
    '\ufeff',
    'é',
    '$',
    ':',
    '@a',
    '#',
  ],
  ...['DELETE FROM t', 'INSERT INTO t VALUES (1)', 'REPLACE INTO t VALUES (1)', 'UPDATE t SET a = 1', 'DROP TABLE t'],
  ...[
    "ATTACH ':memory:' AS x",
    'PRAGMA user_version = 1',
    'VACUUM',
    'CREATE TABLE u (a)',
    'BEGIN',
    'COMMIT',
    'ANALYZE',
    'REINDEX',
  ],
];

// https://www.sqlite.org/c3ref/c_alter_table.html: READ, SELECT, FUNCTION, RECURSIVE.
const readingActions = [20, 21, 31, 33];

test.runIf('setAuthorizer' in DatabaseSync.prototype)('SQLite finds only reading in accepted statements', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (a, x)');
  const actions = new Set<number>();
  const { setAuthorizer } = database as unknown as { setAuthorizer: (callback: (code: number) => number) => void };
  setAuthorizer.call(database, (code) => {
    actions.add(code);
    return 0;
  });
  let compiled = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }), fc.boolean(), (parts, tight) => {
      const sql = parts.join(tight ? '' : ' ');
      if (!parseSqlStatement(sql).ok) return;
      actions.clear();
      try {
        // `exec` also runs the following statements; `prepare` ignores them.
        database.exec(sql);
        compiled += 1;
      } catch {
        // Not SQL. What SQLite asked about before it saw that still counts.
      }
      expect([...actions].filter((code) => !readingActions.includes(code))).toEqual([]);
    }),
    { numRuns: 30_000 },
  );
  expect(compiled).toBeGreaterThan(50);
});
