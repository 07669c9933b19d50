import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { openRunStore } from './open-run-store.ts';
import { parseStoreUrl } from './store-url.ts';

const folder = mkdtempSync(join(tmpdir(), 'open-runs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = { id: 'r1', tool: 'find', createdAt: 1, expiresAt: Number.MAX_SAFE_INTEGER };

describe('the URL of a store', () => {
  test.each([
    ['memory:', undefined],
    ['sqlite:runs.db', resolve('runs.db')],
    ['sqlite:./a b/runs?.db', resolve('a b/runs?.db')],
    ['sqlite:/var/runs.db', '/var/runs.db'],
    ['SQLite:///var/runs.db', '/var/runs.db'],
    ['sqlite:////var/runs.db', '/var/runs.db'],
    ['sqlite:C:\\data\\runs.db', resolve('C:\\data\\runs.db')],
    ['sqlite:///C:/data/runs.db', resolve('C:/data/runs.db')],
  ])('%s names its file', (url, file) => {
    expect(parseStoreUrl(url)).toEqual(file === undefined ? { kind: 'memory' } : { kind: 'sqlite', file });
  });

  test.each(['redis://host', 'redis://host/', 'rediss://me:password@host:6380/15', 'redis://host?db=2'])(
    '%s is Redis',
    (url) => {
      expect(parseStoreUrl(url)).toEqual({ kind: 'redis' });
    },
  );

  test.each([
    ['redis:password', 'names no server'],
    ['redis://me:password@host/abc', "names a database that is no number; it must be 'memory:'"],
    ['redis://:password@host/1.5', "Write 'redis://127.0.0.1:6379/0'"],
    ['rediss://:password@host?db=x', 'names a database that is no number'],
    ['redis://:password@host/?db=1&db=', 'names a database that is no number'],
    ['postgresql:///password', "names no server; it must be 'memory:', 'sqlite:<file>', 'redis://<host>' or"],
    ['redis://:password100%@host', 'has a % that stands for itself'],
    ['postgres://me:password%zz@host/runs', 'Write %25 for %'],
    ['mysql://me:password@host/db', 'cannot be a mysql: URL'],
    ['sqlite:', 'names no file'],
    ['sqlite:///', 'names no file'],
    ['sqlite::memory:', "Use 'memory:'"],
    ['sqlite://runs.db', "has a host before the file; it must be 'memory:', 'sqlite:<file>'"],
    ['password.db', 'is not a URL'],
    ['C:\\password\\runs.db', 'is not a URL'],
    ['memory', 'is not a URL'],
    ['', 'is not a URL'],
  ])('%s is refused', async (url, problem) => {
    const error = await openRunStore(url).catch((reason: unknown) => reason);
    const finding = {
      code: 'AGS001',
      severity: 'error',
      path: 'tasks',
      message: expect.any(String),
      hint: expect.any(String),
    };
    expect(error).toMatchObject({ name: 'AgentConfigError', findings: [finding] });
    const { findings } = error as { findings: { message: string; hint: string }[] };
    expect(findings.map(({ message, hint }) => `${message}. ${hint}`).join()).toContain(problem);
    expect(JSON.stringify(findings)).not.toContain('password');
  });
});

describe('a SQLite file of runs', () => {
  test('is read and written by its owner only', async () => {
    const file = join(folder, 'rights.db');
    const store = await openRunStore(`sqlite:${file}`);
    await store.create(run, ['0']);
    const modes = ['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    await store.close();
    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false]);
  });

  test('has what was stored when it is opened again', async () => {
    const url = `sqlite:${join(folder, 'again.db')}`;
    const store = await openRunStore(url);
    await store.create(run, ['0']);
    await store.close();
    await expect(store.get('r1')).rejects.toThrow();
    const again = await openRunStore(url);
    expect([await again.get('r1'), await again.read('r1')]).toMatchObject([run, ['0']]);
    await again.close();
  });

  test('is brought up to date where an older version has made it', async () => {
    const file = join(folder, 'old.db');
    const url = `sqlite:${file}`;
    await (await openRunStore(url)).close();
    const database = new DatabaseSync(file);
    database.exec(`DROP INDEX runs_by_phase; ALTER TABLE runs DROP COLUMN priority; ALTER TABLE changes DROP COLUMN kills;
      INSERT INTO runs VALUES ('r1', 'find', NULL, 1, ${run.expiresAt}, 'waiting', 1, 0, NULL, 0, 0, NULL, 1);
      PRAGMA user_version = 1`);
    database.close();
    const store = await openRunStore(url);
    await store.create({ ...run, id: 'r2', priority: 1 }, []);
    const claims = [
      await store.claim({ leaseMs: 60_000, tools: ['find'] }),
      await store.claim({ leaseMs: 60_000, tools: ['find'] }),
    ];
    expect(claims.map((claim) => claim?.id)).toEqual(['r2', 'r1']);
    await store.close();
  });

  test.each([
    ['of a newer version', 'PRAGMA user_version = 3', 'it has version 3, and this SchemaKit reads 2. Update SchemaKit'],
    ['of another program', 'CREATE TABLE places (id)', 'it is the database of another program. Use another file'],
  ])('is refused and stays as it is: one %s', async (name, sql, problem) => {
    const file = join(folder, `${name}.db`);
    const database = new DatabaseSync(file);
    database.exec(sql);
    await expect(openRunStore(`sqlite:${file}`)).rejects.toThrow(`Cannot open the runs in ${file}: ${problem}`);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    database.close();
  });

  test('is refused where it is none, or cannot be made', async () => {
    const note = join(folder, 'note.txt');
    writeFileSync(note, 'A note, which is no database.'.repeat(50));
    await expect(openRunStore(`sqlite:${note}`)).rejects.toThrow('file is not a database');
    await expect(openRunStore(`sqlite:${join(folder, 'none/runs.db')}`)).rejects.toThrow('no such file or directory');
    await expect(openRunStore(`sqlite:${folder}`)).rejects.toThrow(`Cannot open the runs in ${folder}`);
  });

  test('that another process has locked is waited for with the event loop free', async () => {
    const file = join(folder, 'locked.db');
    const store = await openRunStore(`sqlite:${file}`);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = [store.create(run, ['0']), openRunStore(`sqlite:${file}`).then((opened) => opened.close())];
    // SQLite would hold the event loop, and this would never end the lock.
    setTimeout(() => other.exec('ROLLBACK'), 100);
    await Promise.all(waiting);
    expect(await store.read('r1')).toEqual(['0']);
    other.close();
    await store.close();
  });

  test('that was deleted while it was in use is not written to any more', async () => {
    const file = join(folder, 'deleted.db');
    const store = await openRunStore(`sqlite:${file}`);
    await store.create(run, ['0']);
    rmSync(file);
    await expect(store.create({ ...run, id: 'r2' }, [])).rejects.toThrow(
      `Cannot use the runs in ${file}: the file was deleted or replaced while it was in use. Restart the server.`,
    );
    await store.close();
  });

  test('that is damaged is named, with what to do', async () => {
    const file = join(folder, 'damaged.db');
    const store = await openRunStore(`sqlite:${file}`);
    await store.create(run, ['0']);
    await store.close();
    writeFileSync(file, readFileSync(file).fill('A', 4096));
    await expect(openRunStore(`sqlite:${file}`).then((opened) => opened.get('r1'))).rejects.toThrow(
      `Cannot use the runs in ${file}: database disk image is malformed. The file is damaged: restore it from a backup`,
    );
  });

  test('grows by what is added, not by what is there', async () => {
    const file = join(folder, 'growth.db');
    const store = await openRunStore(`sqlite:${file}`);
    await store.create(run, []);
    await store.claim({ leaseMs: 1, tools: ['find'] });
    // While somebody reads, the log of writes is not emptied: its size is what has been written.
    const reader = new DatabaseSync(file);
    reader.exec('BEGIN; SELECT * FROM runs');
    const written: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      const before = statSync(`${file}-wal`).size;
      await store.append('r1', { fence: 1, from: 2 * round, entries: ['a'.repeat(8000), 'b'.repeat(2000)] });
      written.push(statSync(`${file}-wal`).size - before);
    }
    expect(Math.max(...written)).toBeLessThan(50_000);
    reader.close();
    await store.close();
  });
});
