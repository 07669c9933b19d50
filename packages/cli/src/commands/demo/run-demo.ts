import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startDemoApi } from './demo-api.ts';

const schemaFile = fileURLToPath(new URL('./catalog/demo/garden.mjs', import.meta.url));
const command = fileURLToPath(new URL('../bin/schemakit.js', import.meta.url));

const calls: readonly [tool: string, input: Record<string, unknown>, note: string][] = [
  ['searchPlants', { q: 'allium', sort: 'height', limit: 2 }, 'query parameters, an enum, a bound'],
  ['getPlant', { id: 'sunflower' }, 'a path parameter'],
  ['listHarvests', { bed: 'south' }, 'a fixed parameter that callers never see (unit)'],
  ['logHarvest', { plant: 'courgette', grams: 1800, note: 'still too many' }, 'a JSON body, and a secret in a header'],
  ['getCalendar', { month: 3 }, 'an XML response, converted to JSON by a handler in the sandbox'],
  ['readSoil', { bed: 'south', delay: 300 }, 'a slow response'],
  ['readSoil', { bed: 'greenhouse' }, 'an API error'],
];

const refused: readonly [tool: string, input: Record<string, unknown>][] = [
  ['searchPlants', { limit: 5000, sort: 'heigth' }],
  ['getPlant', { id: '../harvests' }],
];

/** `schemakit demo`: starts a sample REST API and an MCP server for its schema, and calls the tools with a client. */
export async function demo(): Promise<void> {
  const requests: string[] = [];
  const onRequest = (line: string) => requests.push(line);
  const api = await startDemoApi({ port: 4848, onRequest }).catch(() => startDemoApi({ onRequest }));
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-demo-'));
  const client = new Client({ name: 'schemakit-demo', version: '1.0.0' });
  try {
    const file = await schemaFor(api.url, folder);
    say(`A REST API listens on ${api.url}: a kitchen garden.`);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [command, 'run', file],
        env: { HOME: folder, GARDEN_API_KEY: api.apiKey },
        stderr: 'inherit',
      }),
    );
    const { tools } = await client.listTools();
    say(`schemakit run ${basename(file)} serves its schema over MCP (stdio) with ${tools.length} tools:\n`);
    for (const { name, description = '' } of tools) say(`  ${name.padEnd(22)} ${description}`);
    for (const [tool, input, note] of calls) await show(client, requests, { tool, input, note });
    say('\nInvalid input is rejected before a request is sent:');
    for (const [tool, input] of refused) await show(client, requests, { tool, input });
    say(
      `\nThe schema: ${schemaFile}\nCopy it to describe your own API.\nTo check any server in the browser: npx -p @schemakit/validator-service schemakit-validator`,
    );
  } finally {
    await client.close();
    await api.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function schemaFor(url: string, folder: string): Promise<string> {
  const file = join(folder, basename(schemaFile));
  if (url.endsWith(':4848')) await copyFile(schemaFile, file);
  else await writeFile(file, (await readFile(schemaFile, 'utf8')).replaceAll('http://127.0.0.1:4848', url));
  return file;
}

async function show(
  client: Client,
  requests: string[],
  { tool, input, note }: { tool: string; input: Record<string, unknown>; note?: string },
): Promise<void> {
  requests.length = 0;
  const { content, isError } = await client.callTool({ name: `garden__${tool}`, arguments: input });
  const text = content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
  say(`\n${note === undefined ? '' : `# ${note}\n`}garden__${tool} ${JSON.stringify(input)}`);
  for (const line of new Set(requests)) say(`  -> ${line}`);
  for (const line of shorten(text).split('\n')) say(`  ${isError ? 'x ' : '<-'} ${line}`);
}

function shorten(text: string): string {
  return text.length > 360 ? `${text.slice(0, 360)}… (${text.length} characters)` : text;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
