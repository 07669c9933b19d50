// Prints how large the product is and how many of its files take part in a call, from the sources and without a build:
// npx node scripts/measure-house.ts
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const isSource = (url: string) => url.startsWith(pathToFileURL(join(root, 'packages/')).href) && url.includes('/src/');

interface Row {
  what: string;
  measured: string;
  target: string;
}

const [step, folder] = process.argv.slice(2);
if (step === undefined) await printTable();
else
  process.stdout.write(
    `${await (step === 'fetch' ? filesOfFetch : filesOfToolCall)(join(folder ?? '', 'tides.mjs'))}\n`,
  );

async function printTable(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'measure-house-'));
  const api = await startApi();
  try {
    await writeFile(join(folder, 'tides.mjs'), schemaOf(api));
    const rows: Row[] = [
      ...(await sizes()),
      { what: 'files entered by SchemaKit.fetch', measured: await inChild('fetch', folder), target: '25' },
      { what: 'files entered by tools/call over HTTP', measured: await inChild('tools/call', folder), target: '50' },
      { what: 'modules evaluated by schemakit run', measured: await modulesOfRun(folder), target: '250' },
    ];
    const width = Math.max(...rows.map(({ what }) => what.length));
    const line = ({ what, measured, target }: Row) =>
      `${what.padEnd(width)}  ${measured.padEnd(60)}  ${target}`.trimEnd();
    console.log([{ what: 'What', measured: 'Measured', target: 'Target' }, ...rows].map(line).join('\n'));
  } finally {
    api.close();
    await rm(folder, { recursive: true });
  }
}

/** Lines and files of each package: what git tracks, without tests, fixtures, rule cases and generated code. */
async function sizes(): Promise<Row[]> {
  const { stdout } = spawnSync('git', ['ls-files', 'packages/*/src/*'], { cwd: root, encoding: 'utf8' });
  const product = stdout
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/fixtures\/|cases\.ts$/.test(file));
  const files: { file: string; lines: number }[] = [];
  for (const file of product) {
    const text = await readFile(join(root, file), 'utf8').catch(() => '');
    // Deleted and not committed yet, or written by a generator.
    if (text !== '' && !/^\/\/ (?:Generated|Written) /.test(text))
      files.push({ file, lines: text.split('\n').length - 1 });
  }
  const byPackage = Map.groupBy(files, ({ file }) => file.split('/')[1] ?? '');
  return [['all packages', files] as const, ...byPackage].map(([name, group]) => {
    const total = group.reduce((sum, { lines }) => sum + lines, 0);
    const largest = group.reduce((most, each) => (each.lines > most.lines ? each : most));
    const folders = [...Map.groupBy(group, ({ file }) => dirname(file))];
    const [fullest, inside] = folders.reduce((most, each) => (each[1].length > most[1].length ? each : most));
    const measured = `${total} lines, ${group.length} files; ${basename(largest.file)} ${largest.lines}, ${fullest.replace(/^packages\/|src\//g, '')}/ ${inside.length}`;
    return { what: name, measured, target: '' };
  });
}

function inChild(name: string, folder: string): Promise<string> {
  return runNode([import.meta.filename, name, folder]);
}

/** Our files of which a function runs while the work is done. */
async function filesEntered(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const hasRun = ({ functions }: (typeof result)[number]) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0));
  return result.filter((script) => isSource(script.url) && hasRun(script)).length;
}

async function filesOfFetch(filePath: string): Promise<number> {
  const { SchemaKit } = await import('@schemakit/core');
  const schema = await SchemaKit.loadSchema({ filePath });
  const call = async () => {
    const { status, messages } = await SchemaKit.fetch({
      schema,
      routeName: 'getTides',
      userParams: { port: 'a', day: 1 },
    });
    if (!status) throw new Error(messages.join('\n'));
  };
  await call();
  return filesEntered(call);
}

/** The client is that of the MCP SDK, so that all files of ours are the server's. */
async function filesOfToolCall(filePath: string): Promise<number> {
  const { SchemaKit } = await import('@schemakit/core');
  const { createServer } = await import('@schemakit/server');
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { url, close } = await createServer(await SchemaKit.loadSchema({ filePath })).http();
  const client = new Client({ name: 'measure-house', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  const call = async () => {
    const { isError, content } = await client.callTool({ name: 'tides__getTides', arguments: { port: 'a', day: 1 } });
    if (isError) throw new Error(JSON.stringify(content));
  };
  await call();
  const count = await filesEntered(call);
  await client.close();
  await close();
  return count;
}

/** Our modules that the command has evaluated when tools/list is answered. */
async function modulesOfRun(folder: string): Promise<string> {
  const main = pathToFileURL(join(root, 'packages/cli/src/main.ts')).href;
  const program = `import { run } from ${JSON.stringify(main)}; await run(['run', 'tides.mjs']);`;
  const coverage = join(folder, 'coverage');
  const env = { ...process.env, NODE_V8_COVERAGE: coverage, HOME: folder, SCHEMAKIT_HOME: folder };
  const child = spawn(process.execPath, ['--conditions=@schemakit/source', '--input-type=module', '--eval', program], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'measure-house', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('"id":2')) child.stdin.end();
  }
  const name = (await readdir(coverage)).find((file) => file.startsWith(`coverage-${child.pid}-`)) ?? '';
  const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8')) as { result: { url: string }[] };
  return String(new Set(result.map(({ url }) => url).filter(isSource)).size);
}

async function runNode(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=@schemakit/source', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  return output.trim();
}

async function startApi(): Promise<Server> {
  const api = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"tides":[1,2]}');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  return api;
}

function schemaOf(api: Server): string {
  const { port } = api.address() as AddressInfo;
  const parameter = (key: string, primitive: string) => ({
    position: { key, value: '{{USER_PARAM}}', location: 'query' },
    z: { primitive, options: [] },
  });
  const main = {
    namespace: 'tides',
    name: 'Tides',
    description: 'High and low water.',
    version: '3.0.0',
    root: `http://127.0.0.1:${port}`,
    requiredServerParams: [],
    requiredLibraries: [],
    headers: {},
    tools: {
      getTides: {
        method: 'GET',
        path: '/tides',
        description: 'The tides of a day.',
        parameters: [parameter('port', 'string()'), parameter('day', 'number()')],
      },
    },
  };
  return `export const main = ${JSON.stringify(main)};\n`;
}
