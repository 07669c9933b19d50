import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forkWorker, type Worker } from './processes/fork-worker.ts';
import { startUpstream } from './processes/start-upstream.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { identitySchema } from './schemas/identity.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';
import { quartiles } from './statistics/quartiles.ts';

/** How long each measurement takes; the first ones of a process take longer, until its code is compiled. */
const milliseconds = 600;
const warmUpMilliseconds = 1500;

const sizes = [
  { call: '1 KB' },
  { call: '100 KB', target: { addsAtMost: 1000 } },
  { call: '1 MB' },
] as const satisfies { call: string; target?: Comparison['target'] }[];

type Hosts = 'direct' | 'bare' | 'trusted' | '1' | '2' | '4';

/** The cost of the sandbox: a tool whose handler returns its input, in host processes and in the calling process. */
export function benchHandlers({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const upstream = await startUpstream(new URL('./programs/items-upstream.ts', import.meta.url));
    const file = join(folder, 'items.mjs');
    await writeFile(file, identitySchema({ root: upstream.url }));
    const worker = (hosts: Hosts) => forkWorker(new URL('./programs/call-handlers.ts', import.meta.url), [file, hosts]);
    const workers: Record<Hosts, Worker> = {
      direct: worker('direct'),
      bare: worker('bare'),
      trusted: worker('trusted'),
      '1': worker('1'),
      '2': worker('2'),
      '4': worker('4'),
    };
    try {
      await Promise.all(Object.values(workers).map((each) => each.hello()));
      const comparisons: Comparison[] = [];
      for (const size of sizes) comparisons.push(await compareCost(workers, { ...size, rounds }));
      for (const rival of ['bare', 'trusted'] as const)
        comparisons.push(await compareOthers(workers, { rival, rounds }));
      for (const hosts of ['2', '4'] as const) comparisons.push(await compareHosts(workers, { hosts, rounds }));
      for (const turns of turnsOfSchemas)
        comparisons.push(await compareTurns(folder, upstream.url, { ...turns, rounds }));
      const reading = await measureReading(workers.direct, rounds);
      return {
        title:
          'handlers: calls of a tool whose handler is in the sandbox, against the same with the function in this process',
        comparisons,
        notes: [
          ...notes,
          `To read and write 100 KB of JSON once more, as every sandbox in another process must, took ${Math.round(reading)} µs in this process.`,
        ],
      };
    } finally {
      await Promise.all([...Object.values(workers), upstream].map((each) => each.close()));
    }
  });
}

const notes = [
  'The handler gives back what it gets. Both sides make the same request and give the same answer, so the difference is what the sandbox adds: the way there and back.',
  'Direct is a function that the calling program passes, whose answer is taken as it is; trusted is `isolation: "trusted"`, where the answer is copied as data, as in the sandbox.',
  'A bare process only reads the text of the answer as JSON, writes it again and sends it back: the least that a sandbox in another process takes.',
  'More hosts help handlers that compute. This one does not: our process, which makes the requests and reads the messages, is what there is to wait for.',
  'Processor time is that of the calling process alone, without host processes.',
];

async function compareCost(
  { direct, '1': hosted }: Record<Hosts, Worker>,
  { call, target, rounds }: { call: string; target?: Comparison['target']; rounds: number },
): Promise<Comparison> {
  const question = { call, concurrency: 1 };
  const { rival, ours } = await measure({ rival: direct, ours: hosted }, question, rounds);
  const what = `${call}, 1 at a time`;
  return { what, unit: 'µs a call', rival: { name: 'direct', measurements: rival }, ours, ...(target && { target }) };
}

const otherNames = { bare: 'direct, and a bare process', trusted: 'trusted' } as const;

/** Others that have to read and write the answer once more: a process that does nothing else, and `isolation: 'trusted'`. */
async function compareOthers(
  workers: Record<Hosts, Worker>,
  { rival: other, rounds }: { rival: keyof typeof otherNames; rounds: number },
): Promise<Comparison> {
  const question = { call: '100 KB', concurrency: 1 };
  const { rival, ours } = await measure({ rival: workers[other], ours: workers['1'] }, question, rounds);
  const what = '100 KB, 1 at a time';
  return { what, unit: 'µs a call', rival: { name: otherNames[other], measurements: rival }, ours };
}

/** Microseconds that it takes to read and write the text of an answer of 100 KB: what a handler in another place costs at least. */
async function measureReading(worker: Worker, rounds: number): Promise<number> {
  const question = { call: 'readAndWrite', concurrency: 1 };
  await worker.ask({ ...question, milliseconds: warmUpMilliseconds });
  const { measured } = await interleave(
    { measured: () => worker.ask<Measurement>({ ...question, milliseconds }) },
    { rounds },
  );
  return quartiles(measured.map(({ value }) => value)).median;
}

async function compareHosts(
  workers: Record<Hosts, Worker>,
  { hosts, rounds }: { hosts: '2' | '4'; rounds: number },
): Promise<Comparison> {
  const question = { call: '100 KB', concurrency: 32 };
  const measured = await measure({ rival: workers['1'], ours: workers[hosts] }, question, rounds);
  const [rival, ours] = [measured.rival.map(perSecond), measured.ours.map(perSecond)];
  const what = `100 KB, 32 at a time, ${hosts} hosts`;
  return { what, unit: 'calls/s', rival: { name: '1 host', measurements: rival }, ours };
}

/** Schemas that are called by turns: all of one source share hosts, and each source has its own. */
const turnsOfSchemas = [
  { name: '40 schemas of one source', sources: 1, schemas: 40 },
  { name: '6 sources with a schema each', sources: 6, schemas: 1 },
] as const;

/** Namespaces have no digits. */
function letters(number: number): string {
  return String.fromCharCode(97 + Math.floor(number / 26), 97 + (number % 26));
}

async function compareTurns(
  folder: string,
  root: string,
  { name, sources, schemas, rounds }: { name: string; sources: number; schemas: number; rounds: number },
): Promise<Comparison> {
  const folders = await Promise.all(
    Array.from({ length: sources }, async (_, source) => {
      const place = join(folder, `${name} ${source}`);
      await mkdir(place);
      const text = (schema: number) => identitySchema({ root, namespace: `items${letters(source)}${letters(schema)}` });
      await Promise.all(
        Array.from({ length: schemas }, (__, schema) => writeFile(join(place, `items-${schema}.mjs`), text(schema))),
      );
      return place;
    }),
  );
  const program = new URL('./programs/call-by-turns.ts', import.meta.url);
  const workers = { rival: forkWorker(program, folders.slice(0, 1)), ours: forkWorker(program, folders) };
  try {
    await Promise.all(Object.values(workers).map((each) => each.hello()));
    const load = { concurrency: 32, milliseconds };
    for (const worker of Object.values(workers))
      await worker.ask({ ...load, call: 'all', milliseconds: warmUpMilliseconds });
    const measured = await interleave(
      {
        rival: () => workers.rival.ask<Measurement>({ ...load, call: 'one' }),
        ours: () => workers.ours.ask<Measurement>({ ...load, call: 'all' }),
      },
      { rounds },
    );
    const [rival, ours] = [measured.rival.map(perSecond), measured.ours.map(perSecond)];
    return {
      what: `${name} by turns, 32 at a time`,
      unit: 'calls/s',
      rival: { name: 'one schema', measurements: rival },
      ours,
    };
  } finally {
    await Promise.all(Object.values(workers).map((each) => each.close()));
  }
}

async function measure(
  { rival, ours }: { rival: Worker; ours: Worker },
  question: { call: string; concurrency: number },
  rounds: number,
): Promise<{ rival: Measurement[]; ours: Measurement[] }> {
  for (const worker of [rival, ours]) await worker.ask({ ...question, milliseconds: warmUpMilliseconds });
  return interleave(
    {
      rival: () => rival.ask<Measurement>({ ...question, milliseconds }),
      ours: () => ours.ask<Measurement>({ ...question, milliseconds }),
    },
    { rounds },
  );
}

function perSecond({ value, cpu }: Measurement): Measurement {
  return { value: 1e6 / value, cpu };
}
