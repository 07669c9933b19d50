import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { parameter } from './support/schema-module.ts';
import { testedShop } from './support/tested-shop.ts';
import { closedOrigin, startUpstream } from './support/upstream.ts';

const dev = '{ "mode": "dev", "defaultGroup": "work" }';
const group = (...tools: string[]) => JSON.stringify({ tools });
const answer = ({ path }: { path: string }) =>
  path === '/fails' ? { status: 500, body: 'broken' } : { body: path === '/empty' ? [] : { path } };

describe('schemakit test single', () => {
  test('gives a row for each test, with what came and where it stands', async () => {
    const upstream = await startUpstream(answer);
    const q = parameter('q', 'query');
    const tests = [
      { _description: 'Leek', q: 'leek' },
      { _description: 'Two', q: 'b' },
    ];
    const shop = testedShop(upstream.origin, { getThing: { parameters: [q], tests }, fails: {} });
    const { start } = await cliProject({ 'project/shop.mjs': shop });
    const { status, json, stderr } = await start('test', 'single', 'shop.mjs');
    expect(status).toBe(5);
    const summary = `1 of 3 tests failed: the API at ${upstream.origin} answered HTTP 500.`;
    expect(json).toMatchObject({ status: false, summary, error: summary });
    expect(json).toMatchObject({ total: 3, passed: 2, failed: 1, skipped: 0, testsExecuted: 3 });
    expect(json.results).toMatchObject([
      {
        namespace: 'shop',
        routeName: 'getThing',
        description: 'Leek',
        status: true,
        messages: [],
        dataPreview: '{"path":"/getThing"}',
        file: 'shop.mjs',
      },
      { description: 'Two', status: true },
      {
        routeName: 'fails',
        status: false,
        code: 'HTTP_500',
        messages: ['HTTP 500: Internal Server Error. Answer: broken'],
        dataPreview: null,
      },
    ]);
    expect(stderr).toBe('');
    expect(upstream.requests.map(({ url }) => url)).toContain('/getThing?q=leek');
  });

  test('says before it sends how many tests write to the API, but not in a replay', async () => {
    const upstream = await startUpstream();
    const search = { method: 'POST', annotations: { readOnlyHint: true } };
    const shop = testedShop(upstream.origin, {
      getThing: {},
      search,
      order: { method: 'POST' },
      drop: { method: 'DELETE' },
    });
    const { start } = await cliProject({ 'project/shop.mjs': shop });
    const warning =
      '2 tests write to the API: shop_order, shop_drop. --route <name> tests one tool, --replay <folder> sends nothing.';
    const live = await start('test', 'single', 'shop.mjs', '--record', 'recordings');
    expect(live).toMatchObject({ status: 0, stderr: `${warning}\n`, json: { warnings: [warning] } });
    const replayed = await start('test', 'single', 'shop.mjs', '--replay', 'recordings');
    expect(replayed).toMatchObject({ status: 0, stderr: '' });
    expect(replayed.json.warnings).toBeUndefined();
  });

  test.each([
    ['one failure fails', ['getThing', 'fails'], [], 5, '1 of 2 tests failed: the API at'],
    [
      'a failure of the API is not one of the schema',
      ['refuses'],
      ['--strict'],
      4,
      '1 of 1 test failed. First: shop_refuses 1: ',
    ],
    [
      'and a failure of both is one of the schema',
      ['refuses', 'fails'],
      [],
      4,
      '2 of 2 tests failed. First: shop_refuses 1: ',
    ],
    ['--route picks one', ['getThing', 'fails'], ['--route', 'getThing'], 0, '1 test passed.'],
    [
      '--route takes the name that list shows',
      ['getThing', 'fails'],
      ['--route', 'shop_fails'],
      5,
      '1 of 1 test failed: the API',
    ],
    [
      'one tool with data is enough for a library',
      ['getThing', 'fails'],
      ['--quality', 'library'],
      0,
      '1 of 2 tests failed: the API',
    ],
    [
      'an empty answer is no data',
      ['empty'],
      ['--quality', 'library'],
      4,
      'No tool of the API returned data: shop.mjs.',
    ],
    ['nor is a failure', ['fails'], ['--quality', 'library'], 5, 'No tool of the API returned data: shop.mjs.'],
  ])('%s', async (_, names, flags, expected, summary) => {
    const upstream = await startUpstream(answer);
    const refuses = { parameters: [parameter('q', 'query')] };
    const tools = Object.fromEntries(names.map((name) => [name, name === 'refuses' ? refuses : {}]));
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, tools) });
    const { status, json } = await start('test', 'single', 'shop.mjs', ...flags);
    expect({ status, summary: json.summary, isGreen: json.status }).toEqual({
      status: expected,
      summary: expect.stringMatching(RegExp(`^${summary}`)),
      isGreen: expected === 0,
    });
  });

  test('of a folder, each schema has to bring data for a library', async () => {
    const upstream = await startUpstream(answer);
    const { start } = await cliProject({
      'project/all/good.mjs': testedShop(upstream.origin, { getThing: {} }),
      'project/all/deep/bad.mjs': testedShop(upstream.origin, { fails: {} }),
    });
    const { status, json } = await start('test', 'single', 'all', '--quality', 'library');
    expect({ status, error: json.error, total: json.total }).toEqual({
      status: 5,
      error: 'No tool of the API returned data: all/deep/bad.mjs.',
      total: 2,
    });
  });

  test('tests of queries of a database run too', async () => {
    const query = {
      sql: 'SELECT name FROM plants WHERE name = ?',
      description: 'A plant',
      parameters: [{ position: { key: 'name', value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } }],
      output: { mimeType: 'application/json', schema: { type: 'array' } },
      tests: [{ _description: 'A leek is there', name: 'leek' }],
    };
    const place = { source: 'sqlite', mode: 'in-memory', origin: 'inline', name: 'plants.db' };
    const resources = { plants: { ...place, description: 'Plants', queries: { find: query } } };
    const { folder, run } = await cliProject({
      'project/shop.mjs': testedShop('', {}, { main: { resources } }),
      'project/resources/.keep': '',
    });
    const database = new DatabaseSync(join(folder, 'resources/plants.db'));
    database.exec("CREATE TABLE plants (name TEXT); INSERT INTO plants VALUES ('leek')");
    database.close();
    const { status, json } = run('test', 'single', 'shop.mjs');
    expect(json.results).toMatchObject([
      { routeName: 'plants_find', description: 'A leek is there', dataPreview: expect.stringContaining('leek') },
    ]);
    expect(status).toBe(0);
    // Only the tools of the API count where there are some.
    const withApi = testedShop(await closedOrigin(), { getThing: {} }, { main: { resources } });
    const other = await cliProject({ 'project/shop.mjs': withApi, 'project/resources/.keep': '' });
    copyFileSync(join(folder, 'resources/plants.db'), join(other.folder, 'resources/plants.db'));
    const ran = other.run('test', 'single', 'shop.mjs', '--quality', 'library');
    expect(ran).toMatchObject({ status: 5, json: { error: 'No tool of the API returned data: shop.mjs.', passed: 1 } });
  });

  test('a test whose answer differs from the output schema passes and says so, and fails with --strict', async () => {
    const upstream = await startUpstream(answer);
    const output = {
      mimeType: 'application/json',
      schema: { type: 'object', properties: { path: { type: 'number' } } },
    };
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, { getThing: { output } }) });
    const { status, json } = await start('test', 'single', 'shop.mjs');
    expect(status).toBe(0);
    const messages = ['$.path: expected a number, got "/getThing" (text)'];
    expect(json.results).toMatchObject([{ status: true, messages }]);
    const strict = await start('test', 'single', 'shop.mjs', '--strict');
    expect(strict.status).toBe(4);
    expect(strict.json.results).toMatchObject([{ status: false, code: 'OUT004', messages }]);
  });
});

describe('what is asked of an API', () => {
  test('is at most --concurrency requests at a time', async () => {
    let active = 0;
    let most = 0;
    const upstream = await startUpstream(async () => {
      active += 1;
      most = Math.max(most, active);
      await new Promise((resolve) => setTimeout(resolve, 50));
      active -= 1;
      return { body: { ok: true } };
    });
    const tools = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`tool${index}`, {}]));
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, tools) });
    await start('test', 'single', 'shop.mjs', '--concurrency', '1');
    expect({ most, requests: upstream.requests.length }).toEqual({ most: 1, requests: 6 });
    await start('test', 'single', 'shop.mjs', '--concurrency', '3');
    expect(most).toBeLessThanOrEqual(3);
  });

  test('is spread by --delay', async () => {
    const times: number[] = [];
    const upstream = await startUpstream(() => {
      times.push(performance.now());
      return { body: { ok: true } };
    });
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, { a: {}, b: {}, c: {} }) });
    await start('test', 'single', 'shop.mjs', '--delay', '500', '--concurrency', '3');
    expect(times).toHaveLength(3);
    // Of the second that lies between them; on a busy machine the first request takes long to get there.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(200);
  });

  test('is asked again by --retries where the API failed, and not where the schema did', async () => {
    const upstream = await startUpstream(({ path }, count) =>
      path === '/flaky' && count < 3
        ? { status: 500, body: 'not yet' }
        : path === '/gone'
          ? { status: 404 }
          : { body: { ok: 1 } },
    );
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, { flaky: {}, gone: {} }) });
    const { json } = await start('test', 'single', 'shop.mjs', '--retries', '3', '--concurrency', '1');
    expect(json.results).toMatchObject([{ status: true }, { status: false, code: 'HTTP_404' }]);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/flaky', '/flaky', '/flaky', '/gone']);
  });
});

describe('schemakit test project', () => {
  test('tests the tools of the default group, or of the one that is named, and nothing else', async () => {
    const upstream = await startUpstream(answer);
    const shop = testedShop(upstream.origin, { getThing: {}, other: {} });
    const { start } = await cliProject({
      'project/schemas/shop.mjs': shop,
      'project/.schemakit/config.json': dev,
      'project/.schemakit/groups/work.json': group('schemas/shop.mjs::tool::getThing'),
      'project/.schemakit/groups/all.json': group('schemas/shop.mjs'),
    });
    const first = await start('test', 'project');
    expect(first.json).toMatchObject({
      status: true,
      total: 1,
      results: [{ routeName: 'getThing', source: 'schemas' }],
    });
    expect((await start('test', 'project', '--group', 'all')).json).toMatchObject({ status: true, total: 2 });
    expect(await start('test', 'project', '--group', 'alll')).toMatchObject({
      status: 3,
      json: { error: 'no group alll', fix: 'Did you mean all?' },
    });
  });

  test('ends before anything is sent where a secret is not set, and names all of them', async () => {
    const upstream = await startUpstream(answer);
    const shop = (name: string) =>
      testedShop(
        upstream.origin,
        { getThing: {} },
        { main: { namespace: name, requiredServerParams: [`${name.toUpperCase()}_KEY`] } },
      );
    const { start } = await cliProject(
      {
        'project/schemas/a.mjs': shop('a'),
        'project/schemas/b.mjs': shop('b'),
        'project/schemas/c.mjs': shop('c'),
        'project/.schemakit/config.json': dev,
        'project/.schemakit/groups/work.json': group('schemas/a.mjs', 'schemas/b.mjs', 'schemas/c.mjs'),
      },
      { B_KEY: 'is-there', C_KEY: '' },
    );
    const { status, json } = await start('test', 'project');
    expect({ status, json }).toMatchObject({
      status: 6,
      json: {
        error: 'Secrets are not set: A_KEY, C_KEY.',
        messages: ['Required server parameter A_KEY is not set', 'Required server parameter C_KEY is not set'],
        missing: [
          { namespace: 'a', file: 'schemas/a.mjs', params: ['A_KEY'] },
          { namespace: 'c', file: 'schemas/c.mjs', params: ['C_KEY'] },
        ],
      },
    });
    expect(upstream.requests).toEqual([]);
  });

  test('a reference that leads nowhere fails it', async () => {
    const { start } = await cliProject({
      'project/.schemakit/config.json': dev,
      'project/.schemakit/groups/work.json': group('schemas/gone.mjs'),
    });
    const { status, json } = await start('test', 'project');
    expect({ status, error: json.error }).toEqual({
      status: 3,
      error: 'the group refers to schemas/gone.mjs, which does not exist',
    });
  });
});

describe('schemakit test user', () => {
  test('tests what the user made, and skips what lacks a secret or tests', async () => {
    const upstream = await startUpstream(answer);
    const { start } = await cliProject({
      'project/schemas/shop.mjs': testedShop(upstream.origin, { getThing: {} }),
      'project/schemas/untested.mjs': testedShop(upstream.origin, { getThing: { tests: [] } }),
      'home/schemas/mine/keyed.mjs': testedShop(
        upstream.origin,
        { getThing: {} },
        { main: { requiredServerParams: ['KEYED_KEY'] } },
      ),
      'home/schemas/theirs/bought.mjs': testedShop(upstream.origin, { getThing: {} }),
      'home/config.json': '{ "sources": { "theirs": { "type": "registry" } } }',
    });
    const { status, json } = await start('test', 'user');
    expect(status).toBe(0);
    expect(json).toMatchObject({ status: true, total: 3, passed: 1, skipped: 2, testsExecuted: 1 });
    expect(json.results).toMatchObject([
      { routeName: 'getThing', status: true, source: 'schemas', file: 'schemas/shop.mjs' },
      { routeName: '*', skipped: true, skipReason: 'it has no tests', source: 'schemas' },
      { routeName: '*', skipped: true, skipReason: 'a secret is not set: KEYED_KEY', source: 'mine' },
    ]);
  });

  test('passes over prompts, lists, agents and scripts beside the schemas', async () => {
    const upstream = await startUpstream(answer);
    const { start, run } = await cliProject({
      'project/schemas/shop.mjs': testedShop(upstream.origin, { getThing: {} }),
      'project/schemas/prompts/about.mjs': 'export const content = `Ask first.`;',
      'project/schemas/skills/buy.mjs': 'export const skill = { content: "Buy it." };',
      'project/schemas/lists/units.mjs': 'export const list = { meta: {}, entries: [] };',
      'project/schemas/guide.mjs': 'export const agent = { name: "guide" };',
      'project/schemas/seed.mjs': 'import { rmSync } from "node:fs";\nrmSync("a.db", { force: true });',
    });
    const { status, json, stderr } = await start('test', 'user');
    expect({ status, json, stderr }).toMatchObject({ status: 0, json: { total: 1, passed: 1 }, stderr: '' });
    const { checks, sources } = run('status').json as { checks: { name: string; detail: string }[]; sources: object };
    expect(checks.find(({ name }) => name === 'schemas')).toMatchObject({ detail: '23 schemas in 2 sources' });
    expect(sources).toMatchObject({ schemas: { schemaCount: 1 } });
    expect(run('validate', 'schemas').json).toMatchObject({ total: 3 });
    expect(run('validate', 'schemas/seed.mjs')).toMatchObject({ status: 4, json: { total: 1, failed: 1 } });
  });

  test('fails for want of a secret where nothing else could run', async () => {
    const main = { requiredServerParams: ['KEYED_KEY'] };
    const { run } = await cliProject({
      'project/schemas/shop.mjs': testedShop('http://127.0.0.1:9', { a: {} }, { main }),
    });
    const { status, json } = run('test', 'user');
    expect({ status, error: json.error }).toEqual({
      status: 6,
      error: 'No test ran: schemas/shop.mjs: a secret is not set: KEYED_KEY.',
    });
  });

  test('says where schemas go if there are none', async () => {
    const { run } = await cliProject();
    expect(run('test', 'user')).toMatchObject({ status: 3, json: { error: 'You have no schemas of your own.' } });
  });
});

describe('bad input', () => {
  test.each([
    [['single', 'gone.mjs'], 3, 'No file gone.mjs.'],
    [['single', 'empty'], 3, expect.stringContaining('there is no schema in')],
    [['single'], 2, expect.stringContaining('path')],
    [['single', 'shop.mjs', 'more.mjs'], 2, expect.stringContaining('argument')],
    [['projct'], 2, expect.stringContaining('projct')],
    [['single', 'shop.mjs', '--rout', 'x'], 2, expect.stringContaining('rout')],
    [['single', 'shop.mjs', '--route', 'getThng'], 3, 'No tool getThng.'],
    [['single', 'shop.mjs', '--concurrency', '0'], 2, expect.stringContaining('from 1 to 64')],
    [['single', 'shop.mjs', '--concurrency', '1.5'], 2, expect.stringContaining('from 1 to 64')],
    [['single', 'shop.mjs', '--delay', 'soon'], 2, expect.stringContaining('from 0 to 600000')],
    [['single', 'shop.mjs', '--retries', '-1'], 2, expect.anything()],
    [['single', 'shop.mjs', '--report', 'junt'], 2, 'Unknown report "junt".'],
    [['single', 'shop.mjs', '--report', 'junit='], 2, '--report junit= names no file.'],
    [['single', 'shop.mjs', '--record', 'a', '--replay', 'b'], 2, '--record and --replay cannot be combined.'],
    [['single', 'shop.mjs', '--quality', 'libary'], 2, expect.stringContaining('libary')],
    [['single', 'shop.mjs', '--quality', 'library', '--strict'], 2, '--quality and --strict cannot be combined.'],
    [['single', 'shop.mjs', '--record', 'shop.mjs/deep'], 1, expect.stringContaining('recordings to shop.mjs/deep: ')],
    [['single', 'shop.mjs', '--dry-run'], 2, '--dry-run requires --update-output.'],
    [['single', 'shop.mjs', '--record', 'shop.mjs'], 2, 'shop.mjs is not a folder.'],
    [['single', 'shop.mjs', '--replay', 'none'], 3, 'No folder none with recordings.'],
    [['single', 'untested.mjs'], 4, 'No test ran: untested.mjs: it has no tests.'],
    [['single', 'broken.mjs'], 4, expect.stringContaining('broken.mjs did not load: ')],
    [['single', 'odd.mjs'], 4, expect.anything()],
    [['project'], 3, 'no default group'],
  ])('schemakit test %j ends with %i', async (args, expected, error) => {
    const { run } = await cliProject({
      'project/shop.mjs': testedShop('http://127.0.0.1:9', { getThing: {} }),
      'project/untested.mjs': testedShop('http://127.0.0.1:9', { getThing: { tests: [] } }),
      'project/odd.mjs': testedShop('http://127.0.0.1:9', { getThing: { tests: [null, 'x', 5] } }),
      'project/broken.mjs': 'export const main = {',
      'project/empty/note.txt': '',
    });
    const { status, json, stderr } = run('test', ...args);
    expect({ status, error: json.error }).toEqual({ status: expected, error });
    expect(stderr).not.toContain('    at ');
  });

  test('an API that is not there', async () => {
    const { run } = await cliProject({ 'project/shop.mjs': testedShop(await closedOrigin(), { getThing: {} }) });
    const { status, json } = run('test', 'single', 'shop.mjs');
    expect(status).toBe(5);
    expect(json.error).toMatch(/^1 of 1 test failed: the API at http:\/\/127.0.0.1:\d+ refused the connection\.$/);
    expect(json.results).toMatchObject([{ status: false, code: 'ECONNREFUSED' }]);
  });

  test('arguments that the tool does not take', async () => {
    const parameters = [parameter('q', 'query', ['number()', 'max(5)'])];
    const tests = [{ _description: 'Too many', q: 9 }];
    const { run } = await cliProject({
      'project/shop.mjs': testedShop('http://127.0.0.1:9', { getThing: { parameters, tests } }),
    });
    const { status, json } = run('test', 'single', 'shop.mjs');
    expect(status).toBe(4);
    expect(json.results).toMatchObject([{ status: false, code: expect.stringMatching(/^INP/) }]);
  });
});
