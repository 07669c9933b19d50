import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forkWorker, type Worker } from './processes/fork-worker.ts';
import type { CallQuestion } from './processes/measure-calls.ts';
import { startUpstream } from './processes/start-upstream.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { stationsSchema } from './schemas/stations.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** How long each measurement takes; the first ones of a process take longer, until its code is compiled. */
const milliseconds = 600;
const warmUpMilliseconds = 1500;

type Subject = Pick<CallQuestion, 'call' | 'concurrency'> & { what: string; target?: { atMost: number } };

const subjects: readonly Subject[] = [
  { call: 'get', concurrency: 1, what: 'GET, 3 parameters, 1 at a time' },
  { call: 'get', concurrency: 32, what: 'GET, 3 parameters, 32 at a time', target: { atMost: 1.3 } },
  { call: 'get', concurrency: 256, what: 'GET, 3 parameters, 256 at a time' },
  { call: 'key', concurrency: 32, what: 'GET with a secret header, 32 at a time' },
  { call: 'post', concurrency: 32, what: 'POST with a body, 32 at a time' },
  { call: 'handler', concurrency: 1, what: 'GET with postRequest, 1 at a time' },
  { call: 'handler', concurrency: 32, what: 'GET with postRequest, 32 at a time' },
];

/** `SchemaKit.fetch` against `undici.request` and `body.json()`: two processes that call the same upstream by turns. */
export function benchFetch({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const upstream = await startUpstream();
    const files = [join(folder, 'stations.mjs'), join(folder, 'stations-with-key.mjs')] as const;
    await writeFile(files[0], stationsSchema({ root: upstream.url }));
    await writeFile(files[1], stationsSchema({ root: upstream.url, withKey: true }));
    const schemakit = forkWorker(new URL('./programs/call-schemakit.ts', import.meta.url), files);
    const undici = forkWorker(new URL('./programs/call-undici.ts', import.meta.url), [upstream.url]);
    try {
      await Promise.all([schemakit.hello(), undici.hello()]);
      const comparisons: Comparison[] = [];
      for (const subject of subjects) comparisons.push(await compare(subject, { schemakit, undici, rounds }));
      return { title: 'fetch: SchemaKit.fetch against bare undici.request', comparisons, notes };
    } finally {
      await Promise.all([schemakit.close(), undici.close(), upstream.close()]);
    }
  });
}

const notes = [
  '1 KB of JSON on loopback from an upstream that does next to nothing: the hardest case, since a real one takes a thousand times longer than either side.',
  '`SchemaKit.fetch` also checks the input, plans the request, guards address and size, and gives the answer as text too.',
  'Processor time is that of the calling process alone; handlers run in another.',
];

async function compare(
  { what, target, ...question }: Subject,
  { schemakit, undici, rounds }: { schemakit: Worker; undici: Worker; rounds: number },
): Promise<Comparison> {
  for (const worker of [schemakit, undici]) await worker.ask({ ...question, milliseconds: warmUpMilliseconds });
  const { rival, ours } = await interleave(
    {
      rival: () => undici.ask<Measurement>({ ...question, milliseconds }),
      ours: () => schemakit.ask<Measurement>({ ...question, milliseconds }),
    },
    { rounds },
  );
  const name = 'undici.request';
  return { what, unit: 'µs a call', rival: { name, measurements: rival }, ours, ...(target && { target }) };
}
