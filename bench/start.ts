import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Launch, Peer } from './peers/peer.ts';
import { findPeers, floorName, schemakit } from './peers/peers.ts';
import { connectToServer } from './processes/line-client.ts';
import { receiveTools } from './processes/list-tools.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { type DescribedApi, describeDepartures } from './schemas/departures.ts';
import { untilSettled } from './schemas/until-settled.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** No tool is called, so nothing listens there. */
const root = 'http://127.0.0.1:9';
const ours = 'SchemaKit';
const withoutOffer = 'SchemaKit that keeps nothing';
const withOneTool = 'SchemaKit with 1 tool';

/**
 * From the start of a process until all tools are listed, over stdio: `schemakit run` of a folder that it has served before, against
 * everybody who serves the same API, itself without what it kept, and itself with one tool.
 */
export function benchStart({ rounds = 7 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const peers = await findPeers();
    const single = await describeDepartures(join(folder, '1'), { count: 1, root });
    const comparisons: Comparison[] = [];
    for (const count of [10, 100, 1000, 5000]) {
      const api = await describeDepartures(join(folder, String(count)), { count, root });
      comparisons.push(...(await compare(api, { single, peers, folder, rounds })));
    }
    return { title: 'start: from the process until all tools are listed', comparisons, notes };
  });
}

const notes = [
  'A second start: SchemaKit kept what it offered at the first one. The line of what keeps nothing shows a first start as rival.',
  'The client only looks for line ends and cursors; what it got is read when the time has been taken.',
  'Ten tools in a schema file. SchemaKit answers the list in pages of 1,000, and all pages are asked for.',
];

async function compare(
  api: DescribedApi,
  { single, peers, folder, rounds }: { single: DescribedApi; peers: readonly Peer[]; folder: string; rounds: number },
): Promise<Comparison[]> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  const { count } = api;
  const launches: Record<string, [launch: Launch, count: number]> = {};
  for (const peer of peers) launches[peer.name] = [await peer.launch(api), count];
  launches[withoutOffer] = [await schemakit('/dev/null').launch(api), count];
  launches[withOneTool] = [await schemakit(home).launch(single), 1];
  launches[ours] = [await schemakit(home).launch(api), count];
  await untilSettled();
  const sides = Object.entries(launches).map(([name, launch]) => [name, () => start(...launch)] as const);
  const { [ours]: measured = [], ...others } = await interleave(Object.fromEntries(sides), { rounds });
  const what = `${count.toLocaleString('en')} tools`;
  const toFirst = (starts: readonly Start[]) => starts.map(({ first }) => ({ value: first, cpu: undefined }));
  return [
    ...Object.entries(others).map(([name, measurements]) => ({
      what,
      unit: 'ms' as const,
      rival: { name, measurements },
      ours: measured,
      ...targetAgainst(name, count),
    })),
    {
      what: `${what}, first page`,
      unit: 'ms',
      rival: { name: withOneTool, measurements: toFirst(others[withOneTool] ?? []) },
      ours: toFirst(measured),
      ...targetAgainst(withOneTool, count),
    },
  ];
}

function targetAgainst(rival: string, count: number): Pick<Comparison, 'target'> {
  if (rival === withOneTool) return count === 5000 ? { target: { atMost: 1.3 } } : {};
  return rival === floorName || rival === withoutOffer ? {} : { target: { atMost: 1 } };
}

/** `first` is when the first page had come. */
interface Start extends Measurement {
  first: number;
}

async function start({ args, env }: Launch, count: number): Promise<Start> {
  const begun = performance.now();
  const client = await connectToServer(args, env);
  let first: number | undefined;
  const readTools = await receiveTools(client, () => {
    first ??= performance.now() - begun;
  });
  const value = performance.now() - begun;
  const cpu = client.processorTime();
  await client.close();
  const tools = readTools();
  if (tools.length !== count) throw new Error(`the server lists ${tools.length} tools, not ${count}`);
  return { value, cpu, first: first ?? value };
}
