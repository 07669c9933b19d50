import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRunStore } from '../store/open-run-store.ts';
import { parseStoreKeys } from '../store/store-keys.ts';
import { openRuns } from './stored-runs.ts';

const keyA = `a:${'0a'.repeat(32)}`;
const keyB = `b:${'0b'.repeat(32)}`;
const time = '2026-12-24T08:00:00Z';

/** A file with a run of each id that has succeeded, encrypted with the key. */
async function fileOf(keysById: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stored-runs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'runs.db')}`;
  for (const [id, key] of Object.entries(keysById)) {
    const store = await openRunStore(url, { keys: parseStoreKeys(key).keys });
    const common = { runId: id, time };
    const started = { ...common, seq: 0, type: 'run.started', tool: 'find', model: 'a/b', args: {} };
    const ended = { ...common, seq: 1, type: 'run.ended', status: 'success', answer: {} };
    const run = { id, tool: 'find', createdAt: Date.now(), expiresAt: Date.now() + 60_000 };
    await store.create(run, [JSON.stringify(started)]);
    const { fence = 0 } = (await store.claim({ leaseMs: 1_000, tools: ['find'] })) ?? {};
    await store.append(id, { fence, from: 1, entries: [JSON.stringify(ended)], phase: 'ended' });
    await store.close();
  }
  return url;
}

test('a run whose key is missing does not hide the others', async () => {
  const runs = await openRuns(await fileOf({ one: keyA, other: keyB }), { taskKeys: keyB });
  onTestFinished(() => runs.close());
  expect(await runs.list()).toMatchObject([
    { id: 'one', tool: 'find', state: 'ended', problem: expect.stringContaining('the key a, which is not in') },
    { id: 'other', report: { status: 'success' } },
  ]);
  await expect(runs.get('one')).rejects.toThrow('the key a');
});

test('a run that has succeeded is not tried again', async () => {
  const runs = await openRuns(await fileOf({ one: keyA }), { taskKeys: keyA });
  onTestFinished(() => runs.close());
  expect(await runs.retry('one')).toMatchObject({ state: 'ended', report: { status: 'success' } });
});
