import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Peer } from './peers/peer.ts';
import { findPeers, floorName, schemakit, statelessFloor } from './peers/peers.ts';
import { connectOverHttp, freePort } from './processes/http-client.ts';
import { connectToServer, type McpClient } from './processes/line-client.ts';
import { listTools } from './processes/list-tools.ts';
import { untilCompiled } from './processes/measure-load.ts';
import { startUpstream } from './processes/start-upstream.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { type DescribedApi, departuresArguments, describeDepartures } from './schemas/departures.ts';
import { untilSettled } from './schemas/until-settled.ts';
import type { BenchmarkResult, Comparison, LoadMeasurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** How long each measurement takes. */
const milliseconds = 500;
const warmUpMilliseconds = 1200;
/** Tools that each server has. One of them is called. */
const count = 100;
const ours = 'SchemaKit';

interface Way {
  name: string;
  peers: (all: readonly Peer[]) => readonly Peer[];
  connect: (peer: Peer, api: DescribedApi) => Promise<McpClient>;
}

const ways: readonly Way[] = [
  {
    name: 'stdio',
    peers: (all) => all,
    connect: async (peer, api) => {
      const { args, env } = await peer.launch(api);
      return connectToServer(args, env);
    },
  },
  { name: 'HTTP', peers: (all) => all, connect: (peer, api) => overHttp(peer, api, { isStateless: false }) },
  {
    name: 'stateless HTTP',
    peers: () => [statelessFloor],
    connect: (peer, api) => overHttp(peer, api, { isStateless: true }),
  },
];

async function overHttp(peer: Peer, api: DescribedApi, options: { isStateless: boolean }): Promise<McpClient> {
  const port = await freePort();
  return connectOverHttp(await peer.launch(api, port), { port, ...options });
}

/** `tools/call` over stdio and HTTP: the command against everybody who serves the same API, called by turns. */
export function benchPeers({ rounds = 7 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const upstream = await startUpstream();
    const home = join(folder, 'home');
    await mkdir(home);
    try {
      const api = await describeDepartures(join(folder, 'api'), { count, root: upstream.url });
      const all = await findPeers();
      await untilSettled();
      const comparisons: Comparison[] = [];
      for (const { name, peers, connect } of ways) {
        const clients: [name: string, client: McpClient][] = [];
        try {
          for (const peer of [...peers(all), schemakit(home)]) {
            try {
              clients.push([peer.name, await connect(peer, api)]);
            } catch (error) {
              // Over HTTP, what openapi-mcp-generator 4.0.1 makes ends with an error after the first request.
              if (peer.name === ours || peer.name === floorName) throw error;
              process.stderr.write(`${peer.name} fails over ${name} and is left out: ${String(error).slice(0, 200)}\n`);
            }
          }
          for (const [name, client] of clients) await client.callTool(await paramsFor(name, client), untilCompiled);
          for (const concurrency of [1, 32, 256]) {
            comparisons.push(...(await compare(`${name}, ${concurrency} at a time`, { clients, concurrency, rounds })));
          }
        } finally {
          await Promise.all(clients.map(([, client]) => client.close()));
        }
      }
      return { title: 'peers: tools/call of one of 100 tools', comparisons, notes };
    } finally {
      await upstream.close();
    }
  });
}

const notes = [
  'Before, each server has answered 32 calls at a time for some seconds: the first thousands of calls of a process are slower.',
  'Over HTTP, all calls are made in one session. Stateless is the revision of 2026-07-28, which the peers do not speak.',
  'Everybody answers the text of 1 KB of JSON. Peers that check arguments build their validator as they do by default.',
];

async function compare(
  what: string,
  { clients, concurrency, rounds }: { clients: readonly [string, McpClient][]; concurrency: number; rounds: number },
): Promise<Comparison[]> {
  const sides: Record<string, () => Promise<LoadMeasurement>> = {};
  for (const [name, client] of clients) {
    const params = await paramsFor(name, client);
    expectAnswer(name, await client.request('tools/call', params));
    await client.callTool(params, { concurrency, milliseconds: warmUpMilliseconds });
    sides[name] = () => client.callTool(params, { concurrency, milliseconds });
  }
  const { [ours]: measured = [], ...others } = await interleave(sides, { rounds });
  return Object.entries(others).flatMap(([name, measurements]): Comparison[] => {
    const target = { atLeast: name === floorName ? 0.9 : 1 };
    const durations = (['p50', 'p99'] as const).map((part) => ({
      what: `${what}, ${part}`,
      unit: 'ms' as const,
      rival: { name, measurements: measurements.map((load) => ({ ...load, value: load[part] })) },
      ours: measured.map((load) => ({ ...load, value: load[part] })),
      ...(name !== floorName && { target: { atMost: 1 } }),
    }));
    return [{ what, unit: 'calls/s', rival: { name, measurements }, ours: measured, target }, ...durations];
  });
}

async function paramsFor(name: string, client: McpClient): Promise<{ name: string; arguments: object }> {
  const [tool] = await listTools(client);
  if (tool === undefined) throw new Error(`${name} lists no tools`);
  return { name: tool.name, arguments: departuresArguments };
}

/** Some add words of their own to the answer of the API, or print it anew. */
function expectAnswer(name: string, { content }: Record<string, unknown>): void {
  if (!JSON.stringify(content).includes('Leipzig Hauptbahnhof')) {
    throw new Error(`${name} does not answer what the API does: ${JSON.stringify(content).slice(0, 300)}`);
  }
}
