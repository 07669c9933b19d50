// What comes of OpenAPI documents: how many operations become tools, and how many of their requests satisfy the document. `node bench/import.ts`
// takes all documents, `node bench/import.ts petstore figma` those whose names have one of the words; `--seconds 300` is for each document and
// server. `--scale` measures large documents instead.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { importOpenApi } from '@schemakit/import';
import { callEveryTool } from '../packages/import/src/fixtures/call-every-tool.ts';
import { hardDocument, hardDocuments } from '../packages/import/src/fixtures/hard-documents.ts';
import {
  parseDocument,
  readRealDocument,
  realDocuments,
  withPathsReversed,
} from '../packages/import/src/fixtures/real-documents.ts';
import {
  asOpenApi3,
  fakeCredential,
  issuedToken,
  startMock,
  withTokenEndpoint,
} from '../packages/import/src/fixtures/start-mock.ts';
import { fastmcpModule } from './peers/fastmcp.ts';
import { githubDocument } from './peers/github-document.ts';
import { openApiMcpGenerator } from './peers/openapi-mcp-generator.ts';
import { callPeerTools } from './processes/call-peer-tools.ts';
import { schemakitCommand } from './processes/servers.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';

type Document = Record<string, unknown>;

interface Row {
  tools: number;
  calls: number;
  satisfied: number;
  /** Why there is nothing, or not everything. */
  note?: string;
}

const run = promisify(execFile);
const program = (name: string) => fileURLToPath(new URL(`./programs/${name}`, import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'boolean', default: false },
    problems: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '300' },
  },
});
const seconds = Number(values.seconds);

await withTemporaryFolder(values.scale ? measureScale : countRequests);

async function countRequests(folder: string): Promise<void> {
  const module = await fastmcpModule();
  const generator = await openApiMcpGenerator();
  const servers: [string, (document: Document) => Promise<Row & { problems: string[] }>][] = [
    ['SchemaKit', (document) => callEveryTool(document, { random: 1, seconds })],
    ...(generator
      ? [
          ['openapi-mcp-generator', (document: Document) => withGenerator(document, generator, folder)] as [
            string,
            never,
          ],
        ]
      : []),
    ...(module ? [['fastmcp', (document: Document) => withFastmcp(document, module, folder)] as [string, never]] : []),
  ];
  const real = realDocuments.map((each) => [each.name, async () => [parseDocument(readRealDocument(each))]] as const);
  // The fixture says why the mock cannot judge the others.
  const judged = hardDocuments.filter(({ unchecked }) => unchecked === undefined);
  const all = [
    ...real,
    ['GitHub, 3.0', readGithub] as const,
    [`${judged.length} small ones, each with one hard thing`, async () => judged.map(hardDocument)] as const,
  ];
  const chosen = all.filter(
    ([name]) => positionals.length === 0 || positionals.some((word) => name.toLowerCase().includes(word.toLowerCase())),
  );
  print(`| Document | operations | ${servers.map(([name]) => name).join(' | ')} |`);
  print(`| --- | --- | ${servers.map(() => '---').join(' | ')} |`);
  for (const [name, read] of chosen) {
    const documents = await read();
    for (const document of documents) noteUnstable(name, document);
    const cells: string[] = [];
    for (const [server, count] of servers) {
      const total: Row = { tools: 0, calls: 0, satisfied: 0 };
      const notes = new Set<string>();
      for (const document of documents) {
        const row = await count(document).catch((error) => ({
          tools: 0,
          calls: 0,
          satisfied: 0,
          note: String(error),
          problems: [],
        }));
        total.tools += row.tools;
        total.calls += row.calls;
        total.satisfied += row.satisfied;
        if (row.note) notes.add(row.note);
        if (values.problems)
          for (const problem of row.problems) process.stderr.write(`${server}: ${problem.slice(0, 400)}\n`);
      }
      for (const note of notes) process.stderr.write(`${name}, ${server}: ${note.slice(0, 400)}\n`);
      cells.push(`${total.tools}, ${total.satisfied} of ${total.calls}${notes.size > 0 ? ' *' : ''}`);
    }
    print(
      `| ${name} | ${documents.reduce((sum, document) => sum + operationsIn(document), 0)} | ${cells.join(' | ')} |`,
    );
  }
}

/** Names are unique and short; importing again, or in another order, gives the same bytes. */
function noteUnstable(name: string, document: Document): void {
  const server = 'http://127.0.0.1:8080';
  const [first, again, reordered] = [document, document, withPathsReversed(document)].map((each) =>
    importOpenApi(each, { server }),
  );
  const names = first?.tools.map((tool) => tool.name) ?? [];
  if (new Set(names).size < names.length || names.some((tool) => tool.length > 64))
    print(`${name}: names are not right`);
  if (!isDeepStrictEqual(first, again)) print(`${name}: importing again gives other files`);
  if (!isDeepStrictEqual(first?.files, reordered?.files)) print(`${name}: another order gives other files`);
}

async function readGithub(): Promise<Document[]> {
  const file = await githubDocument();
  return file === undefined ? [] : [parseDocument(await readFile(file, 'utf8'))];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function operationsIn({ paths = {} }: Document): number {
  const methods = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace', 'query']);
  return Object.values(paths as object).flatMap((item: object) => Object.keys(item).filter((key) => methods.has(key)))
    .length;
}

/** The document as the peers get it: its server is the mock, and Swagger 2.0, which they do not read, is OpenAPI 3.0. */
function servedAt(document: Document, url: string): Document {
  const copy = withTokenEndpoint(document, url);
  return { ...(copy.swagger === undefined ? copy : asOpenApi3(copy)), servers: [{ url }] };
}

async function withFastmcp(document: Document, module: string, folder: string): Promise<Row & { problems: string[] }> {
  const mock = await startMock(document);
  try {
    const file = join(folder, 'document.json');
    await writeFile(file, JSON.stringify(servedAt(document, mock.url)));
    const args = [program('fastmcp-document.js'), module, file, mock.url, JSON.stringify(headersFor(document))];
    const { isComplete, ...row } = await callPeerTools({ args, env: {} }, mock, { seconds });
    return { ...row, ...(!isComplete && { note: `stopped after ${seconds} s` }) };
  } finally {
    await mock.close();
  }
}

async function withGenerator(
  document: Document,
  generator: NonNullable<Awaited<ReturnType<typeof openApiMcpGenerator>>>,
  folder: string,
): Promise<Row & { problems: string[] }> {
  const mock = await startMock(document);
  try {
    const file = join(folder, 'document.json');
    await writeFile(file, JSON.stringify(servedAt(document, mock.url)));
    const { args } = await generator.launch({ openApi: file, count: 0, root: mock.url, schemas: '', tools: '' });
    const env = { API_BASE_URL: mock.url, ...environmentFor(document) };
    const { isComplete, ...row } = await callPeerTools({ args, env }, mock, { seconds });
    return { ...row, ...(!isComplete && { note: `stopped after ${seconds} s` }) };
  } finally {
    await mock.close();
  }
}

type Scheme = Record<string, string> & { flows?: Record<string, object> };

function schemesOf(document: Document): [string, Scheme][] {
  const components = document.components as { securitySchemes?: Record<string, Scheme> } | undefined;
  const older = document.securityDefinitions as Record<string, Scheme> | undefined;
  return Object.entries({ ...components?.securitySchemes, ...older });
}

/** fastmcp sends headers with each call; keys in the query are not among what it documents. */
function headersFor(document: Document): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, scheme] of schemesOf(document)) {
    const secret = `${fakeCredential}${name}`;
    const isBasic = scheme.type === 'basic' || scheme.scheme?.toLowerCase() === 'basic';
    if (scheme.type === 'apiKey' && scheme.in === 'header') headers[String(scheme.name)] = secret;
    else if (scheme.type === 'apiKey' && scheme.in === 'cookie') headers.Cookie = `${scheme.name}=${secret}`;
    else if (isBasic) headers.Authorization ??= `Basic ${Buffer.from(`${secret}:${secret}`).toString('base64')}`;
    else if (scheme.type !== 'apiKey')
      headers.Authorization ??= `Bearer ${hasClientCredentials(scheme) ? issuedToken : secret}`;
  }
  return headers;
}

function hasClientCredentials({ flow, flows }: Scheme): boolean {
  return flow === 'application' || flows?.clientCredentials !== undefined;
}

/** openapi-mcp-generator's README, "Environment Variables for Authentication". */
function environmentFor(document: Document): Record<string, string> {
  return Object.fromEntries(
    schemesOf(document).flatMap(([name]) => {
      const suffix = name.replace(/[^a-zA-Z0-9]/g, '_').toUpperCase();
      const secret = `${fakeCredential}${name}`;
      return [
        'API_KEY',
        'BEARER_TOKEN',
        'BASIC_USERNAME',
        'BASIC_PASSWORD',
        'OAUTH_CLIENT_ID',
        'OAUTH_CLIENT_SECRET',
        'OAUTH_TOKEN',
        'OPENID_TOKEN',
      ].map((kind) => [`${kind}_${suffix}`, secret]);
    }),
  );
}

/** Large documents: the import in a process of its own, then a server in discovery mode and a first search. */
async function measureScale(folder: string): Promise<void> {
  const kubernetes = join(folder, 'kubernetes.json');
  const [document] = realDocuments.filter(({ name }) => name.startsWith('Kubernetes'));
  if (document) await writeFile(kubernetes, readRealDocument(document));
  const github = await githubDocument();
  print(
    '| Document | tools | files | import | processor time | memory | to the answer of a first search, first start | later |',
  );
  print('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, file] of [
    ['Kubernetes', kubernetes],
    ['GitHub', github],
  ] as const) {
    if (file === undefined) continue;
    const { stdout } = await run(process.execPath, [program('import-document.ts'), file]);
    const { seconds, processorSeconds, megabytes, tools, files } = JSON.parse(stdout);
    const home = join(folder, `home-${name}`);
    const schemas = join(folder, name);
    await mkdir(home, { recursive: true });
    const env = { ...process.env, SCHEMAKIT_HOME: home };
    await run(
      process.execPath,
      [schemakitCommand, 'new', file, '--out', schemas, '--server', 'http://127.0.0.1:8080'],
      {
        env,
        cwd: folder,
        maxBuffer: 2 ** 26,
      },
    );
    const first = await searchSeconds(schemas, home);
    const later = await searchSeconds(schemas, home);
    print(
      `| ${name} | ${tools} | ${files} | ${seconds.toFixed(1)} s | ${processorSeconds.toFixed(1)} s | ${Math.round(megabytes)} MB | ${first.toFixed(1)} s | ${later.toFixed(1)} s |`,
    );
  }
}

async function searchSeconds(schemas: string, home: string): Promise<number> {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const begun = performance.now();
  const client = new Client({ name: 'schemakit-bench', version: '1.0.0' });
  const args = [schemakitCommand, 'run', schemas, '--discovery', 'search'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: { SCHEMAKIT_HOME: home }, stderr: 'ignore' }),
    { timeout: 300_000 },
  );
  const { isError, content } = await client.callTool({
    name: 'search_tools',
    arguments: { query: 'list pods or issues' },
  });
  const seconds = (performance.now() - begun) / 1000;
  await client.close();
  if (isError) throw new Error(JSON.stringify(content));
  return seconds;
}
