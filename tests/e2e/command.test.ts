import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SchemaKit } from '@schemakit/core';
import { afterEach, describe, expect, test } from 'vitest';
import { faultlessTool, mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const command = resolve('packages/cli/bin/schemakit.js');
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** Runs the command to its end, as a shell does. */
function schemakit(...args: string[]): { status: number | null; json: Record<string, unknown>; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, json: stdout === '' ? {} : JSON.parse(stdout), stderr };
}

async function schemaFile(main: Record<string, unknown> = {}, handlers?: string): Promise<string> {
  const folder = await temporaryFolder({ 'shop.mjs': moduleText(mainWith(main), handlers) });
  return join(folder, 'shop.mjs');
}

async function serve(file: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [command, 'run', file], stderr: 'ignore' }),
  );
  return client;
}

describe('schemakit run', () => {
  test.runIf(existsSync('/proc'))(
    'takes its handler hosts with it when it is told to end',
    { timeout: 30_000 },
    async () => {
      const upstream = await startUpstream(() => ({ body: {} }));
      const hooks = '() => ({ getThing: { postRequest: async () => { for (;;); } } })';
      const file = await schemaFile({ root: upstream.origin }, hooks);
      const server = spawn(process.execPath, [command, 'run', file], { stdio: ['pipe', 'pipe', 'ignore'] });
      const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const clientInfo = { name: 'test', version: '1' };
      say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
      await once(server.stdout, 'data');
      say({ method: 'notifications/initialized' });
      say({ id: 2, method: 'tools/call', params: { name: 'shop__getThing', arguments: {} } });
      const host = await until(() => childrenOf(server.pid ?? 0)[0]);
      server.kill('SIGTERM');
      const [code] = await once(server, 'exit');
      expect(code).toBe(0);
      await until(() => (isRunning(host) ? undefined : true));
    },
  );

  test('an answer that no client could take is reduced, and says so', async () => {
    const upstream = await startUpstream(() => ({ body: { text: 'x'.repeat(5 * 1024 * 1024) } }));
    const client = await serve(await schemaFile({ root: upstream.origin }));
    const large = await client.callTool({ name: 'shop__getThing', arguments: {} });
    expect(large.content).toEqual([
      { type: 'text', text: '{}' },
      { type: 'text', text: expect.stringContaining('$.text was left out (5242882 characters)') },
    ]);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('serves skills as prompts', async () => {
    const skill = {
      name: 'buy',
      version: 'flowmcp-skill/1.0.0',
      description: 'Buy a thing',
      input: [{ key: 'thing', type: 'enum', description: 'What', required: true, values: ['tea', 'toast'] }],
      content: 'Use {{tool:getThing}} to buy {{input:thing}}.',
      output: 'A receipt',
    };
    const folder = await temporaryFolder({
      'shop.mjs': moduleText(mainWith({ skills: { buy: { file: './buy.mjs' } } })),
      'buy.mjs': `export const skill = ${JSON.stringify(skill)};`,
    });
    const client = await serve(join(folder, 'shop.mjs'));
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: 'shop__buy', arguments: [{ name: 'thing', required: true }] },
    ]);
    const { messages } = await client.getPrompt({ name: 'shop__buy', arguments: { thing: 'tea' } });
    expect(JSON.stringify(messages)).toContain('Use shop__getThing to buy tea.');
    const ref = { type: 'ref/prompt', name: 'shop__buy' } as const;
    expect((await client.complete({ ref, argument: { name: 'thing', value: 't' } })).completion.values).toEqual([
      'tea',
      'toast',
    ]);
  });
});

describe('schemakit call', () => {
  test('keeps every digit of a large integer', async () => {
    const upstream = await startUpstream(() => ({
      headers: { 'content-type': 'application/json' },
      body: '{"id":12345678901234567890,"n":1.5}',
    }));
    const schema = await SchemaKit.loadSchema({ filePath: await schemaFile({ root: upstream.origin }) });
    const { data } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
    expect(data).toEqual({ id: '12345678901234567890', n: 1.5 });
  });

  test.each([
    [['x.mjs::tool::a', '[]'], 'The input must be a JSON object.'],
    [['x.mjs::tool::a', '{bad'], 'Invalid JSON argument: '],
    [['x.mjs::tool::a', '{}', 'more'], 'Too many arguments: more.'],
    [['x.mjs'], '"x.mjs" is not a tool reference.'],
  ])('%j is refused: %s', (args, error) => {
    const { status, json } = schemakit('call', ...args);
    expect(status).toBe(2);
    expect(json).toMatchObject({ status: false, error: expect.stringContaining(error) });
  });

  test('finds a tool whose name holds colons', async () => {
    const file = await schemaFile({ root: 'http://127.0.0.1:9', tools: { 'a::b': faultlessTool } });
    expect(schemakit('call', `${file}::tool::a::b`).json.error).toContain('ECONNREFUSED');
  });

  test('finds a document by the reference of its resource', async () => {
    const guide = { source: 'markdown', origin: 'inline', name: 'guide.md', description: 'A guide.' };
    const folder = await temporaryFolder({
      'shop.mjs': moduleText(mainWith({ resources: { guide } })),
      'resources/guide.md': '# Guide\n\nWelcome.\n',
    });
    const { status, json } = schemakit('call', `${join(folder, 'shop.mjs')}::resource::guide`, 'lines=1-1');
    expect(json).toMatchObject({ status: true, content: '# Guide' });
    expect(status).toBe(0);
  });
});

test('a reader that goes away ends the command quietly', () => {
  const line = `"${process.execPath}" "${command}" demo | true`;
  const { stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: 60_000 });
  expect(stderr).not.toMatch(/EPIPE|at .*node:/);
});

test('words that are no command end with status 2', () => {
  expect(schemakit('cal').status).toBe(2);
  expect(schemakit('validate', '--nope', 'x').status).toBe(2);
});

test('a folder without schemas is said so on stdout', async () => {
  const folder = await temporaryFolder({ 'readme.txt': '' });
  expect(schemakit('validate', folder).json.error).toContain('there is no schema in');
  expect(schemakit('call', 'list-tools', folder).json.error).toContain('there is no schema in');
});

test('a pipe or a device is no schema file, and is not waited for', { timeout: 10_000 }, async () => {
  const { status, messages } = await SchemaKit.loadSchema({ filePath: '/dev/zero' });
  expect({ status, messages }).toEqual({ status: false, messages: ['/dev/zero is not a regular file'] });
});

test('a misspelt hook is pointed out', async () => {
  const file = await schemaFile({}, '() => ({ getThing: { postrequest: async () => ({}) } })');
  const { findings } = await SchemaKit.loadSchema({ filePath: file });
  expect(findings).toEqual([
    expect.objectContaining({ code: 'VAL055', severity: 'warning', hint: 'Did you mean postRequest?' }),
  ]);
});

test('a schema that did not load says so when it is used', async () => {
  const schema = await SchemaKit.loadSchema({ filePath: await schemaFile({ namespace: 'Shop1' }) });
  const { messages } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
  expect(messages).toEqual(['this schema did not load', 'namespace must contain only lowercase letters']);
});

/** Waits for a value, looking again and again; the time-out of the test ends it. */
async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  return readdirSync(tasks).flatMap((task) => {
    const file = join(tasks, task, 'children');
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  });
}

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false; // Its folder is gone, and so is the process.
  }
}
