import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchmarkResult, Comparison } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';
import { quartiles } from './statistics/quartiles.ts';

const serverProgram = fileURLToPath(new URL('./programs/tools-server.js', import.meta.url));
const lookProgram = fileURLToPath(new URL('./programs/look-at-server.js', import.meta.url));

interface Look {
  value: number;
  cpu: number;
  megabytes: number;
  /** Of an assessment: the requests, and how long the peer took for them, in milliseconds. */
  spent: { requests: number; ms: number } | undefined;
}

/** One look at servers of 10, 100 and 1,000 tools: the validator against the SDK's client doing the same calls; each look is a process of its own. Then a whole assessment, against the time that the peer itself takes. */
export async function benchValidator({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  const comparisons: Comparison[] = [];
  const notes = [
    'Both connect, list all tools and call up to 100 of them, 4 at a time. The client checks nothing, and looks for no OAuth.',
  ];
  for (const count of [10, 100, 1000]) {
    const server = spawn(process.execPath, [serverProgram, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [endpoint] = (await once(createInterface(server.stdout), 'line')) as [string];
      const wanted = Math.min(count, 100);
      const { rival, ours } = await interleave(
        { rival: () => look('rival', endpoint, wanted), ours: () => look('ours', endpoint, wanted) },
        { rounds },
      );
      comparisons.push({
        what: `${count} tools`,
        unit: 'ms',
        rival: { name: 'SDK client', measurements: rival },
        ours,
      });
      const assessed: Look[] = [];
      for (let round = 0; round < rounds; round++) assessed.push(await look('assess', endpoint, wanted));
      comparisons.push({
        what: `${count} tools, all layers`,
        unit: 'ms',
        rival: {
          name: 'the peer itself',
          measurements: assessed.map(({ spent }) => ({ value: spent?.ms ?? Number.NaN, cpu: undefined })),
        },
        ours: assessed,
      });
      const requests = quartiles(assessed.map(({ spent }) => spent?.requests ?? Number.NaN)).median;
      notes.push(`${count} tools: an assessment makes ${requests} requests, ${wanted} of them calls of tools.`);
      notes.push(`${count} tools: peak memory ${peak(ours)} MB, the client ${peak(rival)} MB.`);
    } finally {
      server.kill();
    }
  }
  return { title: 'validator: one look at a server', comparisons, notes };
}

async function look(side: 'ours' | 'assess' | 'rival', endpoint: string, wanted: number): Promise<Look> {
  const { stdout } = await promisify(execFile)(process.execPath, [lookProgram, side, endpoint]);
  const { ms, cpu, megabytes, called, spent } = JSON.parse(stdout) as {
    ms: number;
    cpu: number;
    megabytes: number;
    called: number;
    spent?: { requests: number; ms: number };
  };
  if (called !== wanted) throw new Error(`${side} called ${called} of ${wanted} tools: ${stdout}`);
  return { value: ms, cpu, megabytes, spent };
}

function peak(looks: readonly Look[]): string {
  return quartiles(looks.map(({ megabytes }) => megabytes)).median.toFixed(0);
}
