import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackExtension, validateManifest } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { validate } from '@scalar/openapi-parser';
import { OpenAPIBackend } from 'openapi-backend';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startParsingApi } from '../../packages/core/src/call/fixtures/parsing-api.ts';
import { cliProject, shopSchema } from './support/cli-project.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { serverJsonProblems } from './support/server-json-rules.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const command = resolve('packages/cli/bin/schemakit.js');

/** What a shell would put into a file. */
function execute(cwd: string, ...args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, [command, ...args], { cwd, encoding: 'utf8', env: { ...process.env, HOME: cwd } });
}

const tides = moduleText(
  mainWith({
    namespace: 'tides',
    root: 'https://tides.example.com/v1',
    requiredServerParams: ['TIDES_KEY'],
    auth: { type: 'apiKey', in: 'header', name: 'X-Key', value: '{{TIDES_KEY}}' },
    tools: {
      getTides: { ...faultlessTool, path: '/tides', parameters: [parameter('harbour', 'query')], tests: [] },
      listTides: { ...faultlessTool, path: '/tides', parameters: [parameter('day', 'query')], tests: [] },
      sendReport: {
        ...faultlessTool,
        ...{ method: 'POST', path: '/reports', tests: [] },
        parameters: [parameter('text', 'body'), parameter('harbour', 'body')],
      },
    },
  }),
);

describe('export openapi', () => {
  test('prints the document, and what it does not say on stderr', async () => {
    const cwd = await temporaryFolder({ 'tides.mjs': tides });
    const { stdout, stderr, status } = execute(cwd, 'export', 'openapi', 'tides.mjs');
    expect(status).toBe(0);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://tides.example.com/v1' }],
      paths: { '/tides': { get: { operationId: 'getTides', security: [{ TIDES_KEY: [] }] } } },
      components: { securitySchemes: { TIDES_KEY: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    });
    expect(Object.keys(document.paths)).toEqual(['/tides', '/tides#listTides', '/reports']);
    expect(stderr).toContain('EXP011 tides__listTides: GET /tides is the request of another tool as well');
    expect(await validate(document)).toMatchObject({ valid: true });
    const api = new OpenAPIBackend({ definition: structuredClone(document), strict: true });
    await expect(api.init()).resolves.toBeDefined();
  });

  test('with --out, writes the file once, and replaces another only with --force', async () => {
    const project = await cliProject({ 'project/tides.mjs': tides });
    const args = ['export', 'openapi', 'tides.mjs', '--out', 'api.json'];
    const { status, json } = project.run(...args);
    expect({ status, json }).toMatchObject({
      status: 0,
      json: {
        status: true,
        kind: 'openapi',
        path: 'api.json',
        omissions: [{ code: 'EXP011', tool: 'tides__listTides' }],
      },
    });
    expect(project.run(...args).status).toBe(0);
    writeFileSync(join(project.folder, 'api.json'), 'mine');
    const refused = project.run(...args);
    expect([refused.status, refused.json.findings]).toMatchObject([4, [{ code: 'EXP005' }]]);
    expect(project.read('project/api.json')).toBe('mine');
    expect(project.run(...args, '--force').status).toBe(0);
    expect(project.json('project/api.json')).toMatchObject({ openapi: '3.1.0' });
    expect(readdirSync(project.folder).sort()).toEqual(['.keep', 'api.json', 'tides.mjs']);
  });

  test('takes one tool of a file, a group, or tools by name', async () => {
    const project = await cliProject({
      'project/schemas/tides.mjs': tides,
      'project/.schemakit/config.json': '{ "defaultGroup": "work" }',
      'project/.schemakit/groups/work.json': '{ "tools": ["schemas/tides.mjs::tool::sendReport"] }',
    });
    const ids = (...words: string[]) => {
      const { json } = project.run('export', 'openapi', ...words, '--json');
      const { paths } = json.document as { paths: Record<string, Record<string, { operationId: string }>> };
      return Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    };
    expect(ids('schemas/tides.mjs::tool::listTides')).toEqual(['listTides']);
    expect(ids()).toEqual(['sendReport']);
    expect(ids('tides_getTides')).toEqual(['getTides']);
    expect(ids('schemas')).toEqual(['getTides', 'listTides', 'sendReport']);
  });
});

describe('export mcpb', () => {
  test('makes a bundle that runs where there is nothing but Node', async () => {
    const { origin, requests } = await startParsingApi(() => ({ body: { high: '12:00' } }));
    const secret = 'never-in-the-bundle';
    const project = await cliProject({
      'project/schemas/tides.mjs': tides.replace('https://tides.example.com/v1', origin),
      'project/.env': `TIDES_KEY=${secret}\n`,
    });
    const { status, json } = project.run('export', 'mcpb', 'schemas', '--name', 'tides', '--out', 'tides.mcpb');
    expect({ status, json }).toMatchObject({
      status: 0,
      json: {
        kind: 'mcpb',
        secrets: ['TIDES_KEY'],
        omissions: [],
        next: [
          'schemakit export server-json schemas --bundle tides.mcpb --bundle-url <url> --name io.github.<user>/tides',
        ],
      },
    });
    const file = join(project.folder, 'tides.mcpb');
    const bytes = readFileSync(file);
    expect(json.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(project.run('export', 'mcpb', 'schemas', '--name', 'tides', '--out', 'again.mcpb').json.sha256).toBe(
      json.sha256,
    );

    const folder = await temporaryFolder({});
    const unpacked = join(folder, 'bundle');
    expect(await unpackExtension({ mcpbPath: file, outputDir: unpacked, silent: true })).toBe(true);
    vi.spyOn(console, 'log').mockImplementation(() => {});
    expect(validateManifest(join(unpacked, 'manifest.json'))).toBe(true);
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true });
    const texts = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(texts.filter((path) => readFileSync(path).includes(secret) || path.endsWith('.env'))).toEqual([]);

    const { server, tools, user_config: config } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
    expect(config).toMatchObject({ TIDES_KEY: { type: 'string', sensitive: true, required: true } });
    const filled = (text: string) =>
      text.replaceAll('${__dirname}', unpacked).replaceAll('${user_config.TIDES_KEY}', 'from-the-user');
    const { command: program, args, env } = server.mcp_config;
    const bin = join(folder, 'bin');
    const home = join(folder, 'home');
    mkdirSync(bin);
    mkdirSync(home);
    symlinkSync(process.execPath, join(bin, program));
    const transport = new StdioClientTransport({
      ...{ command: join(bin, program), args: args.map(filled), cwd: home },
      env: {
        ...Object.fromEntries(Object.entries(env as Record<string, string>).map(([k, v]) => [k, filled(v)])),
        PATH: bin,
        HOME: home,
      },
    });
    const client = new Client({ name: 'host', version: '1.0.0' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const listed = (await client.listTools()).tools.map(({ name, description }) => ({ name, description }));
    expect(listed).toEqual(tools);
    const answer = await client.callTool({ name: 'tides__getTides', arguments: { harbour: 'dover' } });
    expect(answer.isError).not.toBe(true);
    expect(requests).toMatchObject([{ url: '/tides?harbour=dover', headers: { 'x-key': 'from-the-user' } }]);
  }, 180_000);

  test('has the lists, prompts, databases and pins of its schemas, and only the tools that were named', async () => {
    const list = `export const list = { meta: { name: 'harbours', version: '1.0.0', fields: [{ key: 'code', type: 'string' }] }, entries: [{ code: 'dover' }] };\n`;
    const main = mainWith({
      namespace: 'ports',
      sharedLists: [{ ref: 'harbours' }],
      tools: {
        getThing: {
          ...faultlessTool,
          parameters: [parameter('harbour', 'query', ['enum({{harbours:code}})'])],
          tests: [],
        },
        other: { ...faultlessTool, parameters: [], tests: [] },
      },
      resources: { guide: { source: 'markdown', description: 'A guide.', origin: 'inline', name: 'guide.md' } },
    });
    const project = await cliProject({
      'project/api/ports.mjs': moduleText(main),
      'project/api/resources/guide.md': '# Guide\n',
      'project/_lists/harbours.mjs': list,
      'project/_lists/other.mjs': list.replace('harbours', 'unused'),
    });
    expect(project.run('trust', 'api/ports.mjs', '--yes').status).toBe(0);
    const { status, json } = project.run('export', 'mcpb', 'api/ports.mjs::tool::getThing', '--out', 'ports.mcpb');
    expect({ status, json }).toMatchObject({ status: 0, json: { omissions: [] } });
    const folder = await temporaryFolder({});
    await unpackExtension({ mcpbPath: join(project.folder, 'ports.mcpb'), outputDir: folder, silent: true });
    const own = (readdirSync(folder, { recursive: true }) as string[]).filter(
      (path) => !path.startsWith('node_modules'),
    );
    expect(own.filter((path) => /\.\w+$/.test(path) && !path.endsWith('.schemakit')).sort()).toEqual([
      '.schemakit/config.json',
      '.schemakit/groups/bundle.json',
      'home/config.json',
      'manifest.json',
      'schemakit.lock.json',
      'schemas/_lists/harbours.mjs',
      'schemas/ports.mjs',
      'schemas/resources/guide.md',
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest.tools).toMatchObject([{ name: 'ports__getThing' }]);
    writeFileSync(
      join(folder, 'schemas/ports.mjs'),
      moduleText({ ...main, description: 'Changed.', root: 'https://evil.example' }),
    );
    const changed = spawnSync(
      process.execPath,
      [...manifest.server.mcp_config.args.map((text: string) => text.replaceAll('${__dirname}', folder))],
      {
        encoding: 'utf8',
        input: '',
        env: { SCHEMAKIT_HOME: join(folder, 'home') },
      },
    );
    expect(changed.stderr).toContain('LCK004');
  }, 120_000);
});

describe('export server-json', () => {
  const base = ['export', 'server-json', 'tides.mjs', '--json'];

  test('names the package, the bundle and the server, and the secrets that they need', async () => {
    const project = await cliProject({ 'project/tides.mjs': tides, 'project/t.mcpb': 'bytes' });
    const { json } = project.run(
      ...base,
      ...['--name', 'io.github.me/tides', '--npm', '@me/tides@1.2.0', '--version', '1.2.0'],
      ...['--bundle', 't.mcpb', '--bundle-url', 'https://example.com/t.mcpb', '--url', 'https://tides.example.com/mcp'],
      ...['--repository', 'https://github.com/me/tides'],
    );
    expect(json.document).toMatchObject({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'io.github.me/tides',
      version: '1.2.0',
      repository: { url: 'https://github.com/me/tides', source: 'github' },
      packages: [
        {
          ...{ registryType: 'npm', identifier: '@me/tides', version: '1.2.0', transport: { type: 'stdio' } },
          environmentVariables: [{ name: 'TIDES_KEY', isRequired: true, isSecret: true }],
        },
        {
          ...{ registryType: 'mcpb', identifier: 'https://example.com/t.mcpb', transport: { type: 'stdio' } },
          fileSha256: createHash('sha256').update('bytes').digest('hex'),
        },
      ],
      remotes: [{ type: 'streamable-http', url: 'https://tides.example.com/mcp' }],
    });
    expect(serverJsonProblems(json.document)).toEqual([]);
  });

  test('a long description is cut at a word', async () => {
    const description = 'Tides and currents of all harbours, '.repeat(6);
    const project = await cliProject({ 'project/tides.mjs': moduleText(mainWith({ description })) });
    const { json } = project.run(...base, '--name', 'io.github.me/t', '--url', 'https://a.example.com/mcp');
    const { description: cut } = json.document as { description: string };
    expect(cut.length).toBeLessThanOrEqual(100);
    expect(cut).toMatch(/^Tides.* \w+…$/);
    expect(serverJsonProblems(json.document)).toEqual([]);
  });

  const url = ['--url', 'https://a.example.com/mcp'];
  const name = ['--name', 'io.github.me/t'];
  test.each([
    ['EXP002', ['--name', 'tides', ...url]],
    ['EXP002', ['--name', 'io.github.me/a/b', ...url]],
    ['EXP002', url],
    ['EXP003', [...name, ...url, '--description', 'x'.repeat(101)]],
    ['EXP003', [...name, ...url, '--description', '']],
    ['EXP004', name],
    ['EXP004', [...name, '--url', 'http://a.example.com/mcp']],
    ['EXP004', [...name, ...url, '--version', '^1.0.0']],
    ['EXP004', [...name, '--npm', 'Not A Package']],
    ['EXP004', [...name, '--bundle-url', 'https://a.example.com/t.mcpb']],
    ['EXP004', [...name, '--bundle', 'none.mcpb', '--bundle-url', 'https://a.example.com/t.mcpb']],
    ['EXP005', [...name, ...url, '--out', 'no/such/folder.json']],
    ['EXP005', [...name, ...url, '--out', '.']],
  ])('%s for %j', async (code, args) => {
    const project = await cliProject({ 'project/tides.mjs': tides });
    const { status, json } = project.run(...base, ...args);
    expect(status).not.toBe(0);
    expect(json).toMatchObject({ status: false, fix: expect.any(String), findings: [{ code }] });
    expect(readdirSync(project.folder).sort()).toEqual(['.keep', 'tides.mjs']);
  });

  test('the name must be the mcpName of the package', async () => {
    const manifest = { name: '@me/tides', version: '1.2.0', mcpName: 'io.github.me/other' };
    const project = await cliProject({ 'project/tides.mjs': tides, 'project/package.json': JSON.stringify(manifest) });
    const { json } = project.run(...base, ...name, '--npm', '@me/tides');
    expect(json).toMatchObject({
      status: false,
      findings: [{ code: 'EXP002', hint: expect.stringContaining('mcpName') }],
    });
    const right = project.run(...base, '--npm', '@me/tides');
    expect(right.json).toMatchObject({ document: { name: 'io.github.me/other', version: '1.2.0' } });
  });
});

describe('what cannot be exported', () => {
  test.each(['openapi', 'mcpb', 'server-json'])('%s', async (kind) => {
    const project = await cliProject({ 'project/broken.mjs': 'export const main = { nope', 'project/empty/.keep': '' });
    for (const word of ['none.mjs', 'broken.mjs', 'empty']) {
      const { status, json } = project.run('export', kind, word, '--json');
      expect([word, json.status, status === 0]).toEqual([word, false, false]);
    }
    expect(readdirSync(project.folder).sort()).toEqual(['.keep', 'broken.mjs', 'empty']);
  });

  test('a tool whose handler makes its request is left out, and a document without others is an error', async () => {
    const text = `${shopSchema(['getThing'])}\nexport const handlers = () => ({ getThing: { executeRequest: async () => ({ response: {} }) } });\n`;
    const project = await cliProject({ 'project/shop.mjs': text });
    const { status, json } = project.run('export', 'openapi', 'shop.mjs', '--json');
    expect(status).not.toBe(0);
    expect(json).toMatchObject({
      findings: [{ code: 'EXP001' }],
      omissions: [{ code: 'EXP010', tool: 'shop__getThing' }],
    });
    expect(execute(project.folder, 'export', 'openapi', 'shop.mjs').stdout).toBe('');
  });
});
