// Runs of agents as tasks in a SQLite file: servers that are killed at random, what runs cost, and many at once. Nothing is compared: the
// figures are of this machine. `node bench/runs.ts [--runs 200] [--disturbances 50] [--together 500]`
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { killStorm, stormTable } from '../packages/agent-server/fixtures/kill-storm.ts';
import { residentMemory } from './processes/resident-memory.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { rounds } from './programs/agent-loops.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    disturbances: { type: 'string', default: '50' },
    together: { type: 'string', default: '500' },
  },
});

await withTemporaryFolder(async (folder) => {
  const options = { runs: Number(values.runs), disturbances: Number(values.disturbances) };
  const storm = await killStorm({ url: `sqlite:${join(folder, 'storm.db')}` }, options);
  process.stdout.write(`## runs: machines that fail\n\n${stormTable({ SQLite: storm })}\n\n`);
  for (const problem of storm.problems) process.stdout.write(`- WRONG: ${problem}\n`);
  if (storm.problems.length > 0) process.exitCode = 1;
});
const together = Number(values.together);
await withTemporaryFolder(async (folder) => reportMany(await runTogether(join(folder, 'runs.db'))));

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
