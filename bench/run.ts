// Side-by-side measurements. `node bench/run.ts` makes all of them, `node bench/run.ts <name>...` those that are named.
import { parseArgs } from 'node:util';
import { benchAgent } from './agent.ts';
import { benchCall } from './call.ts';
import { benchFetch } from './fetch.ts';
import { benchHandlers } from './handlers.ts';
import { benchLoad } from './load.ts';
import { benchMcp } from './mcp.ts';
import { benchMemory } from './memory.ts';
import { benchPeers } from './peers.ts';
import { benchSearch } from './search.ts';
import { benchStart } from './start.ts';
import type { BenchmarkResult } from './statistics/comparison.ts';
import { formatResult } from './statistics/format-result.ts';
import { benchValidator } from './validator.ts';

const benchmarks: Record<string, (options: { rounds?: number }) => Promise<BenchmarkResult>> = {
  agent: benchAgent,
  load: benchLoad,
  fetch: benchFetch,
  call: benchCall,
  handlers: benchHandlers,
  mcp: benchMcp,
  memory: benchMemory,
  peers: benchPeers,
  search: benchSearch,
  start: benchStart,
  validator: benchValidator,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string' } } });
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);

if (unknown.length > 0 || (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))) {
  process.stderr.write(`Usage: node bench/run.ts [${Object.keys(benchmarks).join('|')}]... [--rounds <number>]\n`);
  process.exitCode = 2;
} else {
  for (const name of names) {
    process.stderr.write(`Measuring ${name}…\n`);
    const result = await benchmarks[name]?.({ ...(rounds !== undefined && { rounds }) });
    if (result) process.stdout.write(`${formatResult(result)}\n\n`);
  }
}
