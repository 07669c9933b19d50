import { copyFileSync, existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { callQuery } from './call-query.ts';
import { createDatabase, createPlaces, databaseOf, hashOf, openFolder } from './fixtures/places.ts';
import type { BoundValue } from './query-message.ts';
import { closeQueryPool, runInQueryPool } from './query-pool.ts';

const folder = openFolder();
const file = join(folder.path, 'places.db');
const other = join(folder.path, 'other.db');
createPlaces(file);
createDatabase(other, `CREATE TABLE secrets (value TEXT); INSERT INTO secrets VALUES ('hidden')`);
const hash = hashOf(file);
const names = readdirSync(folder.path).sort();
afterAll(async () => {
  await closeQueryPool();
  folder.remove();
});

const resource = databaseOf({ database: file });
const runSql = (sql: string, options = {}) =>
  callQuery({ read: [folder.path], resource, query: 'runSql', params: { sql }, ...options });
const limits = { maxRows: 10, maxBytes: 10_000, maxCellBytes: 1000 };

/** Hands a statement to a host without the check before it. */
function runUnchecked(sql: string, values: readonly BoundValue[] = []) {
  return runInQueryPool({ database: file, task: { ...limits, sql, values }, timeoutMs: 5000 });
}

function expectUntouched(): void {
  expect(hashOf(file)).toBe(hash);
  expect(readdirSync(folder.path).sort()).toEqual(names);
}

const attacks: [string][] = [
  [`ATTACH '${other}' AS other`],
  [`SELECT 1; ATTACH '${other}' AS other`],
  [`/* SELECT */ ATTACH '${other}' AS other --`],
  [`SELECT ';--'; ATTACH '${other}' AS other`],
  [`VACUUM INTO '${join(folder.path, 'copy.db')}'`],
  ['VACUUM'],
  ['PRAGMA journal_mode = WAL'],
  ['PRAGMA query_only = OFF'],
  ['PRAGMA user_version = 7'],
  ['PRAGMA writable_schema = ON'],
  ['EXPLAIN PRAGMA journal_mode = WAL'],
  [`INSERT INTO places (name) VALUES ('x')`],
  ['UPDATE places SET people = 0'],
  ['DELETE FROM places'],
  ['DROP TABLE places'],
  ['CREATE TABLE more (x)'],
  ['CREATE TEMP TABLE more AS SELECT 1'],
  ['WITH a AS (SELECT 1) DELETE FROM places'],
  ['WITH a(x) AS (SELECT 1) INSERT INTO places (name) SELECT x FROM a'],
  [`WITH a AS (SELECT 1) UPDATE places SET name = 'x'`],
  [`INSERT INTO stops (stops) VALUES ('rebuild')`],
  [`SELECT load_extension('/tmp/x.so')`],
  [`SELECT fts3_tokenizer('simple', 'abcdefgh')`],
  [`SELECT writefile('${join(folder.path, 'written')}', 'x')`],
  ['BEGIN EXCLUSIVE'],
  ['REINDEX'],
  ['ANALYZE'],
];

describe('nothing but reading', () => {
  test.each(attacks)('%s is refused', async (sql) => {
    const result = await runSql(sql);
    expect(result).toMatchObject({ status: false, data: null, findings: [{ code: 'SQL_REFUSED', severity: 'error' }] });
    expectUntouched();
  });

  test
    .runIf('setAuthorizer' in DatabaseSync.prototype)
    .each(attacks.filter(([sql]) => !sql.startsWith('SELECT 1;') && !sql.startsWith("SELECT ';")))(
    '%s is refused by the host as well',
    async (sql) => {
      const outcome = await runUnchecked(sql);
      // SQLite runs the first statement and leaves the rest; a function that it does not know is an error of the statement.
      expect(outcome).toMatchObject({ type: 'failed' });
      expectUntouched();
      expect((await runUnchecked('SELECT count(*) AS n FROM places')).type).toBe('done');
    },
  );

  test('a bound text is not used as a tokenizer', async () => {
    const sql = 'SELECT fts3_tokenizer(?, ?)';
    const definition = { sql, description: 'x', parameters: [textParameter('a'), textParameter('b')] };
    expect(() => databaseOf({ database: file, queries: { find: definition } })).toThrow('fts3_tokenizer()');
  });

  test('the file is unchanged after many queries', async () => {
    for (const sql of [
      'SELECT * FROM places',
      `SELECT * FROM stops WHERE stops MATCH 'ulm'`,
      'SELECT * FROM areas ORDER BY west',
    ]) {
      expect((await runSql(sql)).status).toBe(true);
    }
    await closeQueryPool();
    expectUntouched();
  });

  test('no files are created beside a database with a write-ahead log', async () => {
    const inner = openFolder();
    const log = join(inner.path, 'log.db');
    createDatabase(log, 'PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)');
    const before = hashOf(log);
    const logged = databaseOf({ database: log });
    const read = () =>
      callQuery({ read: [inner.path], resource: logged, query: 'runSql', params: { sql: 'SELECT x FROM t' } });
    expect((await read()).data).toEqual([{ x: 1 }]);
    expect(readdirSync(inner.path)).toEqual(['log.db']);
    expect(hashOf(log)).toBe(before);
    // Another program writes: rows in the log are read as well.
    const writer = new DatabaseSync(log);
    writer.exec('INSERT INTO t VALUES (2)');
    expect((await read()).data).toEqual([{ x: 1 }, { x: 2 }]);
    writer.close();
    expect((await read()).data).toEqual([{ x: 1 }, { x: 2 }]);
    inner.remove();
  });
});

function textParameter(key: string) {
  return { position: { key, value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } };
}

describe('a query that does not end', () => {
  const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

  test('is killed at its deadline, and the next one works', async () => {
    const start = performance.now();
    const result = await runSql(endless, { timeoutMs: 400 });
    expect(result).toMatchObject({
      status: false,
      findings: [{ code: 'QUERY_TIMEOUT', message: 'The query was ended: it gave no answer within 400 ms' }],
    });
    expect(performance.now() - start).toBeLessThan(8000);
    expect((await runSql('SELECT 1 AS one')).data).toEqual([{ one: 1 }]);
  });

  test('is killed by its signal', async () => {
    const controller = new AbortController();
    const running = runSql(endless, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    expect(await running).toMatchObject({ findings: [{ code: 'QUERY_ABORTED' }] });
    expect(await runSql('SELECT 1', { signal: controller.signal })).toMatchObject({
      findings: [{ code: 'QUERY_ABORTED' }],
    });
  });
});

describe('a query that needs too much memory', () => {
  test.each([
    ['in one text', `SELECT length(hex(zeroblob(400000000)) || hex(zeroblob(400000000))) AS n`],
    [
      'in many values',
      `WITH RECURSIVE c(x) AS (SELECT randomblob(1000000) UNION ALL SELECT randomblob(1000000) FROM c LIMIT 3000)
       SELECT count(*) FROM (SELECT x FROM c ORDER BY x)`,
    ],
    ['in a row', 'SELECT hex(zeroblob(200000000)) AS a, hex(zeroblob(200000000)) AS b'],
  ])(
    '%s is ended, and the next one works',
    async (_, sql) => {
      // The deadline must not come first, however busy the machine is.
      const result = await runSql(sql, { timeoutMs: 60_000 });
      expect(result).toMatchObject({ status: false, findings: [{ code: 'QUERY_MEMORY' }] });
      expect((await runSql('SELECT 1 AS one')).data).toEqual([{ one: 1 }]);
    },
    90_000,
  );
});

describe('a file that is not a valid database', () => {
  const broken = join(folder.path, 'broken.db');
  const read = (sql = 'SELECT * FROM places') =>
    callQuery({ read: [folder.path], resource: databaseOf({ database: broken }), query: 'runSql', params: { sql } });
  beforeEach(() => closeQueryPool());
  afterAll(() => names.push('broken.db'));

  test('not SQLite', async () => {
    writeFileSync(broken, 'id,name\n'.repeat(1000));
    expect(await read()).toMatchObject({
      status: false,
      findings: [
        { code: 'DATABASE_UNREADABLE', message: `Failed to open database "${broken}": file is not a database` },
      ],
    });
  });

  test('damaged', async () => {
    createDatabase(
      broken.replace('broken', 'whole'),
      'CREATE TABLE places (x); INSERT INTO places VALUES (zeroblob(100000))',
    );
    const whole = join(folder.path, 'whole.db');
    truncateSync(whole, 4096 * 3);
    const { findings } = await callQuery({
      read: [folder.path],
      resource: databaseOf({ database: whole }),
      query: 'runSql',
      params: { sql: 'SELECT * FROM places' },
    });
    expect(findings).toMatchObject([{ code: 'DATABASE_UNREADABLE', message: expect.stringContaining('malformed') }]);
  });

  test('with an interrupted write', async () => {
    const inner = openFolder();
    const [busy, copy] = [join(inner.path, 'busy.db'), join(inner.path, 'copy.db')];
    const writer = new DatabaseSync(busy);
    writer.exec(`CREATE TABLE t (x); WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000) INSERT INTO t SELECT hex(randomblob(200)) FROM n;
      PRAGMA cache_size = 5; BEGIN; UPDATE t SET x = hex(randomblob(200))`);
    for (const part of ['', '-journal']) copyFileSync(busy + part, copy + part);
    const before = hashOf(copy);
    const unfinished = databaseOf({ database: copy });
    const { findings } = await callQuery({
      read: [inner.path],
      resource: unfinished,
      query: 'runSql',
      params: { sql: 'SELECT * FROM t' },
    });
    expect(findings).toMatchObject([
      { code: 'DATABASE_UNREADABLE', message: expect.stringContaining('a write to it was interrupted') },
    ]);
    expect(hashOf(copy)).toBe(before);
    writer.close();
    inner.remove();
  });

  test('empty', async () => {
    writeFileSync(broken, '');
    expect(await read()).toMatchObject({
      findings: [{ code: 'SQL_ERROR', message: 'SQL error: no such table: places' }],
    });
  });

  test('missing: all paths that were tried are named', async () => {
    const missing = databaseOf({ database: 'nowhere.db' });
    const schemaFile = join(folder.path, 'schemas', 'places.mjs');
    const { findings } = await callQuery({
      read: [folder.path],
      resource: missing,
      query: 'describeTables',
      schemaFile,
      cwd: folder.path,
    });
    expect(findings).toMatchObject([{ code: 'FILE_MISSING', severity: 'error' }]);
    expect(findings[0]?.message).toContain(join(folder.path, 'schemas', 'nowhere.db'));
    expect(findings[0]?.message).toContain(join(folder.path, 'nowhere.db'));
    expect(existsSync(join(folder.path, 'nowhere.db'))).toBe(false);
  });
});
