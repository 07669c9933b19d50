import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { buildSchema, graphql } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasTerminal, runAtTerminal, startCommand } from './support/command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }] },
    },
  },
};

async function serve(answers: Readonly<Record<string, object | string>>, headers: Record<string, string> = {}) {
  const asked: string[] = [];
  const listener: RequestListener = ({ url = '' }, response) => {
    asked.push(url);
    const answer = answers[url];
    response.writeHead(answer === undefined ? 404 : 200, headers);
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { error: 'not found' }));
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** An endpoint of GraphQL at every path, which has nothing for GET. */
async function serveGraphql(answer: (query: string, variables?: Record<string, unknown>) => object | Promise<object>) {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const { query, variables } = (await json(request)) as { query: string; variables?: Record<string, unknown> };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await answer(query, variables)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function project(files: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryFolder(files);
  return { cwd, run: (...args: string[]) => startCommand(args, { cwd }) };
}

describe('schemakit new', () => {
  test('from an address to a tool that is called', async () => {
    const { origin } = await serve({
      '/openapi.json': document,
      '/v1/pets?limit=2': [{ name: 'Rex' }, { name: 'Bo' }],
    });
    const { run } = await project();
    const { status, json } = await run('new', `${origin}/openapi.json`);
    expect({ status, json }).toMatchObject({
      status: 0,
      json: {
        status: true,
        namespace: 'pets',
        files: [join('schemas', 'pets', 'pets.mjs')],
        omissions: [],
        findings: [],
      },
    });
    expect(json.tools).toMatchObject([{ name: 'pets__listPets', tokens: expect.any(Number) }]);
    const called = await run('call', 'schemas/pets/pets.mjs::tool::listPets', 'limit=2');
    expect(called).toMatchObject({ status: 0, json: { content: [{ name: 'Rex' }, { name: 'Bo' }] } });
    const again = await run('new', `${origin}/openapi.json`);
    expect(again.status).toBe(0);
    const different = await run('new', `${origin}/openapi.json`, '--server', 'https://pets.example.com');
    expect(different.status).not.toBe(0);
    expect(different.json.error).toContain('exists and is different');
  });

  test('shows what it would write', async () => {
    const { run, cwd } = await project({ 'openapi.json': JSON.stringify(document) });
    const { json } = await run('new', 'openapi.json', '--server', 'https://pets.example.com', '--dry-run');
    expect(json).toMatchObject({ dryRun: true, tokens: expect.any(Number), tools: [{ name: 'pets__listPets' }] });
    expect(readdirSync(cwd)).toEqual(['openapi.json']);
  });

  test.skipIf(!hasTerminal)(
    'a dry run lists details that are left out, because it writes no page of them',
    async () => {
      const { cwd } = await project({
        'openapi.json': JSON.stringify({
          ...document,
          paths: {
            '/pets': {
              get: { parameters: [{ name: 'a', in: 'query', schema: { type: 'number', exclusiveMinimum: 0 } }] },
            },
          },
        }),
      });
      const words = ['new', 'openapi.json', '--server', 'https://pets.example.com', '--dry-run'];
      const { screen } = await runAtTerminal(words, '', { cwd });
      expect(screen).toContain('1 tool in 1 file');
      expect(screen).toContain('1 detail left out:');
      expect(screen).toContain('IMP021 /paths/~1pets/get/parameters/0/schema/exclusiveMinimum: ');
      expect(screen).not.toContain('pets.md');
    },
  );

  test.each([['https://pets.example.com/pets'], ['-X', 'POST', 'https://pets.example.com/pets']])(
    'says that a curl command needs quotes: %s',
    async (...words) => {
      const { run } = await project();
      const { status, json } = await run('new', 'curl', ...words);
      expect(status).toBe(2);
      expect(json.fix).toBe('Put the curl command in quotes: schemakit new "curl …"');
    },
  );

  test.runIf(hasTerminal)('says which secrets the tools need, and where to set those that are not', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };
    const { cwd, run } = await project({
      'openapi.json': JSON.stringify({ ...document, components, security: [{ key: [] }] }),
    });
    const words = ['new', 'openapi.json', '--server', 'https://pets.example.com', '--dry-run'];
    const { screen } = await runAtTerminal(words, '', { cwd });
    expect(screen).toContain('1 secret not set: PETS_API_KEY');
    expect(screen).toContain('Add PETS_API_KEY=<value> to .env of the project');
    const fix = expect.stringContaining('Add PETS_API_KEY=<value>');
    expect((await run(...words)).json.secrets).toEqual([{ name: 'PETS_API_KEY', set: false, fix }]);
    writeFileSync(join(cwd, '.env'), 'PETS_API_KEY=k-123456');
    expect((await run(...words)).json.secrets).toEqual([{ name: 'PETS_API_KEY', set: true }]);
  });

  test.each([
    ['a header', '/', { link: '</docs/api.json>; rel="service-desc"; type="application/json"' }, '/docs/api.json', {}],
    [
      'a catalog',
      '/',
      {},
      '/docs/api.json',
      { '/.well-known/api-catalog': { linkset: [{ anchor: '/', 'service-desc': [{ href: '/docs/api.json' }] }] } },
    ],
    ['the path of the API', '/v2', {}, '/v2/openapi.json', {}],
    ['a usual place', '/shop', {}, '/swagger.json', {}],
  ])('finds the description by %s', async (_, path, headers, place, others) => {
    const answers = { '/': '<!doctype html>', '/v2': { hello: 1 }, [place]: document, ...others };
    const { origin } = await serve(answers, headers as Record<string, string>);
    const { run } = await project();
    const { json } = await run('new', `${origin}${path}`, '--dry-run');
    expect(json).toMatchObject({ status: true, namespace: 'pets' });
  });

  test('says where it looked for a description, and writes nothing', async () => {
    const { origin, asked } = await serve({ '/?key=s3cret': '<!doctype html>' });
    const { run, cwd } = await project();
    const { status, json } = await run('new', `${origin}?key=s3cret`);
    expect(JSON.stringify(json)).not.toContain('s3cret');
    expect(status).not.toBe(0);
    expect(json.error).toContain(`${origin} is no description of an API, and none was found beside it`);
    expect(asked).toContain('/graphql');
    for (const path of asked.slice(1)) expect(json.error).toContain(path);
    expect(existsSync(join(cwd, 'schemas'))).toBe(false);
  });

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${JSON.stringify(document)}`)],
    ['UTF-16', Buffer.from(`\uFEFF${JSON.stringify(document)}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\uFEFF${JSON.stringify(document)}`, 'utf16le').swap16()],
  ])('reads %s', async (_, bytes) => {
    const { run, cwd } = await project();
    writeFileSync(join(cwd, 'openapi.json'), bytes);
    const { json } = await run('new', 'openapi.json', '--server', 'https://pets.example.com', '--dry-run');
    expect(json).toMatchObject({ status: true, namespace: 'pets' });
  });

  test('takes a curl command, and a recording', async () => {
    const request = { method: 'GET', url: 'https://api.sea.example/tides/7', headers: [] };
    const response = { status: 200, content: { mimeType: 'application/json', text: '{"id":7}' } };
    const { run } = await project({ 'sea.har': JSON.stringify({ log: { entries: [{ request, response }] } }) });
    const curl = await run('new', "curl 'https://api.pets.example/pets/7' -H 'X-Api-Key: s3cret'");
    expect(curl.json).toMatchObject({ status: true, tools: [{ name: 'pets__getPetsByPetId' }] });
    expect(JSON.stringify(curl.json)).not.toContain('s3cret');
    const recording = await run('new', 'sea.har');
    expect(recording.json).toMatchObject({ status: true, tools: [{ name: 'sea__getTidesByTideId' }] });
  });

  test('asks a GraphQL endpoint for its schema, wherever it is', async () => {
    const schema = buildSchema('type Query { pets(first: Int): [Pet!]! } type Pet { name: String }');
    const { origin } = await serveGraphql((source, variableValues) => {
      const rootValue = { pets: ({ first }: { first: number }) => [{ name: 'Rex' }, { name: 'Bo' }].slice(0, first) };
      return graphql({ schema, source, variableValues, rootValue });
    });
    const { run } = await project();
    for (const path of ['/graphql', '/shop']) {
      const { json } = await run('new', `${origin}${path}`, '--namespace', 'pets', '--out', `schemas${path}`);
      expect(json).toMatchObject({ status: true, tools: [{ name: 'pets__pets', method: 'query', path: 'pets' }] });
      const called = await run('call', `schemas${path}/queries.mjs::tool::pets`, 'first=1');
      expect(called).toMatchObject({ status: 0, json: { content: [{ name: 'Rex' }] } });
    }
  });

  test('looks for GraphQL at its usual place, too', async () => {
    const schema = buildSchema('type Query { tide: Float }');
    const paths: string[] = [];
    const server = createServer(async (request, response) => {
      paths.push(`${request.method} ${request.url}`);
      if (request.url !== '/graphql') return void response.writeHead(404).end();
      const { query: source } = (await json(request)) as { query: string };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(await graphql({ schema, source })));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const { run } = await project();
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { json: result } = await run('new', `${origin}/`, '--namespace', 'sea', '--dry-run');
    expect(result).toMatchObject({ status: true, tools: [{ name: 'sea__tide' }] });
    expect(paths.filter((path) => path.endsWith('/graphql'))).toEqual(['POST /graphql']);
  });

  test('says what to do where an endpoint does not tell its schema, and with a schema alone', async () => {
    const { origin } = await serveGraphql(() => ({ errors: [{ message: 'introspection is off' }] }));
    const { run } = await project({ 'schema.graphql': 'type Query { tide: Float }' });
    const refused = await run('new', `${origin}/graphql`);
    expect(refused.status).not.toBe(0);
    expect(refused.json).toMatchObject({
      error: `${origin}/graphql does not tell its schema: introspection is off`,
      fix: expect.stringContaining('schemakit new schema.graphql --server'),
    });
    const alone = await run('new', 'schema.graphql');
    expect(alone.json).toMatchObject({ status: false, fix: expect.stringContaining('--server') });
    const { json } = await run('new', 'schema.graphql', '--server', 'https://sea.example/graphql');
    expect(json).toMatchObject({ status: true, tools: [{ name: 'sea__tide' }], findings: [{ code: 'IMP033' }] });
  });

  test.each([
    ['no such file', 'none.json', 'Cannot read none.json'],
    ['an address where nothing answers', 'http://127.0.0.1:1/openapi.json', 'ECONNREFUSED'],
    ['HTML', 'page.html', 'HTML'],
    ['an empty file', 'empty.yaml', 'empty'],
    ['a bomb of aliases', 'bomb.yaml', 'aliases'],
    ['another version', 'old.json', '1.2'],
    ['a version to come', 'later.yaml', '4.0.0'],
    ['a document that is nested too deep', 'deep.json', 'nested more than 300 levels deep (/paths/~1pets/get/x-deep)'],
    ['a document that is too large', 'large.json', 'large.json is larger than 50 MiB'],
    ['a command for PowerShell', 'Invoke-WebRequest -Uri "https://pets.example.com"', 'PowerShell'],
    ['a curl command without an address', 'curl -X POST', 'no http(s) address'],
  ])('says what is wrong with %s', async (_, source, problem) => {
    const levels = [...'bcdefghi'].map((name, index) => {
      const before = `*${'abcdefgh'[index]}`;
      return `${name}: &${name} [${Array(9).fill(before).join(',')}]`;
    });
    const { run, cwd } = await project({
      'page.html': '<!doctype html><title>API</title>',
      'empty.yaml': '',
      'bomb.yaml': `openapi: 3.1.0\na: &a [1]\n${levels.join('\n')}\npaths: {}`,
      'old.json': '{"swagger":"1.2"}',
      'later.yaml': 'openapi: 4.0.0\npaths: {}',
      'deep.json': `{"openapi":"3.1.0","paths":{"/pets":{"get":{"x-deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}}`,
      'large.json': '',
    });
    truncateSync(join(cwd, 'large.json'), 100 * 2 ** 20);
    const { status, json } = await run('new', source);
    expect(status).not.toBe(0);
    expect(json).toMatchObject({ status: false, error: expect.stringContaining(problem), fix: expect.any(String) });
    expect(existsSync(join(cwd, 'schemas'))).toBe(false);
  });
});
