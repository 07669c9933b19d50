// Mixed calls from many clients at once for a minute, while the API behind the tools is killed and started again: memory must stay
// flat, and every call be answered, or fail with its cause. `node bench/soak.ts [--seconds 60] [--clients 200]`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { schemakit } from './peers/peers.ts';
import { forkWorker, type Worker } from './processes/fork-worker.ts';
import { freePort } from './processes/http-client.ts';
import { residentMemory } from './processes/resident-memory.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { describeDepartures } from './schemas/departures.ts';
import { untilSettled } from './schemas/until-settled.ts';
import { createOutcomes, type Outcomes } from './soak/outcomes.ts';
import { runClient } from './soak/run-client.ts';
import { quartiles } from './statistics/quartiles.ts';

/** More than that is no noise. */
const maxGrowth = 1.25;
const outageMs = 4000;
const toolCount = 1000;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, clients: { type: 'string', default: '200' } },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);

await withTemporaryFolder(async (folder) => {
  const apiPort = await freePort();
  const api = await describeDepartures(folder, { count: toolCount, root: `http://127.0.0.1:${apiPort}` });
  const home = join(folder, 'home');
  await mkdir(home);
  await untilSettled();
  let upstream = await startApi(apiPort);
  const port = await freePort();
  const { args, env } = await schemakit(home).launch(api, port);
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  server.stdout.resume();

  const outcomes = createOutcomes();
  const memory: number[] = [];
  const sampler = setInterval(() => memory.push(residentMemory(server.pid)), 500);
  const end = performance.now() + seconds * 1000;
  const running = Array.from({ length: clients }, (_, index) =>
    runClient({ port, index, isStateless: index % 2 === 1, end }, outcomes),
  );
  let left = 0;
  // Down after a third and after two thirds of the time.
  for (let outage = 1; outage <= 2; outage += 1) {
    await wait((seconds * 1000) / 3 - (outage === 1 ? 0 : outageMs));
    left += (await upstream.ask<{ left: number }>({})).left;
    await upstream.close();
    await wait(outageMs);
    upstream = await startApi(apiPort);
  }
  await Promise.all(running);
  clearInterval(sampler);
  left += (await upstream.ask<{ left: number }>({})).left;
  const isAlive = server.exitCode === null;
  await wait(3000);
  const idle = residentMemory(server.pid);
  server.kill('SIGTERM');
  const [status] = await once(server, 'exit');
  await upstream.close();
  report(outcomes, { memory, idle, left, isAlive, status });
});

async function startApi(port: number): Promise<Worker> {
  const worker = forkWorker(new URL('./programs/soak-upstream.ts', import.meta.url), [String(port)]);
  await worker.hello();
  return worker;
}

function report(
  { counts, causes, wrong }: Outcomes,
  {
    memory,
    idle,
    left,
    isAlive,
    status,
  }: { memory: number[]; idle: number; left: number; isAlive: boolean; status: number },
): void {
  // The first quarter is the warm-up: code is compiled, connections are made.
  const quarter = Math.floor(memory.length / 4);
  const warm = quartiles(memory.slice(quarter, 2 * quarter)).median;
  const last = quartiles(memory.slice(-quarter)).median;
  const growth = last / warm;
  const lines = [
    `## soak: ${clients} clients for ${seconds} seconds`,
    '',
    ...Object.entries(counts).map(([what, count]) => `- ${what}: ${count.toLocaleString('en')}`),
    `- requests that the API saw cut off: ${left.toLocaleString('en')}`,
    ...[...causes].map(([cause, count]) => `- failed ${count.toLocaleString('en')} times: ${cause}`),
    ...[...wrong].map(([what, count]) => `- WRONG ${count.toLocaleString('en')} times: ${what}`),
    `- memory: ${warm.toFixed(0)} MB in the second quarter, ${last.toFixed(0)} MB in the last, ${growth.toFixed(2)} x (<= ${maxGrowth} x); ${idle.toFixed(0)} MB idle, at most ${Math.max(...memory).toFixed(0)} MB`,
    `- the server ended with status ${status}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (wrong.size > 0 || growth > maxGrowth || !isAlive || status !== 0) process.exitCode = 1;
}
