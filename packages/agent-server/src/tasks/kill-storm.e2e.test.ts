import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { databases, hasDatabase } from '../../fixtures/database-servers.ts';
import { killStorm, type StormStore, stormTable } from '../../fixtures/kill-storm.ts';

const stores: Record<string, () => Promise<StormStore>> = {
  async SQLite() {
    const folder = await mkdtemp(join(tmpdir(), 'storm-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { url: `sqlite:${join(folder, 'runs.db')}` };
  },
  Redis: () => openDatabase('redis'),
  PostgreSQL: () => openDatabase('postgres'),
};

async function openDatabase(kind: 'redis' | 'postgres'): Promise<StormStore> {
  const database = await databases[kind]();
  onTestFinished(database.close);
  return database;
}

const there = Object.keys(stores).filter(
  (name) => name === 'SQLite' || hasDatabase(name === 'Redis' ? 'redis' : 'postgres'),
);

// `bench/runs.ts` does the same with more of them.
test.each(there)(
  'whatever happens to machines with %s, no run is lost, each ends once, and no write is repeated',
  async (name) => {
    const store = await stores[name]?.();
    if (store === undefined) return;
    const result = await killStorm(store, { runs: 40, disturbances: 12 });
    process.stdout.write(`${stormTable({ [name]: result })}\n`);
    const { problems, known, runs, interruptions, repeated } = result;
    expect(problems).toEqual([]);
    expect(known).toBe(40);
    expect(runs).toBeGreaterThanOrEqual(known);
    expect(interruptions).toBeGreaterThan(0);
    expect(repeated).not.toHaveProperty('POST');
  },
  180_000,
);
