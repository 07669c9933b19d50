// How many rounds a second worker processes make together over one store, and what a round costs the store.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type DatabaseServer, startPostgres, startRedis } from '../packages/agent-server/fixtures/database-servers.ts';
import { createStormClient } from '../packages/agent-server/fixtures/storm-client.ts';
import { forkWorker, type Worker } from './processes/fork-worker.ts';
import { benchAgents, rounds as roundsOfRun } from './programs/agent-loops.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';
import { quartiles } from './statistics/quartiles.ts';

const modelMs = 50;
/** Of each worker: at most 200 rounds/s. */
const runsAtOnce = 10;
/** Four workers start on the machine of this one, and their code is fast only after a while. */
const warmUpMs = 10_000;
const workerCounts = [1, 2, 4];

/** Totals since the store was started, by name. */
type Counters = Record<string, number>;
interface Cost extends Measurement {
  /** Each divided by the rounds. */
  counters: Counters;
}

interface MeasuredStore {
  name: string;
  start(): Promise<DatabaseServer>;
  read(store: DatabaseServer): Promise<Counters>;
}

const stores: Record<'redis' | 'postgres', MeasuredStore> = {
  redis: { name: 'Redis', start: startRedis, read: redisCounters },
  postgres: { name: 'PostgreSQL', start: () => startPostgres({ fsync: true }), read: postgresCounters },
};

/** Rounds of runs that 1, 2 and 4 workers make, beside the same as jobs of BullMQ without an agent. */
export async function benchThroughput(
  kind: 'redis' | 'postgres',
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<BenchmarkResult> {
  const { name, start, read } = stores[kind];
  const store = await start();
  try {
    const sides: Record<string, () => Promise<Cost>> = {};
    for (const count of workerCounts) {
      const measure = { read: () => read(store), seconds };
      const queued = Math.ceil((count * runsAtOnce * (seconds + warmUpMs / 1000) * 1000) / modelMs / roundsOfRun) + 100;
      sides[`ours ${count}`] = () => ours(store, { count, queued, ...measure });
      sides[`BullMQ ${count}`] = () => bullmq(store, { count, queued, ...measure });
    }
    const measured = await interleave(sides, { rounds, warmUps: 0 });
    const title = `runs: rounds/s over ${name} and a model of ${modelMs} ms, ${runsAtOnce} runs at once a worker`;
    return { title, comparisons: workerCounts.flatMap((count) => compare(count, measured)), notes: notes(measured) };
  } finally {
    await store.close();
  }
}

function compare(count: number, measured: Record<string, Cost[]>): Comparison[] {
  const { [`ours ${count}`]: mine = [], 'ours 1': one = [], [`BullMQ ${count}`]: rival } = measured;
  const shared = { what: `${count} ${count === 1 ? 'worker' : 'workers'}`, unit: 'rounds/s', ours: mine } as const;
  return [
    ...(count > 1 ? [{ ...shared, rival: { name: 'one worker', measurements: one } }] : []),
    ...(rival ? [{ ...shared, rival: { name: 'as many of BullMQ', measurements: rival } }] : []),
  ];
}

/** What a round costs, at the median. */
function notes(measured: Record<string, Cost[]>): string[] {
  return Object.entries(measured).map(([side, costs]) => {
    const names = Object.keys(Object.assign({}, ...costs.map(({ counters }) => counters)));
    const parts = names.map(
      (name) => [name, quartiles(costs.map(({ counters }) => counters[name] ?? 0)).median] as const,
    );
    const cpu = quartiles(costs.map((cost) => cost.cpu ?? 0)).median;
    const told = parts
      .filter(([, value]) => value >= 0.05)
      .map(([name, value]) => `${name} ${value.toFixed(value < 100 ? 1 : 0)}`);
    return `${side} a round: ${[`processor time of workers ${cpu.toFixed(1)} ms`, ...told].join(', ')}`;
  });
}

interface Setup {
  /** Workers. */
  count: number;
  /** Runs, more than they can end. */
  queued: number;
  seconds: number;
  read: () => Promise<Counters>;
}

async function ours(store: DatabaseServer, { count, queued, ...measure }: Setup): Promise<Cost> {
  await store.clear();
  const model = forkWorker(new URL('./programs/scripted-model.ts', import.meta.url), [String(modelMs)]);
  const { url } = await model.hello<{ url: string }>();
  const mcp = benchAgents(url, { tasks: store.url, maxRuns: 0 });
  const server = await mcp.http();
  const call = createStormClient(0, () => [`${server.url}/mcp`]);
  for (let left = queued; left > 0; left -= 20) {
    const some = Array.from({ length: Math.min(left, 20) });
    await Promise.all(some.map(() => call('tools/call', { name: 'ask', arguments: { query: 'What is 1 + 2?' } })));
  }
  await mcp.close();
  const program = new URL('./programs/work-on-runs.ts', import.meta.url);
  const args = [url, store.url, String(runsAtOnce)];
  const workers = Array.from({ length: count }, () => forkWorker(program, args));
  return measureCost([model, ...workers], { starting: workers, queued, ...measure });
}

let queues = 0;
async function bullmq(store: DatabaseServer, { count, queued, ...measure }: Setup): Promise<Cost> {
  await store.clear();
  queues += 1;
  const program = new URL('./programs/bullmq-worker.js', import.meta.url);
  const start = (jobs: number, atOnce: number) =>
    forkWorker(program, [store.url, `bench-${queues}`, ...[jobs, roundsOfRun, modelMs, atOnce].map(String)]);
  const queue = start(queued, 0);
  await queue.hello();
  await queue.close();
  const workers = Array.from({ length: count }, () => start(0, runsAtOnce));
  return measureCost(workers, { starting: workers, queued, ...measure });
}

/** Measures for a while in the middle of the work, and ends the programs. */
async function measureCost(
  programs: readonly Worker[],
  { starting, queued, seconds, read }: Omit<Setup, 'count'> & { starting: readonly Worker[] },
): Promise<Cost> {
  const look = async () => {
    const told = await Promise.all(programs.map((program) => program.ask<{ rounds: number; cpu: number }>({})));
    const sum = (name: 'rounds' | 'cpu') => told.reduce((total, each) => total + each[name], 0);
    return { time: performance.now(), rounds: sum('rounds'), cpu: sum('cpu'), counters: await read() };
  };
  try {
    await Promise.all(starting.map((program) => program.hello()));
    await sleep(warmUpMs);
    const before = await look();
    await sleep(seconds * 1000);
    const after = await look();
    const made = after.rounds - before.rounds;
    if (made === 0) throw new Error('no round was made');
    if (after.rounds > (queued - 80) * roundsOfRun) throw new Error('the queue has run dry');
    const counters = Object.entries(after.counters).map(
      ([name, value]) => [name, (value - (before.counters[name] ?? 0)) / made] as const,
    );
    return {
      value: (made * 1000) / (after.time - before.time),
      cpu: (after.cpu - before.cpu) / made,
      counters: Object.fromEntries(counters),
    };
  } finally {
    await Promise.all(programs.map((program) => program.close()));
  }
}

/** A script is one request; the commands in it count as well. The file is the append-only one. */
async function redisCounters({ url }: DatabaseServer): Promise<Counters> {
  const redis = new Redis(url);
  const stats = await redis.info('commandstats', 'persistence');
  redis.disconnect();
  let commands = 0;
  for (const [, calls] of stats.matchAll(/^cmdstat_.*?:calls=(\d+)/gm)) commands += Number(calls);
  return {
    'bytes of the file': Number(/^aof_current_size:(\d+)/m.exec(stats)?.[1]),
    scripts: Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0),
    commands,
  };
}

/** Sessions tell what they did at most a second later. */
async function postgresCounters({ url }: DatabaseServer): Promise<Counters> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT pg_current_wal_lsn() - '0/0' AS "bytes of the log", xact_commit AS transactions, tup_inserted AS "rows inserted",
       tup_updated AS "rows updated", tup_deleted AS "rows deleted" FROM pg_stat_database WHERE datname = 'postgres'`,
  );
  await client.end();
  return Object.fromEntries(Object.entries(Object(rows[0])).map(([name, value]) => [name, Number(value)]));
}
