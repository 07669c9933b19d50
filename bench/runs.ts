// Runs of agents as tasks: machines that fail, workers on one store and what a round costs it, and many runs at once in a SQLite file. All
// figures are of this machine; the throughput stands beside that of BullMQ alone.
// `node bench/runs.ts [storm|throughput|together]... [--store sqlite|redis|postgres]... [--runs 200] [--disturbances 50] [--seconds 5]
// [--rounds 3] [--together 500]`
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { databases } from '../packages/agent-server/fixtures/database-servers.ts';
import { killStorm, type StormStore, stormTable } from '../packages/agent-server/fixtures/kill-storm.ts';
import { residentMemory } from './processes/resident-memory.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { rounds } from './programs/agent-loops.ts';
import { formatResult } from './statistics/format-result.ts';
import { benchThroughput } from './throughput.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string', multiple: true, default: ['sqlite', 'redis', 'postgres'] },
    runs: { type: 'string', default: '200' },
    disturbances: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    together: { type: 'string', default: '500' },
  },
});
const isChosen = (part: string) => positionals.length === 0 || positionals.includes(part);
const together = Number(values.together);

for (const kind of values.store) {
  if (isChosen('storm')) await reportStorm(kind);
  if (!isChosen('throughput') || (kind !== 'redis' && kind !== 'postgres')) continue;
  const options = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  process.stdout.write(`${formatResult(await benchThroughput(kind, options))}\n\n`);
}
if (isChosen('together'))
  await withTemporaryFolder(async (folder) => reportMany(await runTogether(join(folder, 'runs.db'))));

async function reportStorm(kind: string): Promise<void> {
  const options = { runs: Number(values.runs), disturbances: Number(values.disturbances) };
  const storm = await withStore(kind, (store) => killStorm(store, options));
  process.stdout.write(`## runs: machines that fail\n\n${stormTable({ [kind]: storm })}\n\n`);
  for (const problem of storm.problems) process.stdout.write(`- WRONG: ${problem}\n`);
  if (storm.problems.length > 0) process.exitCode = 1;
}

async function withStore<Result>(kind: string, use: (store: StormStore) => Promise<Result>): Promise<Result> {
  if (kind !== 'redis' && kind !== 'postgres')
    return withTemporaryFolder((folder) => use({ url: `sqlite:${join(folder, 'storm.db')}` }));
  const database = await databases[kind]();
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

interface Many {
  seconds: number;
  megabytes: number;
  /** Bytes that the journals of a run got, by its rounds. */
  bytes: number[];
  /** Bytes of the file. */
  fileBytes: number;
  ended: Record<string, number>;
}

/** Starts all runs at once in a fresh process, and waits until they have ended. */
async function runTogether(file: string): Promise<Many> {
  const model = fork(new URL('./programs/scripted-model.ts', import.meta.url));
  const [{ url }] = (await once(model, 'message')) as [{ url: string }];
  const child = fork(new URL('./programs/tasks-together.ts', import.meta.url), [
    url,
    `sqlite:${file}`,
    String(together),
  ]);
  let most = 0;
  const [before] = (await once(child, 'message')) as [number];
  const sampling = new AbortController();
  const sampled = (async () => {
    for (; !sampling.signal.aborted; await wait(10)) most = Math.max(most, residentMemory(child.pid));
  })();
  const [result] = (await once(child, 'message')) as [Omit<Many, 'megabytes'>];
  sampling.abort();
  await sampled;
  child.disconnect();
  model.disconnect();
  return { ...result, megabytes: most - before };
}

function reportMany({ seconds: time, megabytes, bytes, fileBytes, ended }: Many): void {
  const lines = [
    `## runs: ${together} of ${rounds} rounds at once`,
    '',
    `- ${(together / time).toFixed(1)} runs/s, ${((together * rounds) / time).toFixed(0)} rounds/s, ${time.toFixed(1)} s in all`,
    `- memory: ${megabytes.toFixed(0)} MB more, ${((megabytes * 1000) / together).toFixed(0)} KB a run`,
    `- journal: ${bytes.map((each) => each.toFixed(0)).join(', ')} bytes by round; the file has ${(fileBytes / together / rounds).toFixed(0)} bytes a round`,
    `- ended: ${JSON.stringify(ended)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (ended.success !== together) process.exitCode = 1;
}
