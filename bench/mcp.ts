import { deepStrictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectToServer, type McpClient } from './processes/line-client.ts';
import { untilCompiled } from './processes/measure-load.ts';
import { handWrittenServer, schemakitRun } from './processes/servers.ts';
import { startUpstream } from './processes/start-upstream.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { stationsSchema } from './schemas/stations.ts';
import type { BenchmarkResult, Comparison } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** How long each measurement takes. */
const milliseconds = 600;
const warmUpMilliseconds = 1500;

const target = { atLeast: 0.9 };
const search = { name: 'stations__searchStations', arguments: { q: 'haupt bahnhof', sort: 'platforms', limit: 5 } };
const report = { name: 'stations__reportDelay', arguments: { station: 'leipzig-hbf', minutes: 12 } };

interface Subject {
  what: string;
  params: { name: string; arguments: object };
  concurrency: number;
  target?: { atLeast: number };
}

const subjects: readonly Subject[] = [
  { what: 'GET, 3 parameters, 1 at a time', params: search, concurrency: 1, target },
  { what: 'GET, 3 parameters, 32 at a time', params: search, concurrency: 32, target },
  { what: 'GET, 3 parameters, 256 at a time', params: search, concurrency: 256, target },
  { what: 'POST with a body, 32 at a time', params: report, concurrency: 32 },
];

/** `tools/call` over stdio: `schemakit run` against a hand-written server for the same API, called by turns. */
export function benchMcp({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const upstream = await startUpstream();
    const file = join(folder, 'stations.mjs');
    await writeFile(file, stationsSchema({ root: upstream.url }));
    const schemakit = await connectToServer(schemakitRun(file));
    const handWritten = await connectToServer(handWrittenServer(upstream.url));
    try {
      for (const client of [schemakit, handWritten]) await client.callTool(search, untilCompiled);
      const comparisons: Comparison[] = [];
      for (const subject of subjects) comparisons.push(await compare(subject, { schemakit, handWritten, rounds }));
      return { title: 'mcp: tools/call over stdio', comparisons, notes };
    } finally {
      await Promise.all([schemakit.close(), handWritten.close(), upstream.close()]);
    }
  });
}

const notes = [
  'Both answer the same: the text of 1 KB of JSON and its structured form. The hand-written server checks next to nothing.',
  'Before, each server has answered 32 calls at a time for some seconds: the first thousands of calls of a process are slower.',
  'The client only counts lines, and the upstream is a process of its own that does next to nothing.',
];

async function compare(
  { what, params, concurrency, target }: Subject,
  { schemakit, handWritten, rounds }: { schemakit: McpClient; handWritten: McpClient; rounds: number },
): Promise<Comparison> {
  deepStrictEqual(await schemakit.request('tools/call', params), await handWritten.request('tools/call', params));
  const warmUp = { concurrency, milliseconds: warmUpMilliseconds };
  for (const client of [schemakit, handWritten]) await client.callTool(params, warmUp);
  const load = { concurrency, milliseconds };
  const { rival, ours } = await interleave(
    { rival: () => handWritten.callTool(params, load), ours: () => schemakit.callTool(params, load) },
    { rounds },
  );
  const name = 'hand-written';
  return { what, unit: 'calls/s', rival: { name, measurements: rival }, ours, ...(target && { target }) };
}
