import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { runStoreLaws } from '../../fixtures/run-store-laws.ts';
import { openRunStore } from './open-run-store.ts';
import { sealedRunStore } from './sealed-run-store.ts';
import { createSqliteRunStore } from './sqlite-run-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'runs-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const keys = new Map([['k1', createSecretKey(randomBytes(32))]]);
const openTwice = (options: Parameters<typeof openRunStore>[1]) => {
  files += 1;
  const url = `sqlite:${join(folder, `${files}.db`)}`;
  return Promise.all([openRunStore(url, options), openRunStore(url, options)]);
};

runStoreLaws('memory', async (now) => {
  const store = createSqliteRunStore(undefined, { now });
  return { store, other: store };
});

runStoreLaws('sealed memory', async (now) => {
  const store = sealedRunStore(createSqliteRunStore(undefined, { now }), keys);
  return { store, other: store };
});

runStoreLaws('sqlite', async (now) => {
  const [store, other] = await openTwice({ now });
  return { store, other };
});

runStoreLaws('sealed sqlite', async (now) => {
  const [store, other] = await openTwice({ now, keys });
  return { store, other };
});
