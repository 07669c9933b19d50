import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { openRunStore } from './open-run-store.ts';
import { parseStoreKeys } from './store-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'sealed-'));
afterAll(() => rmSync(folder, { recursive: true }));

const hex = (digit: string) => digit.repeat(64);
const keysOf = (text: string) => parseStoreKeys(text).keys;
const run = { id: 'r1', tool: 'find', createdAt: 1, expiresAt: Number.MAX_SAFE_INTEGER };
const expiresAt = run.expiresAt;

/** A file with a run, its answer and a record, which are written with these keys. */
async function writeFile(name: string, keys: string): Promise<string> {
  const file = join(folder, name);
  const store = await openRunStore(`sqlite:${file}`, { keys: keysOf(keys) });
  await store.create(run, ['my secret entry', 'another']);
  await store.claim({ leaseMs: 1, tools: ['find'] });
  await store.append('r1', { fence: 1, from: 2, entries: ['my secret question'], phase: 'paused' });
  await store.request('r1', { type: 'answer', answer: 'my secret answer' });
  await store.putRecord('a', 'my secret record', { expiresAt });
  await store.create({ ...run, id: 'r2' }, ['of another run']);
  await store.putRecord('b', 'another record', { expiresAt });
  await store.close();
  return file;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const textOf = (table: string, where: string) => `SELECT text FROM ${table} WHERE ${where} LIMIT 1`;

async function readAll(file: string, keys: string): Promise<unknown[]> {
  const store = await openRunStore(`sqlite:${file}`, { keys: keysOf(keys) });
  const results = await Promise.allSettled([store.read('r1'), store.readAnswer('r1'), store.getRecord('a')]);
  await store.close();
  return results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));
}

const plain = [['my secret entry', 'another', 'my secret question'], 'my secret answer', 'my secret record'];

describe('runs that are encrypted', () => {
  test('show nothing of their texts in the file', async () => {
    const open = await writeFile('plain.db', '');
    expect(readFileSync(open, 'latin1').match(/my secret/g)).toHaveLength(4);
    const sealed = await writeFile('sealed.db', `k1:${hex('a')}`);
    expect(readFileSync(sealed, 'latin1')).not.toContain('secret');
    expect(await readAll(sealed, `k1:${hex('a')}`)).toEqual(plain);
  });

  test('open with the keys of before, and without a key where none was set', async () => {
    const file = await writeFile('rotated.db', `old:${hex('a')}`);
    const both = `new:${hex('b')},old:${hex('a')}`;
    expect(await readAll(file, both)).toEqual(plain);
    const store = await openRunStore(`sqlite:${file}`, { keys: keysOf(both) });
    await store.putRecord('b', 'text', { expiresAt });
    await store.close();
    expect(readFileSync(file, 'latin1')).toContain('sealed:new:');
    expect(await readAll(await writeFile('later.db', ''), both)).toEqual(plain);
  });

  test('say which key is missing, or is another one', async () => {
    const file = await writeFile('missing.db', `k1:${hex('a')}`);
    for (const keys of ['', `k2:${hex('a')}`])
      expect(await readAll(file, keys)).toEqual([
        'UnreadableError: Cannot read entry 0 of run r1: it was encrypted with the key k1, which is not in TASKS_KEY',
        'UnreadableError: Cannot read the answer to run r1: it was encrypted with the key k1, which is not in TASKS_KEY',
        'UnreadableError: Cannot read the record a: it was encrypted with the key k1, which is not in TASKS_KEY',
      ]);
    const [problem] = await readAll(file, `k1:${hex('b')}`);
    expect(problem).toMatch(/entry 0 of run r1: it was changed, or the key k1 in TASKS_KEY is not the one of then$/);
  });

  test.each([
    [
      'entries are swapped',
      'UPDATE entries SET number = 9 WHERE number = 0; UPDATE entries SET number = 0 WHERE number = 1',
      0,
    ],
    ['an entry is of another run', `UPDATE entries SET text = (${textOf('entries', "run_id = 'r2'")})`, 0],
    ['an entry is a record', `UPDATE entries SET text = (${textOf('records', "key = 'a'")})`, 0],
    ['an answer is an entry', `UPDATE runs SET answer = (${textOf('entries', "run_id = 'r1'")})`, 1],
    ['a record is another one', `UPDATE records SET text = (${textOf('records', "key = 'b'")})`, 2],
    ['a text is cut', 'UPDATE entries SET text = substr(text, 1, length(text) - 4)', 0],
    ['a text is cut to its start', 'UPDATE entries SET text = substr(text, 1, 12)', 0],
  ])('do not open where %s', async (name, sql, index) => {
    const file = await writeFile(`${name}.db`, `k1:${hex('a')}`);
    change(file, sql);
    expect((await readAll(file, `k1:${hex('a')}`))[index]).toContain('it was changed');
  });
});

describe('TASKS_KEY', () => {
  test('has several keys, the first of which encrypts', () => {
    const { keys, findings } = parseStoreKeys(`k-2:${hex('B')} , k.1:${hex('a')}`);
    expect([[...keys.keys()], findings]).toEqual([['k-2', 'k.1'], []]);
  });

  test.each([
    ['', 'key 1 is not one'],
    [hex('a'), 'key 1 is not one'],
    [`k1:${hex('a')},k2:${hex('a')}0`, 'key 2 is not one'],
    [`k1:${hex('g')}`, 'key 1 is not one'],
    [`k 1:${hex('a')}`, 'key 1 is not one'],
    [`k1:${hex('a')},`, 'key 2 is not one'],
    [`k1:${hex('a')},k1:${hex('b')}`, 'two keys have the id k1'],
  ])('is refused as %j, and not quoted', (text, problem) => {
    const { findings } = parseStoreKeys(text);
    expect(findings).toMatchObject([{ code: 'AGS001', path: 'TASKS_KEY', message: expect.stringContaining(problem) }]);
    expect(JSON.stringify(findings)).not.toMatch(/aaaa|gggg/);
  });
});
