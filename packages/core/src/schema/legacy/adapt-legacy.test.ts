import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fetchTool } from '../../call/fetch-tool.ts';
import { createHandlers } from '../../load/create-handlers.ts';
import { validateMain } from '../../load/validate-schema.ts';
import { hasNoErrors } from '../finding.ts';
import { adaptLegacy } from './adapt-legacy.ts';
import { startEchoApi } from './fixtures/echo-api.ts';

type Parts = Record<string, unknown>;

const conversion = 'LegacyAdapter: Schema uses v1.x format, automatic conversion applied';

const route = (parts: Parts = {}): Parts => ({
  requestMethod: 'GET',
  description: 'Get it',
  route: '/it',
  parameters: [],
  tests: [],
  modifiers: [],
  ...parts,
});

const parameter = (key: string, value: unknown = '{{USER_PARAM}}', z?: Parts): Parts => ({
  position: { key, value, location: 'query' },
  ...(z && { z }),
});

/** A schema of format 1 whose one route is `get`. */
const schemaWith = ({ get = {}, ...parts }: Parts & { get?: Parts } = {}): Parts => ({
  namespace: 'shop',
  name: 'Shop',
  description: 'A shop',
  docs: [],
  tags: [],
  flowMCP: '1.2.0',
  root: 'https://shop.example.com',
  requiredServerParams: [],
  headers: {},
  routes: { get: route(get) },
  handlers: {},
  ...parts,
});

const toolOf = (legacySchema: Parts): Parts =>
  Object((adaptLegacy({ legacySchema }).main?.tools as Parts | undefined)?.get) as Parts;

/** Calls the route `get` as a program would that converts its schema. */
async function call(
  legacySchema: Parts,
  { userParams = {}, serverParams = {} }: { userParams?: Parts; serverParams?: Record<string, string> } = {},
) {
  const { main, handlersFn } = adaptLegacy({ legacySchema });
  const { handlerMap } = createHandlers({ handlersFn, routeNames: ['get'] });
  const { status, messages, data } = await fetchTool({ main, handlerMap, userParams, serverParams, routeName: 'get' });
  return { status, messages, data };
}

describe('main', () => {
  test('passes the rules of format 3, with only the warning about the conversion', () => {
    const { status, main, warnings, messages } = adaptLegacy({ legacySchema: schemaWith() });
    expect({ status, warnings, messages }).toEqual({ status: true, warnings: [conversion], messages: [conversion] });
    expect(main).toEqual({
      namespace: 'shop',
      name: 'Shop',
      description: 'A shop',
      version: '3.0.0',
      docs: [],
      tags: [],
      root: 'https://shop.example.com',
      requiredServerParams: [],
      requiredLibraries: [],
      headers: {},
      tools: { get: { method: 'GET', path: '/it', description: 'Get it', parameters: [], tests: [] } },
    });
    expect(hasNoErrors(validateMain(main))).toBe(true);
  });

  test('docs, tags, headers and the tests of a route stay', () => {
    const parts = { docs: ['https://shop.example.com/docs'], tags: ['shops.getIt'], headers: { Accept: 'text/csv' } };
    const tests = [{ _description: 'Tea', thing: 'tea' }];
    const { main } = adaptLegacy({ legacySchema: schemaWith({ ...parts, get: { tests } }) });
    expect(main).toMatchObject({ ...parts, tools: { get: { tests } } });
  });

  test.each([
    ['luksoNetwork', 'luksonetwork'],
    ['context7', 'context'],
    ['Größe', 'groe'],
    ['1337', 'unknown'],
  ])('the namespace %s is read as %s, with a warning', (namespace, expected) => {
    const { main, warnings } = adaptLegacy({ legacySchema: schemaWith({ namespace }) });
    expect(main?.namespace).toBe(expected);
    expect(warnings).toEqual([conversion, `namespace "${namespace}" is read as "${expected}"`]);
    expect(hasNoErrors(validateMain(main))).toBe(true);
  });

  test('more than eight routes are a warning', () => {
    const names = Array.from({ length: 12 }, (_, index) => `get${index}`);
    const routes = Object.fromEntries(names.map((name) => [name, route()]));
    const { main } = adaptLegacy({ legacySchema: schemaWith({ routes }) });
    const findings = validateMain(main);
    expect(hasNoErrors(findings)).toBe(true);
    expect(findings.map(({ code }) => code)).toContain('VAL038');
  });

  test('a schema without a root gets a placeholder', () => {
    const { main, warnings } = adaptLegacy({ legacySchema: schemaWith({ root: undefined }) });
    expect(main?.root).toBe('https://unknown');
    expect(warnings[1]).toBe('LegacyAdapter: Schema has no root, the placeholder https://unknown is used');
  });

  test('server parameters are declared if they are used and nothing else can fill them', () => {
    const { main, warnings } = adaptLegacy({
      legacySchema: schemaWith({
        root: 'https://{{HOST}}.example.com',
        requiredServerParams: ['SERVER_PARAM:DECLARED'],
        headers: { Authorization: 'Bearer {{TOKEN}}', 'X-Known': '{{DECLARED}}' },
        get: {
          route: '/{{PLACE}}/:id/{{id}}',
          parameters: [
            { ...parameter('id', '{{USER_PARAM}}', { primitive: 'string()', options: [] }) },
            parameter('key', '{{KEY}}'),
            parameter('known', 'x{{DECLARED}}'),
            parameter('free', '{{FREE}}', { primitive: 'string()', options: [] }),
          ],
        },
      }),
    });
    expect(main?.requiredServerParams).toEqual(['DECLARED', 'HOST', 'TOKEN', 'PLACE', 'KEY']);
    expect(warnings).toHaveLength(5);
    expect(main?.tools).toMatchObject({
      get: {
        parameters: [
          { position: { value: '{{USER_PARAM}}' } },
          { position: { value: '{{SERVER_PARAM:KEY}}' }, z: { primitive: 'string()', options: [] } },
          { position: { value: 'x{{SERVER_PARAM:DECLARED}}' } },
          { position: { value: '{{FREE}}' } },
        ],
      },
    });
  });

  test.each([
    ['text', 'fixed', 'fixed', 'string()'],
    ['a number', 5, '5', 'number()'],
    ['a boolean', true, 'true', 'boolean()'],
    ['a list', [1, 2], '[1,2]', 'array()'],
    ['an object', { a: 1 }, '{"a":1}', 'object()'],
    ['null', null, 'null', 'string()'],
  ])('a fixed value that is %s gets the z block of its type', (_, value, text, primitive) => {
    const { parameters } = toolOf(schemaWith({ get: { parameters: [parameter('fixed', value)] } }));
    expect(parameters).toEqual([
      { position: { key: 'fixed', value: text, location: 'query' }, z: { primitive, options: [] } },
    ]);
  });

  test.each([
    [
      { primitive: 'string()', options: ['enum(a,b)', 'optional()'] },
      { primitive: 'enum(a,b)', options: ['optional()'] },
    ],
    [
      { primitive: 'boolean()', options: ['enum(true,false)'] },
      { primitive: 'boolean()', options: [] },
    ],
    [
      { primitive: 'enum(a)', options: ['enum(b)'] },
      { primitive: 'enum(a)', options: ['enum(b)'] },
    ],
    [
      { primitive: 'number()', options: ['min(1)'] },
      { primitive: 'number()', options: ['min(1)'] },
    ],
    [{ options: [] }, { primitive: 'string()', options: [] }],
    [{ primitive: 'string()' }, { primitive: 'string()', options: [] }],
  ])('z %j becomes %j', (z, expected) => {
    const { parameters } = toolOf(schemaWith({ get: { parameters: [parameter('a', '{{USER_PARAM}}', z)] } }));
    expect(parameters).toMatchObject([{ z: expected }]);
  });

  test('libraries and shared lists that a half-finished migration added stay', () => {
    const sharedLists = [{ ref: 'chains', version: '1.0.0' }];
    const { main } = adaptLegacy({ legacySchema: schemaWith({ requiredLibraries: ['ethers'], sharedLists }) });
    expect(main).toMatchObject({ requiredLibraries: ['ethers'], sharedLists });
  });

  test('tools instead of routes, with the field names of either format', () => {
    const { method, path } = toolOf(
      schemaWith({
        routes: {},
        tools: { get: { method: 'POST', path: '/there', description: 'There', parameters: [] } },
      }),
    );
    expect({ method, path }).toEqual({ method: 'POST', path: '/there' });
  });
});

describe('handlers', () => {
  test('a schema without modifiers has none', () => {
    const { handlersFn, hasHandlers } = adaptLegacy({ legacySchema: schemaWith({ handlers: { unused: () => 1 } }) });
    expect({ handlersFn, hasHandlers }).toEqual({ handlersFn: null, hasHandlers: false });
  });

  test('a modifier whose handler is missing is left out with a warning', () => {
    const { handlersFn, warnings } = adaptLegacy({
      legacySchema: schemaWith({
        get: { modifiers: [{ phase: 'post', handlerName: 'sort' }] },
        handlers: { sorted: () => {} },
      }),
    });
    expect(handlersFn).toBeNull();
    expect(warnings[1]).toBe('LegacyAdapter: Route "get" modifier references handler "sort" which was not found');
  });

  test('get struct, payload, all parameters and their phase as in format 1', async () => {
    const api = await startEchoApi(() => ({ answer: 1 }));
    const seen: unknown[] = [];
    const see = async (input: unknown) => void seen.push(structuredClone(input));
    const modifiers = [
      { phase: 'pre', handlerName: 'see' },
      { phase: 'post', handlerName: 'see' },
    ];
    await call(
      schemaWith({
        root: api.origin,
        requiredServerParams: ['KEY'],
        headers: { 'X-Key': '{{KEY}}' },
        get: {
          modifiers,
          parameters: [
            parameter('q', '{{USER_PARAM}}', { primitive: 'string()', options: [] }),
            parameter('fixed', 'f'),
            parameter('key', '{{KEY}}'),
          ],
        },
        handlers: { see },
      }),
      { userParams: { q: 'a' }, serverParams: { KEY: 'k' } },
    );
    const url = `${api.origin}/it?q=a&fixed=f&key=k`;
    const payload = { requestMethod: 'GET', url, headers: { 'X-Key': 'k' }, body: undefined, modifiers };
    const userParams = { q: 'a', _allParams: { q: 'a', fixed: 'f', key: 'k' } };
    const struct = { status: true, messages: [], dataAsString: null };
    expect(seen).toEqual([
      { struct: { ...struct, data: null }, payload, userParams, routeName: 'get', phaseType: 'pre', phase: 'pre' },
      {
        struct: { ...struct, data: { answer: 1 } },
        payload,
        userParams,
        routeName: 'get',
        phaseType: 'post',
        phase: 'post',
      },
    ]);
  });

  test('pass on returned values, and changes to their arguments', async () => {
    const api = await startEchoApi();
    const handlers = {
      replace: async ({ struct, payload }: { struct: Parts; payload: Parts }) => ({
        struct,
        payload: { ...payload, url: `${payload.url}/replaced`, requestMethod: 'POST', body: { a: 1 } },
      }),
      change: ({ payload }: { payload: Parts }) => {
        payload.url += '/changed';
        payload.headers = { 'x-changed': 'yes' };
      },
      wrap: async ({ struct, payload }: { struct: Parts; payload: Parts }) => ({
        struct: { ...struct, data: { wrapped: struct.data } },
        payload,
      }),
      count: ({ struct }: { struct: Parts }) => {
        struct.data = Object.keys(Object(struct.data));
      },
    };
    const modifiers = [
      { phase: 'post', handlerName: 'wrap' },
      { phase: 'pre', handlerName: 'replace' },
      { phase: 'pre', handlerName: 'change' },
      { phase: 'post', handlerName: 'count' },
    ];
    const { data } = await call(schemaWith({ root: api.origin, get: { modifiers }, handlers }));
    expect(data).toEqual(['wrapped']);
    expect(api.arrived).toMatchObject([
      { method: 'POST', url: '/it/replaced/changed', body: '{"a":1}', headers: { 'x-changed': 'yes' } },
    ]);
  });

  test('a removed body is not sent', async () => {
    const api = await startEchoApi();
    const handlers = {
      bare: ({ payload }: { payload: Parts }) => {
        delete payload.body;
      },
    };
    const get = { requestMethod: 'POST', modifiers: [{ phase: 'pre', handlerName: 'bare' }] };
    await call(schemaWith({ root: api.origin, get, handlers }));
    expect(api.arrived).toMatchObject([{ method: 'POST', body: '' }]);
  });

  test('changes to userParams are visible to later handlers, in later phases too', async () => {
    const api = await startEchoApi(() => null);
    const handlers = {
      remember: ({ userParams }: { userParams: Parts }) => {
        userParams.remembered = 'tea';
      },
      recall: ({ struct, userParams }: { struct: Parts; userParams: Parts }) => {
        struct.data = userParams.remembered;
      },
    };
    const modifiers = [
      { phase: 'pre', handlerName: 'remember' },
      { phase: 'post', handlerName: 'recall' },
    ];
    expect(await call(schemaWith({ root: api.origin, get: { modifiers }, handlers }))).toMatchObject({ data: 'tea' });
  });

  test.each(['pre', 'execute', 'post'])(
    'one that fails in phase %s ends the call, and those after it do not run',
    async (phase) => {
      const api = await startEchoApi(() => ({ fine: true }));
      let ranNext = false;
      const handlers = {
        fail: ({ struct }: { struct: { status: boolean; messages: string[] } }) => {
          struct.status = false;
          struct.messages.push('out of tea', 'out of milk');
        },
        next: () => {
          ranNext = true;
        },
      };
      const modifiers = [
        { phase, handlerName: 'fail' },
        { phase, handlerName: 'next' },
      ];
      const { status, messages, data } = await call(schemaWith({ root: api.origin, get: { modifiers }, handlers }));
      expect({ status, data, ranNext }).toEqual({ status: false, data: null, ranNext: false });
      expect(messages).toEqual(['out of tea', 'out of milk']);
      expect(api.arrived).toHaveLength(phase === 'post' ? 1 : 0);
    },
  );

  test('one that throws fails the call with what it threw', async () => {
    const handlers = {
      burst: async () => {
        throw new Error('the kettle burst');
      },
    };
    const get = { modifiers: [{ phase: 'pre', handlerName: 'burst' }] };
    const { status, messages } = await call(schemaWith({ get, handlers }));
    expect({ status, messages }).toEqual({ status: false, messages: ['preRequest error: the kettle burst'] });
  });

  test('several run in their order, and share their state', async () => {
    const handlers = {
      helper: (value: number) => value + 1,
      one(this: { helper(value: number): number }, { struct }: { struct: Parts }) {
        struct.data = this.helper(1);
      },
      two: ({ struct }: { struct: { data: number } }) => ({ struct: { ...struct, data: struct.data * 10 } }),
    };
    const modifiers = [
      { phase: 'execute', handlerName: 'one' },
      { phase: 'execute', handlerName: 'two' },
    ];
    expect(await call(schemaWith({ get: { modifiers }, handlers }))).toMatchObject({ status: true, data: 20 });
  });

  test('may be inline in the modifier', async () => {
    const modifiers = [
      { phase: 'execute', fn: ({ struct }: { struct: Parts }) => ({ struct: { ...struct, data: 1 } }) },
      {
        phase: 'execute',
        handler: ({ struct }: { struct: { data: number } }) => ({ struct: { ...struct, data: struct.data + 1 } }),
      },
    ];
    expect(await call(schemaWith({ get: { modifiers } }))).toMatchObject({ status: true, data: 2 });
  });
});

describe('bad input', () => {
  test.each([undefined, null, 'schema', 5, []])('%j is not a schema', (legacySchema) => {
    expect(adaptLegacy({ legacySchema })).toMatchObject({
      status: false,
      main: null,
      handlersFn: null,
      hasHandlers: false,
    });
  });

  test('a circular reference is reported', () => {
    const legacySchema: Parts = schemaWith();
    legacySchema.self = legacySchema;
    expect(adaptLegacy({ legacySchema })).toMatchObject({ status: false, main: null, findings: [{ code: 'LEG007' }] });
  });

  test('nothing is thrown and nothing is changed, for any input', () => {
    fc.assert(
      fc.property(fc.object({ key: fc.constantFrom(...keys), maxDepth: 5 }), (legacySchema) => {
        const before = JSON.stringify(legacySchema);
        const { main, warnings } = adaptLegacy({ legacySchema });
        expect(warnings.every((warning) => typeof warning === 'string')).toBe(true);
        if (main !== null) validateMain(main);
        expect(JSON.stringify(legacySchema)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

const keys = [
  'namespace',
  'root',
  'headers',
  'requiredServerParams',
  'routes',
  'tools',
  'handlers',
  'get',
  'parameters',
  'modifiers',
  'position',
  'z',
  'options',
  'value',
  'phase',
  '__proto__',
];
