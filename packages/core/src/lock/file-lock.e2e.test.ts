import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { updateFile, withFileLock } from './file-lock.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'schemakit-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const holder = (fields: object) => JSON.stringify({ id: 'other', pid: process.pid, host: hostname(), ...fields });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

test('runs one at a time, and the next when it is done', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  const inner = await withFileLock(path, () => withFileLock(path, async () => 'second'));
  expect(inner).toEqual({ ok: true, value: { ok: false, pid: process.pid, path } });
  expect(await withFileLock(path, async () => 'third')).toEqual({ ok: true, value: 'third' });
});

test('work that throws releases the lock', async () => {
  const folder = temporaryFolder();
  const failed = withFileLock(join(folder, 'hold-x'), () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['a process that runs', holder({ pid: process.ppid }), 600, false],
  ['a process that ended', holder({ pid: 2 ** 22 + 1 }), 0, true],
  ['a process of before that had our number', holder({ pid: process.pid }), 0, true],
  ['a process of another host', holder({ pid: 2 ** 22 + 1, host: 'elsewhere' }), 600, false],
  ['a process of another host that has had it for hours', holder({ host: 'elsewhere' }), 7200, true],
  ['a process whose number another one may have by now', holder({ pid: process.ppid }), 7200, true],
  ['a process that is about to write its name', '', 1, false],
  ['a process that was killed before it wrote its name', '', 60, true],
])('a lock of %s', async (_, content, seconds, isFree) => {
  const path = join(temporaryFolder(), 'hold-x');
  writeFileSync(path, content);
  utimesSync(path, ago(seconds), ago(seconds));
  expect((await withFileLock(path, async () => 'mine')).ok).toBe(isFree);
});

test('of many processes that find a stale lock, one takes over', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  writeFileSync(path, holder({ pid: 2 ** 22 + 1 }));
  let atWork = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      withFileLock(path, async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await new Promise((resolve) => setImmediate(resolve));
        atWork -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
});

test('only one of many processes works at a time, even after a stale lock', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  writeFileSync(path, holder({ pid: 2 ** 22 + 1 }));
  const source = `
    import { withFileLock } from ${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)};
    import { appendFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    const path = ${JSON.stringify(path)};
    for (let round = 0; round < 25; round += 1) {
      await withFileLock(path, async () => {
        appendFileSync(path + '.log', 'in ');
        await readFile(path, 'utf8');
        appendFileSync(path + '.log', 'out ');
      }, { timeoutMs: 60_000 });
    }`;
  const flags = ['--conditions=@schemakit/source', '--input-type=module', '-e', source];
  const holders = Array.from({ length: 16 }, () => spawn(process.execPath, flags, { stdio: 'inherit' }));
  await Promise.all(holders.map((one) => once(one, 'exit')));
  expect(readFileSync(`${path}.log`, 'utf8')).toBe('in out '.repeat(16 * 25));
});

test('a process that was killed while it removed a stale lock does not block others', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'hold-x');
  const claim = `${path}.other.remove`;
  writeFileSync(path, holder({ pid: 2 ** 22 + 1 }));
  writeFileSync(claim, holder({ id: 'remover', pid: 2 ** 22 + 1 }));
  utimesSync(claim, ago(60), ago(60));
  expect(await withFileLock(path, async () => 'mine')).toEqual({ ok: true, value: 'mine' });
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock with a path as its id has no effect', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'hold-x');
  writeFileSync(join(folder, 'kept.remove'), 'kept');
  writeFileSync(path, holder({ id: '/../kept', pid: 2 ** 22 + 1 }));
  utimesSync(path, ago(60), ago(60));
  expect(await withFileLock(path, async () => 'mine')).toEqual({ ok: true, value: 'mine' });
  expect(readdirSync(folder)).toEqual(['kept.remove']);
});

test('a lock that was removed and taken again belongs to the new holder', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  await withFileLock(path, async () => writeFileSync(path, holder({ id: 'successor' })));
  expect(readFileSync(path, 'utf8')).toContain('successor');
});

test('a waiting process gets the lock', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  const order: string[] = [];
  let second: Promise<unknown> | undefined;
  await withFileLock(path, async () => {
    second = withFileLock(path, async () => order.push('second'), { timeoutMs: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('first');
  });
  await second;
  expect(order).toEqual(['first', 'second']);
});

describe('updateFile', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'schemakit-update-'));
    file = join(folder, 'count.txt');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('loses no change of many processes, and leaves no other files', async () => {
    const add = () => updateFile(file, async (text = '0') => String(Number(text) + 1));
    await Promise.all(Array.from({ length: 25 }, add));
    expect(readFileSync(file, 'utf8')).toBe('25');
    expect(readdirSync(folder)).toEqual(['count.txt']);
  });

  test('does not write an unchanged file, nor if the change returns undefined', async () => {
    writeFileSync(file, 'a');
    const { ino } = statSync(file);
    await updateFile(file, (text) => text);
    await updateFile(file, () => undefined);
    expect(statSync(file).ino).toBe(ino);
  });

  test('leaves the file unchanged if the change throws', async () => {
    writeFileSync(file, 'a');
    const change = () => {
      throw new Error('no');
    };
    await expect(updateFile(file, change)).rejects.toThrow('no');
    expect(readFileSync(file, 'utf8')).toBe('a');
    expect(readdirSync(folder)).toEqual(['count.txt']);
  });

  test.runIf(process.platform !== 'win32')(
    'creates a file with the given mode, and keeps the mode of an existing one',
    async () => {
      await updateFile(file, () => 'a', { mode: 0o600 });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      chmodSync(file, 0o640);
      await updateFile(file, () => 'b', { mode: 0o600 });
      expect(statSync(file).mode & 0o777).toBe(0o640);
    },
  );

  test('says which process has the lock, and that its file can be removed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    writeFileSync(`${file}.held`, holder({ pid: process.ppid }));
    const update = expect(updateFile(file, () => 'a')).rejects.toThrow(
      `the process ${process.ppid} holds ${file}.held; remove that file if there is no such process`,
    );
    vi.setSystemTime(Date.now() + 11_000);
    await update;
    expect(readdirSync(folder)).toEqual(['count.txt.held']);
  });

  test('refuses a folder', async () => {
    mkdirSync(file);
    await expect(updateFile(file, () => 'a')).rejects.toThrow('not a regular file');
  });
});
