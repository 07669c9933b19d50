import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal } from './support/command.ts';
import { openTerminal } from './support/terminal-session.ts';
import { type ArrivedRequest, type Reply, startUpstream } from './support/upstream.ts';

const json = (schema: object) => ({ responses: { 200: { content: { 'application/json': { schema } } } } });
const path = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const pet = { $ref: '#/components/schemas/Pet' };

const petStore = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: '/v1' }],
  components: {
    schemas: {
      Pet: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string', description: 'What it is called' },
          price: { type: 'string', description: 'In euros' },
          status: { type: 'string', enum: ['new', 'sold'] },
          chip: { type: 'string' },
        },
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
  paths: {
    '/pets': {
      get: { operationId: 'listPets', ...json({ type: 'array', items: pet }) },
      post: {
        operationId: 'createPet',
        requestBody: { content: { 'application/json': { schema: pet, example: { name: 'Bo' } } } },
      },
      delete: { operationId: 'deletePets' },
    },
    '/pets/{petId}': { get: { operationId: 'getPet', parameters: [path('petId')], ...json(pet) } },
    '/pets/{petId}/visits': {
      get: { operationId: 'listVisits', parameters: [path('petId')], ...json({ type: 'array' }) },
    },
    '/pets/{petId}/visits/{visitId}': {
      get: { operationId: 'getVisit', parameters: [path('petId'), path('visitId')], ...json({ type: 'object' }) },
    },
    '/shops/{shop}': { get: { operationId: 'getShop', parameters: [path('shop')], ...json({ type: 'object' }) } },
    '/broken': { get: { operationId: 'getBroken', ...json(pet) } },
    '/secret': { get: { operationId: 'getSecret', security: [{ key: [] }], ...json(pet) } },
  },
};

const answers = ({ path: asked, headers }: ArrivedRequest, document: object): Reply => {
  const rex = { id: 7, name: 'Rex', price: 12.5, status: 'reserved', collar: null };
  if (asked === '/openapi.json') return { body: document };
  if (asked === '/v1/pets') return { body: [rex] };
  if (asked === '/v1/pets/7') return { body: rex };
  if (asked === '/v1/pets/7/visits') return { body: [{ visit_id: 'a b', at: '2026-01-01' }] };
  if (asked === '/v1/pets/7/visits/a%20b') return { body: { at: '2026-01-01' } };
  if (asked === '/v1/secret') return headers['x-key'] === 'k-123456' ? { body: rex } : { status: 401 };
  return { status: 500 };
};

const resultOf = (tried: unknown, name: string) =>
  (tried as { tool: string }[]).find(({ tool }) => tool === `pets__${name}`);

/** A project that tries the pet store, described at the address of the API unless `description` is a file. */
async function tryPets(document: object, { files = {}, description = '' } = {}, ...flags: string[]) {
  const upstream = await startUpstream((request) => answers(request, document));
  const project = await cliProject({ 'project/api.json': JSON.stringify(document), ...files });
  const source = description || `${upstream.origin}/openapi.json`;
  const run = await project.start(
    'new',
    source,
    '--try',
    ...flags.map((flag) => flag.replace('<origin>', upstream.origin)),
  );
  const calls = upstream.requests.filter(({ path: asked }) => asked.startsWith('/v1/'));
  return { ...project, ...run, tried: run.json.tried, calls, upstream };
}

describe('schemakit new --try', { timeout: 60_000 }, () => {
  test('calls what only reads, and replaces outputs that differ', async () => {
    const { status, tried, calls, read, run, json: result } = await tryPets(petStore);
    expect(status).toBe(0);
    expect(calls.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
      'GET /v1/broken',
      'GET /v1/pets',
      'GET /v1/pets/7',
      'GET /v1/pets/7/visits',
      'GET /v1/pets/7/visits/a%20b',
    ]);
    expect(resultOf(tried, 'getPet')).toEqual({
      tool: 'pets__getPet',
      result: 'answered',
      found: { from: 'listPets', args: { petId: '7' } },
      differences: [
        { place: '$.price', declared: 'string', sent: 'number' },
        { place: '$.status', declared: 'string (new, sold)', sent: 'string (new, sold, reserved)' },
        { place: '$.collar', declared: 'nothing', sent: 'string or null' },
      ],
    });
    expect(resultOf(tried, 'getVisit')).toMatchObject({
      found: { from: 'listVisits', args: { petId: '7', visitId: 'a b' } },
    });
    expect(resultOf(tried, 'getBroken')).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('HTTP 500'),
    });
    expect(resultOf(tried, 'getShop')).toMatchObject({ result: 'not tried', reason: 'needs shop' });
    expect(resultOf(tried, 'createPet')).toMatchObject({ result: 'not tried', reason: 'it may write' });
    expect(resultOf(tried, 'getSecret')).toMatchObject({ result: 'not tried', reason: 'PETS_API_KEY is not set' });

    const written = read('project/schemas/pets/pets.mjs');
    expect(written).toContain("price: { type: 'number', description: 'In euros' }");
    expect(written).toContain("chip: { type: 'string' }");
    expect(written).toContain("petId: '7'");
    expect(written).not.toContain('const pet =');
    expect(read('project/schemas/pets/broken.mjs')).toContain("price: { type: 'string', description: 'In euros' }");
    expect(run('validate', 'schemas/pets').status).toBe(0);
    expect(result.tokens).toBeGreaterThan(0);
  });

  test('an update carries corrections on, beside what is new in the document', async () => {
    const { start, read, folder } = await tryPets(petStore, { description: 'api.json' }, '--server', '<origin>/v1');
    const describe = (document: object) => writeFileSync(join(folder, 'api.json'), JSON.stringify(document));
    const tried = read('project/schemas/pets/pets.mjs');
    const { Pet } = petStore.components.schemas;
    const properties = { ...Pet.properties, weight: { type: 'number' }, chip: { type: 'boolean' } };
    const schemas = { Pet: { ...Pet, properties } };
    describe({ ...petStore, components: { ...petStore.components, schemas } });
    const { status, json: result } = await start('update', 'schemas/pets');
    expect({ status, result }).toMatchObject({ status: 0, result: { kept: [], conflicts: [] } });
    expect(result.changed).toContainEqual({
      ...{ tool: 'pets__getPet', file: 'pets.mjs', breaking: true },
      changes: [
        { place: 'output chip', message: 'is boolean instead of string', breaking: true },
        { place: 'output weight', message: 'added', breaking: false },
      ],
    });
    const updated = read('project/schemas/pets/pets.mjs');
    expect(updated).toContain("weight: { type: 'number' }");
    expect(updated).toContain("price: { type: 'number', description: 'In euros' }");
    expect(updated).toContain("chip: { type: 'boolean' }");
    expect(updated).not.toContain('const pet =');

    describe(petStore);
    expect((await start('update', 'schemas/pets')).status).toBe(0);
    expect(read('project/schemas/pets/pets.mjs')).toBe(tried);
  });

  test('what was recorded replays without the API', async () => {
    const { run, json: result } = await tryPets(petStore);
    const [replay = ''] = result.next as string[];
    expect(replay).toBe('schemakit test single schemas/pets --replay schemas/pets/recordings');
    const { status, json: replayed } = run(...replay.split(' ').slice(1));
    expect({ ...replayed, status }).toMatchObject({ status: 0, passed: 4, failed: 0 });
  });

  test('sends a secret to the address of the description, and records it masked', async () => {
    const { tried, read } = await tryPets(petStore, { files: { 'project/.env': 'PETS_API_KEY=k-123456\n' } });
    expect(resultOf(tried, 'getSecret')).toMatchObject({ result: 'answered' });
    const recording = read('project/schemas/pets/recordings/pets/secret-api-key/getSecret-1.json');
    expect(recording).toContain('Rex');
    expect(recording).not.toContain('k-123456');
  });

  test('a key that is refused leaves the declared output, and says so', async () => {
    const { tried, read } = await tryPets(petStore, { files: { 'project/.env': 'PETS_API_KEY=k-654321\n' } });
    expect(resultOf(tried, 'getSecret')).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('HTTP 401'),
    });
    expect(read('project/schemas/pets/secret-api-key.mjs')).toContain("price: { type: 'string'");
  });

  test('neither a private address nor a secret follows from what a description says', async () => {
    const elsewhere = await startUpstream((request) => answers(request, petStore));
    const document = { ...petStore, servers: [{ url: `${elsewhere.origin}/v1` }] };
    const files = { 'project/.env': 'PETS_API_KEY=k-123456\n' };
    const { tried } = await tryPets(document, { files });
    expect(elsewhere.requests).toEqual([]);
    expect(resultOf(tried, 'listPets')).toMatchObject({
      result: 'failed',
      fix: expect.stringContaining(`--server ${elsewhere.origin}`),
    });
    expect(resultOf(tried, 'getSecret')).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('PETS_API_KEY'),
    });

    const named = await tryPets(document, { files, description: 'api.json' }, '--server', '<origin>/v1');
    expect(resultOf(named.tried, 'getSecret')).toMatchObject({ result: 'answered' });
  });

  test('stops when the API asks to wait', async () => {
    const paths = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`/busy/a${number}`, { get: {} }]));
    const upstream = await startUpstream(({ path: asked }) =>
      asked === '/openapi.json'
        ? { body: { ...petStore, paths } }
        : { status: 429, headers: { 'retry-after': '3600' } },
    );
    const { start } = await cliProject();
    const { json: result } = await start('new', `${upstream.origin}/openapi.json`, '--try');
    const results = (result.tried as { result: string }[]).map((each) => each.result);
    expect(results).toContain('not tried');
    expect(results).not.toContain('answered');
    expect(upstream.requests.length).toBeLessThan(6);
  });

  test('is not combined with --dry-run', async () => {
    const { start, folder } = await cliProject({ 'project/api.json': JSON.stringify(petStore) });
    expect((await start('new', 'api.json', '--try', '--dry-run')).status).toBe(2);
    expect(readdirSync(folder)).not.toContain('schemas');
  });

  test.runIf(hasTerminal)('asks before it sends a secret to an address of the description', async () => {
    const elsewhere = await startUpstream((request) => answers(request, petStore));
    const document = { ...petStore, servers: [{ url: `${elsewhere.origin}/v1` }] };
    const { folder, home } = await cliProject({
      'project/api.json': JSON.stringify(document),
      'project/.env': 'PETS_API_KEY=k-123456\n',
    });
    const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });
    const question = `Send PETS_API_KEY to ${elsewhere.origin}, which the description names? [y/N] `;
    const no = await shell.run('schemakit new api.json --try --select /secret --out a', [[question, 'n']]);
    expect(no.screen).toContain('0 tools answered, 1 failed, 0 not tried.');
    const yes = await shell.run('schemakit new api.json --try --select /secret --out b', [[question, 'y']]);
    expect(yes.screen).toContain('1 tool answered, 0 failed, 0 not tried. Recordings: b/recordings');
    expect(yes.screen).toContain('pets__getSecret $.price: declared string, sent number');
    expect(elsewhere.requests).toHaveLength(1);
  });

  test('ended by a signal, it says what is there', async () => {
    const { folder } = await cliProject({});
    let arrived = () => {};
    const isAsked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    // Never answers.
    const server = createServer(() => arrived()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close().closeAllConnections());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [resolve('packages/cli/bin/schemakit.js'), 'new', `curl ${origin}/pets`, '--try', '--out', 'pets'];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const said = text(child.stderr);
    const ended = once(child, 'exit');
    await isAsked;
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(await said).toContain('Stopped: the schemas in pets are complete, but not all outputs were compared');
  });
});
