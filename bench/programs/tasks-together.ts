// Starts many runs as tasks at once in a fresh process. Arguments: the address of the model, where tasks are stored, how many runs.
// Sends its memory in megabytes before that, and what came of it after.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { benchAgents } from './agent-loops.ts';

const [url = '', tasks = '', count = ''] = process.argv.slice(2);
const mcp = benchAgents(url, { tasks });
const server = await mcp.http({ port: 0 });
const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)) as Parameters<Client['connect']>[0],
);
const run = async () => {
  const params = { name: 'ask', arguments: { query: 'What is 1 + 2?' }, task: { ttl: 3_600_000 } };
  const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema, { timeout: 600_000 });
  const { taskId } = task;
  return client.request({ method: 'tasks/result', params: { taskId } }, CallToolResultSchema, { timeout: 600_000 });
};
// Loads and compiles what every run needs.
await run();
process.send?.(process.memoryUsage.rss() / 1e6);

const begun = performance.now();
const results = await Promise.all(Array.from({ length: Number(count) }, run));
const seconds = (performance.now() - begun) / 1000;
const status = (result: (typeof results)[number]) => String(Object(result._meta?.['schemakit/run']).status);
const ended = Object.fromEntries([...Map.groupBy(results, status)].map(([key, all]) => [key, all.length]));
await client.close();
await mcp.close();

const file = tasks.slice('sqlite:'.length);
const bytes: number[] = [];
const entries = new DatabaseSync(file).prepare('SELECT run_id, text FROM entries ORDER BY run_id, number').all();
let round = 0;
for (const { text } of entries) {
  const event = JSON.parse(String(text)) as { type: string; round?: number };
  if (event.type === 'run.started') round = 0;
  if (event.type === 'round.started') round = Number(event.round);
  bytes[round] = (bytes[round] ?? 0) + String(text).length / (Number(count) + 1);
}
process.once('disconnect', () => process.exit());
process.send?.({ seconds, ended, bytes: bytes.slice(1), fileBytes: statSync(file).size });
