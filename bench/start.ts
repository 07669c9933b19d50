import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectToServer } from './processes/line-client.ts';
import { handWrittenServer, schemakitRun } from './processes/servers.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { stationsSchema } from './schemas/stations.ts';
import { writeSchemas } from './schemas/write-schemas.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** No tool is called, so nothing listens there. */
const root = 'http://127.0.0.1:9';

/** From the start of a process to its answer to `tools/list`: `schemakit run` against a hand-written server with the same tools. */
export function benchStart({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const comparisons: Comparison[] = [];
    for (const count of [1, 10, 100, 500]) comparisons.push(await compare(count, { folder, rounds }));
    return { title: 'start: from the process to the answer to tools/list', comparisons, notes };
  });
}

const notes = [
  'The hand-written server lists as many tools, from one JSON file where there is more than one schema file.',
];

async function compare(count: number, { folder, rounds }: { folder: string; rounds: number }): Promise<Comparison> {
  const single = join(folder, 'stations.mjs');
  const many = join(folder, `${count}-schemas`);
  const listing = join(folder, `${count}-tools.json`);
  if (count === 1) await writeFile(single, stationsSchema({ root }));
  else await writeSchemas(many, { count });
  const ours = schemakitRun(count === 1 ? single : many);
  const tools = await listTools(ours);
  await writeFile(listing, JSON.stringify(tools));
  const rival = handWrittenServer(root, count === 1 ? undefined : listing);
  const starts = await interleave(
    { rival: () => start(rival, tools.length), ours: () => start(ours, tools.length) },
    { rounds },
  );
  const files = count === 1 ? '1 schema file' : `${count} schema files`;
  return {
    what: `${files}, ${tools.length.toLocaleString('en')} tools`,
    unit: 'ms',
    rival: { name: 'hand-written', measurements: starts.rival },
    ours: starts.ours,
    ...(count === 1 && { target: { atMost: 1.3 } }),
  };
}

async function start(args: readonly string[], count: number): Promise<Measurement> {
  const begun = performance.now();
  const client = await connectToServer(args);
  const { tools } = await client.request('tools/list');
  const value = performance.now() - begun;
  const cpu = client.processorTime();
  await client.close();
  if (!Array.isArray(tools) || tools.length !== count) throw new Error(`the server does not list ${count} tools`);
  return { value, cpu };
}

async function listTools(args: readonly string[]): Promise<object[]> {
  const client = await connectToServer(args);
  const { tools } = await client.request('tools/list');
  await client.close();
  return tools as object[];
}
