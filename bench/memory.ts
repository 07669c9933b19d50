import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Launch } from './peers/peer.ts';
import { findPeers, floorName, schemakit } from './peers/peers.ts';
import { connectToServer } from './processes/line-client.ts';
import { listTools } from './processes/list-tools.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { describeDepartures } from './schemas/departures.ts';
import { untilSettled } from './schemas/until-settled.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** No tool is called, so nothing listens there. */
const root = 'http://127.0.0.1:9';
const ours = 'SchemaKit';
const withoutOffer = 'SchemaKit that keeps nothing';
const few = 10;
const many = 5000;

/** What a server has in memory once it has listed its tools twice, over stdio, and how much of it 1,000 tools take. */
export function benchMemory({ rounds = 5 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const peers = await findPeers();
    const home = join(folder, 'home');
    await mkdir(home);
    const sides = [...peers, { ...schemakit(join(folder, 'none')), name: withoutOffer }, schemakit(home)];
    const launches: [name: string, count: number, launch: Launch][] = [];
    for (const count of [few, many]) {
      const api = await describeDepartures(join(folder, String(count)), { count, root });
      for (const side of sides) launches.push([side.name, count, await side.launch(api)]);
    }
    await untilSettled();
    const measures = launches.map(([name, count, launch]) => [`${count} ${name}`, () => measure(launch)] as const);
    const measured = await interleave(Object.fromEntries(measures), { rounds });
    const total = (name: string) => measured[`${many} ${name}`] ?? [];
    const growth = (name: string) => growthBetween(measured[`${few} ${name}`] ?? [], total(name));
    const comparisons = sides
      .filter(({ name }) => name !== ours)
      .flatMap(({ name }): Comparison[] => [
        {
          what: `${many.toLocaleString('en')} tools, all of the process`,
          unit: 'MB',
          rival: { name, measurements: total(name) },
          ours: total(ours),
          ...(name === floorName && { target: { atMost: 2 } }),
        },
        { what: '1,000 tools', unit: 'MB', rival: { name, measurements: growth(name) }, ours: growth(ours) },
      ]);
    return { title: 'memory: of a server that has listed its tools twice', comparisons, notes };
  });
}

const notes = [`The line of 1,000 tools is the difference between ${many} and ${few} tools: garbage is in it.`];

function growthBetween(less: readonly Measurement[], more: readonly Measurement[]): Measurement[] {
  return more.map(({ value }, index) => ({
    value: ((value - (less[index]?.value ?? Number.NaN)) * 1000) / (many - few),
    cpu: undefined,
  }));
}

async function measure({ args, env }: Launch): Promise<Measurement> {
  const client = await connectToServer(args, env);
  await listTools(client);
  await listTools(client);
  const value = client.residentMemory();
  await client.close();
  return { value, cpu: undefined };
}
