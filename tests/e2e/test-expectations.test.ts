import { expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { parameter } from './support/schema-module.ts';
import { testedShop } from './support/tested-shop.ts';
import { closedOrigin, startUpstream } from './support/upstream.ts';

const leek = { name: 'Leek', price: 2, tags: ['green'] };
const answer = ({ path }: { path: string }) =>
  path === '/gone' ? { status: 404, body: { why: 'sold out' } } : { status: 201, body: { items: [leek] } };

async function runExpecting(expectations: readonly unknown[], tool = 'getThing', flags: readonly string[] = []) {
  const upstream = await startUpstream(answer);
  const tests = expectations.map((_expect, index) => ({ _description: `Number ${index}`, _expect }));
  const { start } = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, { [tool]: { tests } }) });
  const ran = await start('test', 'single', 'shop.mjs', ...flags);
  return {
    ...ran,
    requests: upstream.requests,
    results: ran.json.results as { status: boolean; messages: string[] }[],
  };
}

test('assertions that hold pass, and never become arguments', async () => {
  const { status, json, requests } = await runExpecting([
    { status: 201 },
    { select: 'items[0].name', equals: 'Leek' },
    { select: 'items[0]', equals: { tags: ['green'], price: 2, name: 'Leek' } },
    { select: 'items[].price | [0]', matches: '^[0-9]$' },
    { schema: { type: 'object', required: ['items'], properties: { items: { type: 'array', minItems: 1 } } } },
    { status: 201, select: 'items', schema: { maxItems: 1 } },
  ]);
  expect({ status, json }).toMatchObject({ status: 0, json: { status: true, passed: 6, summary: '6 tests passed.' } });
  expect(requests.map(({ url }) => url)).toEqual(Array(6).fill('/getThing'));
});

test.each([
  [{ status: 200 }, '_expect.status: expected HTTP 200, found 201'],
  [{ error: true }, '_expect.error: expected a failure, found the answer {"items":[{"name":"Leek"'],
  [{ select: 'items[0].nam' }, '_expect.select: found nothing at items[0].nam'],
  [{ select: 'items[0].name', equals: 'Onion' }, '_expect.equals: expected "Onion", found "Leek" at items[0].name'],
  [{ select: 'items[0].name', matches: '^O' }, '_expect.matches: expected text that matches ^O, found "Leek"'],
  [{ matches: 'Leek' }, '_expect.matches: expected text that matches Leek, found {"items"'],
  [
    { select: 'items', schema: { type: 'object' } },
    '_expect.schema: the data at items does not fit the schema: $: expected an object',
  ],
  [
    { schema: { properties: { items: { minItems: 2 } } } },
    '_expect.schema: the data does not fit the schema: found {"items"',
  ],
  [{ status: 404 }, '_expect.status: expected HTTP 404, found 201'],
])('%j fails with what was expected and found', async (expectation, message) => {
  const { status, json, results } = await runExpecting([expectation]);
  expect({ status, code: (json.results as { code: string }[])[0]?.code }).toEqual({ status: 4, code: 'TST009' });
  expect(results[0]?.messages[0]).toContain(message);
});

test.each([
  [{ type: 'arrray' }, 'has a type that is none of array, boolean'],
  [{ tpye: 'array' }, 'has the keyword "tpye"'],
  [{ properties: { items: { items: { type: ['text'] } } } }, 'has a type that is none of'],
  [{ $ref: 'other.json' }, 'refers to "other.json"'],
])('the schema %j, which could not be checked, fails and sends nothing', async (schema, message) => {
  const { status, json, results, requests } = await runExpecting([{ schema }]);
  expect({ status, code: (json.results as { code: string }[])[0]?.code }).toEqual({ status: 4, code: 'TST008' });
  expect(results[0]?.messages[0]).toContain(message);
  expect(requests).toEqual([]);
});

test('a select that is not JMESPath fails and sends nothing', async () => {
  const { status, json, results, requests } = await runExpecting([{ select: 'items[0', equals: 1 }]);
  expect({ status, code: (json.results as { code: string }[])[0]?.code }).toEqual({ status: 4, code: 'TST008' });
  expect(results[0]?.messages[0]).toContain('the expression cannot be read');
  expect(requests).toEqual([]);
});

test('the exit status is 4 if the API answered 4xx, and 5 if it failed', async () => {
  const tests = [{ _description: 'One' }];
  for (const [status, expected] of [
    [404, 4],
    [401, 4],
    [503, 5],
  ] as const) {
    const { origin } = await startUpstream(() => ({ status }));
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(origin, { getThing: { tests } }) });
    expect({ status, exit: (await start('test', 'single', 'shop.mjs')).status }).toEqual({ status, exit: expected });
  }
});

test.each([
  [{ status: 404 }, true],
  [{ error: true }, true],
  [{ error: 'HTTP_404' }, true],
  [{ status: 404, error: 'sold out' }, true],
  [{ status: 500 }, false],
  [{ error: 'HTTP_500' }, false],
  [{ status: 201 }, false],
])('of a call that fails with 404, %j is %s', async (expectation, passes) => {
  const { results } = await runExpecting([expectation], 'gone');
  expect(results).toMatchObject([{ status: passes, dataPreview: null }]);
  expect(results[0]?.messages.length).toBe(passes ? 0 : JSON.stringify(expectation) === '{"status":201}' ? 1 : 2);
});

test('an expectation that cannot be checked fails before anything is sent', async () => {
  const { status, results, requests } = await runExpecting([{ stats: 404 }, { status: '404' }, 'ok']);
  expect(status).toBe(4);
  expect(results.map(({ status }) => status)).toEqual([false, false, false]);
  expect(results[0]?.messages).toEqual(['unknown field "stats" in _expect', '_expect expects nothing (_expect)']);
  expect(requests).toEqual([]);
});

test('an API that does not answer is no expected error', async () => {
  const tests = [{ _description: 'Refused', _expect: { error: true } }];
  const { run } = await cliProject({ 'project/shop.mjs': testedShop(await closedOrigin(), { getThing: { tests } }) });
  expect(run('test', 'single', 'shop.mjs')).toMatchObject({ status: 5 });
});

test('arguments that the tool refuses can be expected to be', async () => {
  const upstream = await startUpstream(answer);
  const parameters = [parameter('q', 'query', ['number()', 'max(5)'])];
  const tests = [{ _description: 'Too many', q: 9, _expect: { error: 'INP' } }];
  const { start } = await cliProject({
    'project/shop.mjs': testedShop(upstream.origin, { getThing: { parameters, tests } }),
  });
  expect(await start('test', 'single', 'shop.mjs')).toMatchObject({ status: 0, json: { passed: 1 } });
  expect(upstream.requests).toEqual([]);
});

test('expected failures are recorded and replayed', async () => {
  const upstream = await startUpstream(answer);
  const tests = [{ _description: 'Gone', _expect: { status: 404, error: 'sold out' } }];
  const { start, run, has } = await cliProject({
    'project/shop.mjs': testedShop(upstream.origin, { gone: { tests } }),
  });
  expect(await start('test', 'single', 'shop.mjs', '--record', 'kept')).toMatchObject({ status: 0 });
  expect(has('project/kept/shop/shop/gone-1.json')).toBe(true);
  const { length } = upstream.requests;
  expect(run('test', 'single', 'shop.mjs', '--replay', 'kept')).toMatchObject({ status: 0, json: { passed: 1 } });
  expect(upstream.requests).toHaveLength(length);
});
