import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createDatabase, createPlaces, openFolder } from './fixtures/places.ts';
import { createQueryPool, type QueryPool } from './query-pool.ts';

const folder = openFolder();
const file = join(folder.path, 'places.db');
createPlaces(file);
const pools: QueryPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});
afterAll(() => folder.remove());

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

function open(options?: Parameters<typeof createQueryPool>[0]) {
  const pool = createQueryPool(options);
  pools.push(pool);
  const run = (
    sql: string,
    { database = file, timeoutMs = 5000, signal }: { database?: string; timeoutMs?: number; signal?: AbortSignal } = {},
  ) =>
    pool.run({
      database,
      task: { sql, values: [], maxRows: 100, maxBytes: 100_000, maxCellBytes: 1000 },
      timeoutMs,
      signal,
    });
  return { pool, run };
}

/** Process ids of the hosts of a database. */
function hostsOf(database: string): string[] {
  const processes = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return processes
    .filter((line) => line.includes('query-process') && line.includes(database))
    .map((line) => line.trim().split(' ')[0] ?? '');
}

test('fifty concurrent queries are all answered, by one host if they are quick', async () => {
  const { run } = open({ sizePerDatabase: 1 });
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => run(`SELECT ${index} AS n`)));
  expect(outcomes.map((outcome) => outcome.type === 'done' && outcome.rows.json)).toEqual(
    Array.from({ length: 50 }, (_, index) => `[{"n":${index}}]`),
  );
  expect(hostsOf(file)).toHaveLength(1);
});

test('a host is reused, and ends when it has been idle', async () => {
  const { run } = open({ idleMs: 300 });
  await run('SELECT 1');
  const [first] = hostsOf(file);
  await run('SELECT 1');
  expect(hostsOf(file)).toEqual([first]);
  await vi.waitFor(() => expect(hostsOf(file)).toEqual([]), { timeout: 20_000 });
  expect(await run('SELECT 1')).toMatchObject({ type: 'done' });
});

test('a slow query does not block the others', async () => {
  const { run } = open();
  const controller = new AbortController();
  const slow = run(endless, { timeoutMs: 60_000, signal: controller.signal });
  expect(await run('SELECT 1', { timeoutMs: 15_000 })).toMatchObject({ type: 'done' });
  expect(hostsOf(file)).toHaveLength(2);
  controller.abort();
  expect(await slow).toMatchObject({ type: 'lost', reason: 'aborted' });
});

test('a query that gets no host in time fails', async () => {
  const { run } = open({ sizePerDatabase: 1 });
  const slow = run(endless, { timeoutMs: 1500 });
  expect(await run('SELECT 1', { timeoutMs: 300 })).toEqual({
    type: 'lost',
    reason: 'deadline',
    cause: 'no host became free within 300 ms',
  });
  await slow;
});

test('aborting a queued query does not affect others', async () => {
  const { run } = open({ sizePerDatabase: 1 });
  const controller = new AbortController();
  const first = run('SELECT 1');
  const second = run('SELECT 2', { signal: controller.signal });
  controller.abort();
  expect(await second).toMatchObject({ type: 'lost', reason: 'aborted' });
  expect(await first).toMatchObject({ type: 'done' });
});

test('the host that has been idle longest is evicted for another database', async () => {
  const { run } = open({ size: 2 });
  const databases = ['a.db', 'b.db', 'c.db'].map((name) => join(folder.path, name));
  for (const database of databases) {
    createDatabase(database, 'CREATE TABLE t (x)');
    expect(await run('SELECT * FROM t', { database })).toMatchObject({ type: 'done' });
  }
  await vi.waitFor(() => expect(databases.map((database) => hostsOf(database).length)).toEqual([0, 1, 1]), {
    timeout: 20_000,
  });
});

test('a replaced database file is noticed', async () => {
  const { run } = open();
  const database = join(folder.path, 'replaced.db');
  createDatabase(database, `CREATE TABLE t (x); INSERT INTO t VALUES ('old')`);
  expect(await run('SELECT x FROM t', { database })).toMatchObject({ rows: { json: '[{"x":"old"}]' } });
  createDatabase(`${database}.new`, `CREATE TABLE t (x); INSERT INTO t VALUES ('new')`);
  await rename(`${database}.new`, database);
  expect(await run('SELECT x FROM t', { database })).toMatchObject({ rows: { json: '[{"x":"new"}]' } });
});

test('a database whose path has unusual characters', async () => {
  const { run } = open();
  const database = join(folder.path, `a b#c?d%20e&ä',*;.db`);
  createDatabase(database, 'CREATE TABLE t (x); INSERT INTO t VALUES (1)');
  expect(await run('SELECT x FROM t', { database })).toMatchObject({ rows: { json: '[{"x":1}]' } });
});

test('closing kills running queries', async () => {
  const { pool, run } = open();
  const running = run(endless, { timeoutMs: 20_000 });
  await vi.waitFor(() => expect(hostsOf(file).length).toBeGreaterThan(0), { timeout: 20_000 });
  await pool.close();
  expect(await running).toMatchObject({ type: 'lost', reason: 'aborted', cause: 'all hosts were closed' });
  expect(hostsOf(file)).toEqual([]);
});

describe('a program that uses a database', () => {
  /** Starts a program in which `run(sql, timeoutMs)` runs a query. */
  function start(name: string, body: string) {
    const database = join(folder.path, `${name}.db`);
    createDatabase(database, 'CREATE TABLE t (x)');
    const program = join(folder.path, `${name}.mjs`);
    writeFileSync(
      program,
      `import { createQueryPool } from ${JSON.stringify(new URL('./query-pool.ts', import.meta.url).href)};
       const pool = createQueryPool();
       const limits = { maxRows: 9, maxBytes: 999, maxCellBytes: 99 };
       const run = (sql, timeoutMs = 60_000) =>
         pool.run({ database: ${JSON.stringify(database)}, task: { ...limits, sql, values: [] }, timeoutMs });
       ${body}`,
    );
    return { database, child: spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] }) };
  }

  test('exits when its queries are done', async () => {
    const { database, child } = start('done', `run('SELECT 1 AS one').then(({ rows }) => console.log(rows.json))`);
    expect(String((await once(child.stdout, 'data'))[0])).toBe('[{"one":1}]\n');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await vi.waitFor(() => expect(hostsOf(database)).toEqual([]), { timeout: 20_000 });
  });

  test('gets a result when a query times out', async () => {
    const { child } = start('deadline', `run('${endless}', 300).then(({ reason }) => console.log(reason))`);
    expect(String((await once(child.stdout, 'data'))[0])).toBe('deadline\n');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test.each([
    ['exits', 'process.exit(0)'],
    ['is killed', `process.kill(process.pid, 'SIGKILL')`],
  ])('that %s in the middle of a query leaves no host behind', async (name, end) => {
    const { database, child } = start(
      name,
      `await run('SELECT 1'); void run('${endless}'); console.log('running'); process.stdin.once('data', () => ${end})`,
    );
    await once(child.stdout, 'data');
    expect(hostsOf(database)).toHaveLength(1);
    child.stdin.end('end');
    await once(child, 'exit');
    await vi.waitFor(() => expect(hostsOf(database)).toEqual([]), { timeout: 20_000 });
  });
});
