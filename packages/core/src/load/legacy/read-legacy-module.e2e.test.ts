import { describe, expect, test } from 'vitest';
import { analyzeModule } from '../../module/analyze-module.ts';
import { evaluateExport } from '../../sandbox/handler-call.ts';
import { startEchoApi } from '../../schema/legacy/fixtures/echo-api.ts';
import { callLegacyText, legacyText, readLegacyText, rulesOn } from './fixtures/legacy-file.ts';
import { readLegacyModule } from './read-legacy-module.ts';

const errors = (findings: readonly { severity: string; message: string }[]) =>
  findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
const serverParams = { QUOTES_KEY: 'secret-of-quotes' };

test.each(['quotes-1.2.0.mjs', 'weather-1.1.1.mjs', 'half-migrated.mjs', 'computed.mjs'] as const)(
  '%s becomes a main without errors',
  async (name) => {
    const module = await readLegacyText(await legacyText(name));
    expect(errors(module.findings)).toEqual([]);
    expect(errors(rulesOn(module))).toEqual([]);
  },
);

test.each(['quotes-1.2.0.mjs', 'half-migrated.mjs'] as const)('%s is read without running it', async (name) => {
  const reading = analyzeModule(await legacyText(name), { file: name });
  expect((await readLegacyModule(reading))?.main).toEqual((await readLegacyText(await legacyText(name))).main);
  expect((await readLegacyModule(reading))?.main).toBeDefined();
});

test('ignores files of other formats', async () => {
  for (const text of [
    '',
    'export const list = {};',
    'export const main = {}; export const schema = { routes: {} };',
    'export const schema = [];',
    'export const schema = class {};',
    "export const schema = { type: 'object', properties: {} };",
    "export const schema = Object.fromEntries([['type', 'object']]); schema.properties = {};",
  ]) {
    const reading = analyzeModule(text, { file: 'other.mjs' });
    expect(await readLegacyModule(reading, { evaluate: evaluateExport }), text).toBeUndefined();
  }
});

describe('a file of format 1.2.0', () => {
  test('has main, docs, tags and tests as they were, and its hooks by tool', async () => {
    const { main, handlers } = await readLegacyText(await legacyText('quotes-1.2.0.mjs'));
    expect(main).toMatchObject({
      namespace: 'quotedesk',
      name: 'Quote Desk',
      version: '3.0.0',
      docs: ['https://quotes.example.com/docs'],
      tags: ['market.getPrice', 'data'],
      root: 'https://quotes.example.com/v1',
      requiredServerParams: ['QUOTES_KEY'],
      headers: { 'X-Api-Key': '{{QUOTES_KEY}}', Accept: 'application/json' },
    });
    expect(main?.tools).toMatchObject({
      getPrice: {
        method: 'GET',
        path: '/things/:thing/price',
        tests: [{ _description: 'Tea in euros', thing: 'tea' }, { currency: 'usd' }],
      },
      searchThings: { method: 'POST', path: '/search' },
    });
    expect(handlers?.kind).toBe('function');
    expect({ ...handlers?.names }).toEqual({
      getPrice: ['preRequest', 'postRequest'],
      searchThings: ['preRequest'],
      explain: ['executeRequest'],
    });
  });

  test('runs several modifiers of a phase in their order, on url and headers', async () => {
    const api = await startEchoApi(() => ({ price: 4 }));
    const text = await legacyText('quotes-1.2.0.mjs', `${api.origin}/v1`);
    const { status, data, messages } = await callLegacyText(text, {
      routeName: 'getPrice',
      userParams: { thing: 'green tea' },
      serverParams,
    });
    expect({ status, messages, data }).toEqual({
      status: true,
      messages: [],
      data: { price: 4, asked: true, currency: 'EUR' },
    });
    expect(api.arrived).toMatchObject([
      {
        method: 'GET',
        url: '/v1/things/green%20tea/price?currency=eur&format=json&key=secret-of-quotes&source=json-green%20tea&traced=1',
        headers: { 'x-api-key': 'secret-of-quotes', 'x-trace': 'getPrice/pre/GET' },
      },
    ]);
  });

  test('a handler that sets status to false fails the call with its messages', async () => {
    const api = await startEchoApi(() => ({ error: 'closed on Sundays' }));
    const text = await legacyText('quotes-1.2.0.mjs', `${api.origin}/v1`);
    const call = { routeName: 'getPrice', userParams: { thing: 'tea' }, serverParams };
    const { status, data, messages } = await callLegacyText(text, call);
    expect({ status, data, messages }).toEqual({
      status: false,
      data: null,
      messages: ['The desk says: closed on Sundays'],
    });
  });

  test('a modifier before the request replaces the body', async () => {
    const api = await startEchoApi();
    const text = await legacyText('quotes-1.2.0.mjs', `${api.origin}/v1`);
    await callLegacyText(text, { routeName: 'searchThings', userParams: { text: 'tea' }, serverParams });
    expect(api.arrived.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['POST', '/v1/search', { query: 'things(text: "tea", first: 10)' }],
    ]);
  });

  test('an execute modifier answers instead of the API, with constants of its file', async () => {
    const api = await startEchoApi();
    const text = await legacyText('quotes-1.2.0.mjs', `${api.origin}/v1`);
    const { data } = await callLegacyText(text, { routeName: 'explain', userParams: { thing: 'tea' }, serverParams });
    expect(data).toEqual({ thing: 'tea', rule: 'supply and demand', path: '/v1/' });
    expect(api.arrived).toEqual([]);
  });

  test('a route without modifiers is a plain request', async () => {
    const api = await startEchoApi();
    const text = await legacyText('quotes-1.2.0.mjs', `${api.origin}/v1`);
    const { data } = await callLegacyText(text, { routeName: 'ping', serverParams });
    expect(data).toMatchObject({ method: 'GET', url: '/v1/ping' });
  });

  test('values from callers are checked by their z blocks', async () => {
    const text = await legacyText('quotes-1.2.0.mjs', 'http://127.0.0.1:1');
    const call = { routeName: 'getPrice', userParams: { thing: 'tea', currency: 'yen', format: 'xml' }, serverParams };
    const { status, findings } = await callLegacyText(text, call);
    expect(status).toBe(false);
    expect(findings.map(({ path }) => path).sort()).toEqual(['currency', 'format']);
  });
});

describe('a file of format 1.1.1', () => {
  test('gets a namespace from its name, enums from options, and default z blocks', async () => {
    const { main, findings } = await readLegacyText(await legacyText('weather-1.1.1.mjs'));
    expect(main).toMatchObject({ namespace: 'weatherofold', version: '3.0.0' });
    expect(main?.tools).toMatchObject({
      now: {
        path: '/{{WEATHER_TOKEN}}/now/:place',
        parameters: [
          { position: { key: 'place' }, z: { primitive: 'string()', options: [] } },
          { position: { key: 'units' }, z: { primitive: 'enum(metric,imperial)', options: ['optional()'] } },
          { position: { key: 'detailed' }, z: { primitive: 'boolean()', options: ['default(false)'] } },
          { position: { key: 'days', value: '1' }, z: { primitive: 'number()', options: [] } },
        ],
      },
    });
    expect(findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`)).toEqual([
      'warning LEG001 LegacyAdapter: Schema uses v1.x format, automatic conversion applied',
      'warning LEG002 namespace is missing; "weatherofold" is derived from the name',
    ]);
  });

  test('handlers reach other functions of the schema, through `this` and through its name', async () => {
    const api = await startEchoApi(() => ({ summary: ' rain\nwind\nsnow' }));
    const text = await legacyText('weather-1.1.1.mjs', api.origin);
    const { data } = await callLegacyText(text, {
      routeName: 'now',
      userParams: { place: 'bergen', units: 'metric' },
      serverParams: { WEATHER_TOKEN: 'wet' },
    });
    expect(data).toBe('rain wind');
    expect(api.arrived).toMatchObject([
      { url: '/wet/now/bergen?units=metric&detailed=false&days=1', headers: { authorization: 'Bearer wet' } },
    ]);
  });
});

describe('a half-migrated file', () => {
  test('has its tools, and reports missing parts with lines', async () => {
    const text = await legacyText('half-migrated.mjs');
    const { main, findings } = await readLegacyText(text);
    expect(Object.keys(Object(main?.tools))).toEqual(['listBirds', 'addBird']);
    expect(main?.tools).toMatchObject({ addBird: { method: 'POST', path: '/birds/add' } });
    const lines = text.split('\n');
    expect(findings.slice(1).map(({ code, message, line }) => [code, message, lines[(line ?? 0) - 1]?.trim()])).toEqual(
      [
        [
          'LEG004',
          'server parameter BIRD_TOKEN is used but not declared; it is added to requiredServerParams',
          "parameters: [{ position: { key: 'token', value: '{{BIRD_TOKEN}}', location: 'body' } }],",
        ],
        ['LEG006', 'route "birds/add" of addBird is read as "/birds/add"', "route: 'birds/add',"],
        [
          'LEG005',
          'LegacyAdapter: Route "listBirds" modifier references handler "gone" which was not found',
          "{ phase: 'post', handlerName: 'gone' },",
        ],
        [
          'LEG005',
          'LegacyAdapter: Route "listBirds" has a modifier without a phase; it is skipped',
          "{ phase: 'after', handlerName: 'count' },",
        ],
      ],
    );
  });

  test('runs inline functions of modifiers, and accepts a constant called handlers', async () => {
    const api = await startEchoApi(() => ['owl', 'wren']);
    const text = await legacyText('half-migrated.mjs', api.origin);
    const { data, messages } = await callLegacyText(text, {
      routeName: 'listBirds',
      serverParams: { BIRD_TOKEN: 'feather' },
    });
    expect({ data, messages }).toEqual({ data: { count: 2, inline: true }, messages: [] });
  });
});

describe('a file that has to be run', () => {
  test('is evaluated in the sandbox, and its handlers work', async () => {
    const api = await startEchoApi(() => 3);
    const { data } = await callLegacyText(await legacyText('computed.mjs', api.origin), { routeName: 'subtract' });
    expect(data).toEqual({ subtract: 3 });
  });

  test('is not read from its text alone', async () => {
    const text =
      "const parts = {}; parts.a = { routes: {} }; export const schema = { name: 'Late', ...parts.a.routes, routes: {} };";
    const module = await readLegacyText(text);
    expect(module.findings.map(({ code }) => code)).not.toContain('LEG007');
    expect(module.main).toMatchObject({ namespace: 'late' });
  });

  test('is not read without a sandbox', async () => {
    const reading = analyzeModule(await legacyText('computed.mjs'), { file: 'computed.mjs' });
    expect(await readLegacyModule(reading)).toMatchObject({ findings: [] });
    expect((await readLegacyModule(reading))?.main).toBeUndefined();
  });

  test('says why it cannot be run', async () => {
    const module = await readLegacyText('export const schema = Object.assign({}, missing());');
    expect(module.main).toBeUndefined();
    expect(module.findings).toMatchObject([{ code: 'LEG007', severity: 'error', line: 1 }]);
    expect(module.findings[0]?.message).toContain('missing');
  });

  test('reports its errors', async () => {
    const module = await readLegacyText('export const schema = { routes: {}, ...null.x };');
    expect(module.main).toBeUndefined();
    expect(module.findings).toMatchObject([{ code: 'LEG007', severity: 'error', line: 1 }]);
  });
});

test('a file with imports is read, and a finding says how to migrate it', async () => {
  const reading = analyzeModule(await legacyText('importing.mjs'), { file: 'importing.mjs' });
  expect(reading.findings.map(({ code }) => code)).toEqual(['SEC001']);
  const module = await readLegacyModule(reading);
  expect(module?.main).toMatchObject({ namespace: 'chains' });
  expect(module?.findings[0]).toMatchObject({ code: 'LEG008', severity: 'info', file: 'importing.mjs', line: 1 });
  expect(module?.findings[0]?.hint).toMatch(/main\.sharedLists.*main\.requiredLibraries/);
});

test('paths in main lead to the lines of the schema', async () => {
  const text = await legacyText('quotes-1.2.0.mjs');
  const { locate } = await readLegacyText(text);
  const lines = text.split('\n');
  const lineAt = (path: string) => lines[(locate(path)?.line ?? 0) - 1]?.trim();
  expect(lineAt('main.namespace')).toBe("namespace: 'quoteDesk2',");
  expect(lineAt('main.tools.searchThings.method')).toBe("requestMethod: 'POST',");
  expect(lineAt('main.tools.searchThings.path')).toBe("route: '/search',");
  expect(lineAt('main.tools.searchThings.parameters[1].z.options')).toBe(
    "z: { primitive: 'number()', options: ['optional()', 'max(50)'] },",
  );
});

test('an error in a handler names the line of the file', async () => {
  const api = await startEchoApi();
  const text = `export const schema = {
    name: 'Lines', description: 'Lines', flowMCP: '1.2.0', root: '${api.origin}', headers: {},
    routes: { get: { requestMethod: 'GET', route: '/', description: 'Get', parameters: [], tests: [],
      modifiers: [{ phase: 'post', handlerName: 'fail' }] } },
    handlers: {
      fail: async ({ struct }) => {
        return struct.data.nothing.at(0);
      },
    },
  };`;
  const { status, findings } = await callLegacyText(text, { routeName: 'get' });
  expect(status).toBe(false);
  expect(findings).toMatchObject([{ line: 7 }]);
  expect(findings[0]?.message).toMatch(/^postRequest error: TypeError/);
});

test('values other than data and functions are left out', async () => {
  const text = `export const schema = {
    name: 'Odd', description: 'Odd', flowMCP: '1.2.0', root: 'https://odd.example.com', headers: {}, docs: /x/,
    routes: { get: { requestMethod: 'GET', route: '/', description: 'Get', parameters: [], tests: [],
      modifiers: [{ phase: 'post', handlerName: 'Pattern' }] } },
    handlers: { Pattern: /x/, get lazy() { return 1; }, seen: new Set(['a']) },
  };`;
  const module = await readLegacyModule(analyzeModule(text, { file: 'odd.mjs' }));
  expect(module?.main?.docs).toBeUndefined();
  expect(module?.handlers).toBeUndefined();
  expect(module?.findings.at(-1)).toMatchObject({ code: 'LEG005', hint: 'The schema has no handlers.' });
});

test('names with special characters are safe in a script', async () => {
  const api = await startEchoApi(() => 1);
  const name = '<!-- import(`x`) --> __proto__ */';
  const text = `export const schema = {
    name: 'Odd', description: 'Odd', flowMCP: '1.2.0', root: '${api.origin}', headers: {},
    routes: { ${JSON.stringify(name)}: { requestMethod: 'GET', route: '/', description: 'Get', parameters: [], tests: [],
      modifiers: [{ phase: 'post', handlerName: 'double' }] } },
    handlers: { double: async ({ struct }) => { struct.data *= 2; } },
  };`;
  const { data, messages } = await callLegacyText(text, { routeName: name });
  expect({ data, messages }).toEqual({ data: 2, messages: [] });
});
