import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exposeSchemas, hashSchema, previewCall, SchemaKit } from '../index.ts';

let api: Server;
let root = '';

beforeAll(async () => {
  api = createServer((_request, response) => response.end('{"tides":[3,1]}'));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => api.close(resolve)));

const mainOf = (more: object = {}): Record<string, unknown> => ({
  namespace: 'tides',
  name: 'Tides',
  description: 'Times of the tides',
  version: '3.0.0',
  root,
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: { getTides: { method: 'GET', path: '/', description: 'Get the tides', parameters: [] } },
  ...more,
});

let factoryCalls = 0;
const handlers = () => {
  factoryCalls += 1;
  let calls = 0;
  return {
    getTides: {
      postRequest: ({ response }: { response: { tides: number[] } }) => {
        calls += 1;
        return { response: { highest: response.tides[0], calls } };
      },
    },
  };
};

const forms: Record<string, (main: Record<string, unknown>) => object> = {
  '{ main, handlers }': (main) => ({ main, handlers }),
  '{ ...main, handlers }': (main) => ({ ...main, handlers }),
};

test('{ main } is the same as main', async () => {
  const main = mainOf();
  expect(await SchemaKit.fetch({ schema: { main }, routeName: 'getTides' })).toMatchObject({ data: { tides: [3, 1] } });
  expect(SchemaKit.validateSchema({ schema: { main } })).toEqual(SchemaKit.validateSchema({ schema: main }));
  expect(hashSchema({ main })).toBe(hashSchema(main));
  expect(exposeSchemas([{ main }]).map(({ listing }) => listing.name)).toEqual(['tides__getTides']);
});

describe.each(Object.entries(forms))('%s', (_form, formOf) => {
  test('is refused if its functions would run in this process', async () => {
    const schema = formOf(mainOf());
    const expected = {
      status: false,
      findings: [
        {
          code: 'VAL093',
          path: 'handlers',
          hint: expect.stringMatching(/loadSchema\(\{ filePath \}\).*isolation: 'trusted'/),
        },
      ],
    };
    expect(await SchemaKit.fetch({ schema, routeName: 'getTides' })).toMatchObject({ ...expected, data: null });
    expect(await previewCall({ schema, routeName: 'getTides' })).toMatchObject({ ...expected, request: null });
    expect(SchemaKit.prepareServerTool({ schema, routeName: 'getTides' })).toMatchObject(expected);
    expect(exposeSchemas([schema])).toEqual([]);
  });

  test('runs them if they are trusted, and calls the factory once', async () => {
    const schema = formOf(mainOf());
    factoryCalls = 0;
    const options = { schema, routeName: 'getTides', isolation: 'trusted' } as const;
    expect(await SchemaKit.fetch(options)).toMatchObject({ status: true, data: { highest: 3, calls: 1 } });
    expect(await SchemaKit.fetch(options)).toMatchObject({ status: true, data: { highest: 3, calls: 2 } });
    const prepared = SchemaKit.prepareServerTool(options);
    expect(await prepared.func()).toMatchObject({ status: true, data: { highest: 3, calls: 3 } });
    const [tool] = exposeSchemas([schema], { isolation: 'trusted' });
    expect(await tool?.call({})).toMatchObject({ content: [{ text: '{"highest":3,"calls":4}' }] });
    expect(factoryCalls).toBe(1);
  });

  test('is called with a handlerMap instead of its own functions', async () => {
    const { handlerMap } = SchemaKit.createHandlers({
      handlersFn: () => ({ getTides: { postRequest: () => ({ response: 'mine' }) } }),
      routeNames: ['getTides'],
    });
    const schema = formOf(mainOf());
    expect(await SchemaKit.fetch({ schema, handlerMap, routeName: 'getTides' })).toMatchObject({ data: 'mine' });
  });

  test('is checked, filtered and hashed as its main', () => {
    const main = mainOf({ tags: ['sea'] });
    const schema = formOf(main);
    expect(SchemaKit.validateSchema({ schema })).toMatchObject({ status: true });
    expect(SchemaKit.validateMain({ main: schema })).toMatchObject({ status: true });
    expect(hashSchema(schema)).toBe(hashSchema(main));
    const { filteredArrayOfSchemas } = SchemaKit.filterArrayOfSchemas({
      arrayOfSchemas: [schema],
      activateTags: ['sea'],
    });
    expect(filteredArrayOfSchemas).toEqual([schema]);
  });

  test('keeps its handlers when a filter takes tools from it', async () => {
    const main = mainOf();
    const tools = {
      ...(main.tools as object),
      getOther: { method: 'GET', path: '/', description: 'Get', parameters: [] },
    };
    const schema = { ...formOf({ ...main, tools }), handlers: () => ({ ...handlers(), getOther: {} }) };
    const { filteredArrayOfSchemas } = SchemaKit.filterArrayOfSchemas({
      arrayOfSchemas: [schema],
      activateTags: ['tides.getTides'],
    });
    const [filtered] = filteredArrayOfSchemas;
    expect(await SchemaKit.fetch({ schema: filtered, routeName: 'getTides', isolation: 'trusted' })).toMatchObject({
      data: { highest: 3 },
    });
    expect(await SchemaKit.fetch({ schema: filtered, routeName: 'getOther', isolation: 'trusted' })).toMatchObject({
      status: false,
    });
  });

  test('has tools without HTTP if its root is local', async () => {
    const local = () => ({ getTides: { executeRequest: () => ({ response: 'from here' }) } });
    const schema = { ...formOf(mainOf({ root: 'local://tides' })), handlers: local };
    expect(await SchemaKit.fetch({ schema, routeName: 'getTides', isolation: 'trusted' })).toMatchObject({
      status: true,
      data: 'from here',
    });
  });
});

test.each([
  [
    'a handler of a tool that does not exist',
    () => ({ getTide: {} }),
    "Handler key 'getTide' does not match any route name",
  ],
  [
    'a factory that throws',
    () => {
      throw new Error('no tides today');
    },
    'no tides today',
  ],
  ['a plain object', {}, 'handlers export must be a function'],
])('%s is reported', async (_what, wrong, message) => {
  const schema = { main: mainOf(), handlers: wrong };
  const { status, messages } = await SchemaKit.fetch({ schema, routeName: 'getTides', isolation: 'trusted' });
  expect([status, messages]).toEqual([false, [message]]);
});

test('lists and libraries require loading the file', async () => {
  const schema = { main: mainOf({ requiredLibraries: ['ethers'] }), handlers };
  expect(await SchemaKit.fetch({ schema, routeName: 'getTides', isolation: 'trusted' })).toMatchObject({
    status: false,
    findings: [{ code: 'VAL090' }],
  });
});
