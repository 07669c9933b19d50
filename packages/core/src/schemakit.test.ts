import { describe, expect, test } from 'vitest';
import { SchemaKit } from './schemakit.ts';

type Method = (options: unknown) => unknown;

const methods = Object.getOwnPropertyNames(SchemaKit).filter(
  (name) => typeof Reflect.get(SchemaKit, name) === 'function' && name !== 'getDefaultAllowlist',
);

function throwing(): never {
  throw new Error('not for you');
}

const trap = new Proxy({}, { get: throwing, ownKeys: throwing, has: throwing, getOwnPropertyDescriptor: throwing });

/** Options with the names of all methods, so that every method gets the value. */
const optionNames = [
  ...[
    'main',
    'schema',
    'schemas',
    'module',
    'legacySchema',
    'response',
    'mimeType',
    'arrayOfSchemas',
    'server',
    'routeName',
  ],
  ...['filePath', 'listsDir', 'allowlist', 'grants', 'sharedListRefs', 'sharedLists', 'template', 'requiredLibraries'],
  ...['handlersFn', 'libraries', 'routeNames', 'userParams', 'serverParams', 'handlerMap', 'includeNamespaces', 'scan'],
];

const given: Record<string, unknown> = {
  nothing: undefined,
  null: null,
  'a number': 5,
  text: 'x',
  'an array': [],
  'an empty object': {},
  'a proxy that throws': trap,
  'a getter that throws': Object.defineProperty({}, 'main', { get: throwing, enumerable: true }),
  'hostile values': Object.fromEntries(optionNames.map((name) => [name, trap])),
  'lists of hostile values': Object.fromEntries(optionNames.map((name) => [name, [trap]])),
  symbols: Object.fromEntries(optionNames.map((name) => [name, Symbol('x')])),
};

describe.each(methods)('SchemaKit.%s', (name) => {
  test.each(Object.keys(given))('gets %s and does not throw', async (key) => {
    const method = Reflect.get(SchemaKit, name) as Method;
    const result = (await method.call(SchemaKit, given[key])) as { status?: boolean; findings?: { code: string }[] };
    expect(typeof result).toBe('object');
    if (result.status === false) expect(result.findings?.length).toBeGreaterThan(0);
  });
});

test('the reason is reported', () => {
  const result = SchemaKit.adaptLegacy(given['a proxy that throws'] as { legacySchema: unknown });
  expect(result).toMatchObject({
    status: false,
    messages: ['the options cannot be read: not for you'],
    findings: [{ code: 'ARG004' }],
  });
});
