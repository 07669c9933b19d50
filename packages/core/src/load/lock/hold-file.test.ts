import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdFile, whileHolding } from './hold-file.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'schemakit-hold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const holder = (fields: object) => JSON.stringify({ id: 'other', pid: process.pid, host: hostname(), ...fields });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

test('one at a time, and the next once it is done', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  const inner = await holdFile(path, () => holdFile(path, async () => 'second'));
  expect(inner).toEqual({ ok: true, value: { ok: false, pid: process.pid, path } });
  expect(await holdFile(path, async (isHeld) => isHeld())).toEqual({ ok: true, value: true });
});

test('work that throws lets go', async () => {
  const folder = temporaryFolder();
  const failed = holdFile(join(folder, 'hold-x'), () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['a process that runs', holder({}), 0, false],
  ['a process that ended', holder({ pid: 2 ** 22 + 1 }), 0, true],
  ['a process of another machine that was heard of lately', holder({ pid: 2 ** 22 + 1, host: 'elsewhere' }), 5, false],
  ['a process of another machine that fell silent', holder({ host: 'elsewhere' }), 60, true],
  ['a process that has been standing still', holder({}), 60, true],
  ['somebody who has not said yet who it is', '', 10, false],
  ['somebody who never said who it was', '', 60, true],
])('what %s holds', async (_, content, seconds, isFree) => {
  const path = join(temporaryFolder(), 'hold-x');
  writeFileSync(path, content);
  utimesSync(path, ago(seconds), ago(seconds));
  expect((await holdFile(path, async () => 'mine')).ok).toBe(isFree);
});

test('of many that find an abandoned hold, one takes over', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  writeFileSync(path, holder({ pid: 2 ** 22 + 1 }));
  let atWork = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      holdFile(path, async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await new Promise((resolve) => setImmediate(resolve));
        atWork -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
});

test('of many processes one at a time is at work', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  const source = `
    import { holdFile } from ${JSON.stringify(new URL('./hold-file.ts', import.meta.url).href)};
    import { appendFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    const path = ${JSON.stringify(path)};
    for (let round = 0; round < 25; round += 1) {
      await holdFile(path, async () => {
        appendFileSync(path + '.log', 'in ');
        await readFile(path, 'utf8');
        appendFileSync(path + '.log', 'out ');
      }, { patience: 60_000 });
    }`;
  const flags = ['--conditions=@schemakit/source', '--input-type=module', '-e', source];
  const holders = Array.from({ length: 16 }, () => spawn(process.execPath, flags, { stdio: 'inherit' }));
  await Promise.all(holders.map((one) => once(one, 'exit')));
  expect(readFileSync(`${path}.log`, 'utf8')).toBe('in out '.repeat(16 * 25));
});

test('a process that died while it removed what another left behind stops nobody', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'hold-x');
  writeFileSync(path, holder({ pid: 2 ** 22 + 1 }));
  writeFileSync(`${path}.other.remove`, holder({ id: 'remover', pid: 2 ** 22 + 1 }));
  expect(await whileHolding(path, async () => 'mine')).toBe('mine');
  expect(readdirSync(folder)).toEqual([]);
});

test('a hold that names a path as its id leads nowhere', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'hold-x');
  writeFileSync(join(folder, 'kept.remove'), 'kept');
  writeFileSync(path, holder({ id: '/../kept', pid: 2 ** 22 + 1 }));
  utimesSync(path, ago(60), ago(60));
  expect(await holdFile(path, async () => 'mine')).toEqual({ ok: true, value: 'mine' });
  expect(readdirSync(folder)).toEqual(['kept.remove']);
});

test('one that lost its hold knows, and leaves that of its successor', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  const result = await holdFile(path, (isHeld) => {
    writeFileSync(path, holder({ id: 'successor' }));
    return isHeld();
  });
  expect(result).toEqual({ ok: true, value: false });
  expect(readFileSync(path, 'utf8')).toContain('successor');
});

test('one that waits gets its turn', async () => {
  const path = join(temporaryFolder(), 'hold-x');
  const order: string[] = [];
  let second: Promise<unknown> | undefined;
  await holdFile(path, async () => {
    second = whileHolding(path, async () => order.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('first');
  });
  await second;
  expect(order).toEqual(['first', 'second']);
});
