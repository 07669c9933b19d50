import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Crash, CrashError, crashingStore } from '../../fixtures/crashing-store.ts';
import type { RunStore } from './run-store.ts';
import { createSqliteRunStore } from './sqlite-run-store.ts';

const leaseMs = 5000;
const steps = 6;

/** One life of a worker: it goes on with the run where its journal ends. */
async function work(store: RunStore): Promise<void> {
  const run = await store.claim({ leaseMs, tools: ['find'] });
  if (run === undefined) return;
  const { id, fence } = run;
  for (let from = (await store.read(id)).length; from < steps; from += 1) {
    await store.renew(id, fence, leaseMs);
    const phase = from === steps - 1 ? 'ended' : 'running';
    await store.append(id, { fence, from, entries: [String(from)], phase });
  }
}

const crash: fc.Arbitrary<Crash> = fc.record({ write: fc.nat(8), isStored: fc.boolean() });

test('a run ends once, with each entry once, whenever its workers crash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(crash, { maxLength: 12 }), async (crashes) => {
      let time = 1000;
      let crashed = 0;
      const store = createSqliteRunStore(undefined, { now: () => time });
      await store.create({ id: 'r1', tool: 'find', createdAt: time, expiresAt: Number.MAX_SAFE_INTEGER }, []);
      for (const life of [...crashes, undefined]) {
        await work(crashingStore(store, life)).catch((error: unknown) => {
          expect(error).toBeInstanceOf(CrashError);
          crashed += 1;
        });
        time += leaseMs;
      }
      expect(await store.read('r1')).toEqual(Array.from({ length: steps }, (_, index) => String(index)));
      const run = await store.get('r1');
      expect(run).toMatchObject({ phase: 'ended' });
      // A crash that ends the run, or comes before the claim, or finds nothing to do, ends no lease early.
      expect(run?.kills).toBeLessThanOrEqual(crashed);
    }),
  );
});
