import { afterAll, describe, expect, test } from 'vitest';
import { callHandler, callHook, hookOf, noNetwork, programOf, run } from './fixtures/program.ts';
import { HandlerError } from './handler-error.ts';
import { closeHandlerPool } from './handler-pool.ts';

afterAll(closeHandlerPool);

describe('the argument of a hook', () => {
  test('is what the caller passed, including hidden properties', async () => {
    const program = hookOf(`
      const { struct, payload } = context;
      return {
        url: struct.url, listed: Object.keys(struct), secret: struct.serverParams.KEY,
        all: payload._allParams.id, deep: payload.userParams._allParams.x, copied: { ...payload },
      };`);
    const result = await callHandler({
      program,
      name: 'tool',
      hook: 'executeRequest',
      context: {
        visible: { struct: { url: 'https://api.example' }, payload: { id: 7, userParams: { id: 7 } } },
        hidden: [
          { path: ['struct', 'serverParams'], value: { KEY: 'token' } },
          { path: ['payload', '_allParams'], value: { id: 8 } },
          { path: ['payload', 'userParams', '_allParams'], value: { x: 9 } },
        ],
      },
      fetch: noNetwork,
    });
    expect(result).toEqual({
      url: 'https://api.example',
      listed: ['url'],
      secret: 'token',
      all: 8,
      deep: 9,
      copied: { id: 7, userParams: { id: 7 } },
    });
  });

  test('keeps undefined, dates and bytes', async () => {
    const visible = { none: undefined, at: new Date(0), body: new Uint8Array([1, 2]) };
    const body = `return [Object.keys(context), context.none === undefined, context.at.getTime(), context.body.length]`;
    expect(await run(body, visible)).toEqual([['none', 'at', 'body'], true, 0, 2]);
  });

  test('may be changed by the hook without effect on the caller', async () => {
    const visible = { struct: { url: 'a' } };
    expect(await run(`context.struct.url = 'b'; return context.struct`, visible)).toEqual({ url: 'b' });
    expect(visible).toEqual({ struct: { url: 'a' } });
  });

  test('must be data', async () => {
    await expect(run('return 1', { f: () => 1 })).rejects.toMatchObject({ code: 'HANDLER_ARGUMENT_INVALID' });
  });
});

describe('the hook', () => {
  test.each([
    ['async arrow', 'const handlers = () => ({ tool: { postRequest: async ({ response }) => ({ response }) } });'],
    ['sync arrow', 'const handlers = () => ({ tool: { postRequest: ({ response }) => ({ response }) } });'],
    ['method', 'const handlers = () => ({ tool: { async postRequest({ response }) { return { response } } } });'],
    [
      'function declaration',
      'function handlers() { return { tool: { postRequest: async (c) => ({ response: c.response }) } } }',
    ],
    [
      'async wait',
      'const handlers = () => ({ tool: { postRequest: async (c) => { await new Promise((r) => setTimeout(r, 5)); return { response: c.response } } } });',
    ],
    [
      'this',
      'const handlers = () => ({ tool: { wrap(response) { return { response } }, postRequest({ response }) { return this.wrap(response) } } });',
    ],
  ])('as %s', async (_, source) => {
    const call = { program: programOf(source), name: 'tool', hook: 'postRequest', fetch: noNetwork } as const;
    const context = { visible: { response: [1, 2] }, hidden: [] };
    expect(await callHandler({ ...call, context })).toEqual({ response: [1, 2] });
  });

  test('of a query of a resource', async () => {
    const program = programOf(
      'const handlers = () => ({ shops: { byCity: { postRequest: async () => ({ response: 1 }) } } });',
    );
    const context = { visible: {}, hidden: [] };
    const call = { program, name: 'shops', hook: 'postRequest', context, fetch: noNetwork } as const;
    expect(await callHandler({ ...call, query: 'byCity' })).toEqual({ response: 1 });
    await expect(callHandler({ ...call, query: 'byName' })).rejects.toMatchObject({
      code: 'HANDLER_MISSING',
      tool: 'shops.byName',
    });
  });

  test('can use constants of the module and values computed once by the factory', async () => {
    const program = programOf(
      `
      const BASE = 'x';
      let made = 0;
      const handlers = ({ sharedLists }) => {
        made += 1;
        const names = new Set(sharedLists.chains.map(({ alias }) => alias));
        return { tool: { executeRequest: async () => ({ base: BASE, made, names }) } };
      };`,
      { sharedLists: { chains: [{ alias: 'ETHEREUM' }, { alias: 'BASE' }] } },
    );
    await callHook(program);
    expect(await callHook(program)).toEqual({ base: 'x', made: 1, names: ['ETHEREUM', 'BASE'] });
  });

  test('cannot change shared lists', async () => {
    const program = hookOf(
      `const tries = [() => { sharedLists.a.push(1) }, () => { sharedLists.a[0].x = 2 }, () => { sharedLists.b = [] }];
       return tries.map((attempt) => { try { attempt(); return 'changed' } catch (error) { return error.name } })`,
      { sharedLists: { a: [{ x: 1 }] } },
    );
    expect(await callHook(program)).toEqual(['TypeError', 'TypeError', 'TypeError']);
  });

  test('with equal source but other lists is another program', async () => {
    const one = hookOf('return sharedLists.a', { sharedLists: { a: [1] } });
    const two = hookOf('return sharedLists.a', { sharedLists: { a: [2] } });
    expect([await callHook(one), await callHook(two)]).toEqual([[1], [2]]);
  });

  test('writes to its console as log messages', async () => {
    const logged: [string, string][] = [];
    const onLog = (level: string, text: string): void => {
      logged.push([level, text]);
    };
    await run(
      `console.log('count', 3, { a: 1n }); console.warn('careful'); console.error(new Error('bad'));`,
      {},
      { onLog },
    );
    expect(logged).toEqual([
      ['info', 'count 3 {"a":"1"}'],
      ['warn', 'careful'],
      ['error', '{"name":"Error","message":"bad"}'],
    ]);
  });

  test('runs 32 times at once', async () => {
    const program = hookOf('await new Promise((r) => setTimeout(r, context.wait)); return context.id');
    const ids = Array.from({ length: 32 }, (_, id) => id);
    expect(await Promise.all(ids.map((id) => callHook(program, { id, wait: 32 - id })))).toEqual(ids);
  });
});

describe('what a hook returns', () => {
  test('is plain data', async () => {
    const body = `
      class Price { constructor() { this.wei = 10n } get shown() { return 1 } }
      return { price: new Price(), at: new Date(0), map: new Map([['a', 1]]), bytes: new TextEncoder().encode('hi'), f() {}, u: undefined }`;
    expect(await run(body)).toEqual({
      price: { wei: '10' },
      at: '1970-01-01T00:00:00.000Z',
      map: { a: 1 },
      bytes: 'aGk=',
    });
  });

  test.each([
    ['undefined', 'return undefined', undefined],
    ['null', 'return null', null],
    ['a text', `return '\\u2028 ü'`, '\u2028 ü'],
  ])('may be %s', async (_, body, expected) => {
    expect(await run(body)).toBe(expected);
  });

  test('is refused when it is too large', async () => {
    await expect(run(`return 'x'.repeat(11 * 1024 * 1024)`)).rejects.toMatchObject({
      code: 'HANDLER_RESULT_TOO_LARGE',
    });
  });

  test('is refused when it cannot be read', async () => {
    await expect(run(`return { get x() { throw 1 } }`)).rejects.toMatchObject({ code: 'HANDLER_RESULT_INVALID' });
  });

  test('cannot be a thenable that runs here', async () => {
    expect(await run(`return { data: { then: (resolve) => resolve('ran') } }`)).toEqual({ data: {} });
  });
});

describe('a failure', () => {
  test('says what was thrown, where, and on which line', async () => {
    const program = programOf(`const handlers = () => ({
  tool: {
    preRequest: async ({ struct }) => {
      const inner = () => struct.missing.field;
      return inner();
    },
  },
});`);
    const call = {
      program,
      name: 'tool',
      hook: 'preRequest',
      context: { visible: { struct: {} }, hidden: [] },
    } as const;
    const error: unknown = await callHandler({ ...call, fetch: noNetwork }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HandlerError);
    expect(error).toMatchObject({
      code: 'HANDLER_THREW',
      // Each engine has words of its own.
      message: expect.stringMatching(/^TypeError: cannot read propert.* 'field'|^TypeError: Cannot read .*'field'/),
      line: 4,
      schema: 'demo',
      tool: 'tool',
      hook: 'preRequest',
    });
  });

  test('keeps its line after a wait', async () => {
    const error = run(`\n\nawait null;\nthrow new Error('late')`);
    await expect(error).rejects.toMatchObject({ message: 'late', line: 4 });
  });

  test.each([
    ['a text', `throw 'text'`, 'text'],
    ['an object', `throw { code: 5 }`, '{"code":5}'],
    ['nothing', `throw undefined`, 'undefined'],
    ['a symbol', `throw Symbol('s')`, 'Symbol(s)'],
    ['an error of a class', `class Bad extends Error { name = 'Bad' } throw new Bad('x')`, 'Bad: x'],
    [
      'something hostile',
      `throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })`,
      'Something was thrown that cannot be described.',
    ],
    [
      'an error with a hostile message',
      `throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })`,
      'Something was thrown that cannot be described.',
    ],
  ])('describes %s', async (_, body, message) => {
    await expect(run(body)).rejects.toMatchObject({ code: 'HANDLER_THREW', message });
  });

  test('caps long messages', async () => {
    const error = await run(`throw new Error('x'.repeat(1e6))`).catch((thrown: Error) => thrown);
    expect((error as Error).message).toMatch(/^x{2000}…$/);
  });

  test('in a timer is one of the call', async () => {
    const body = `setTimeout(() => { throw new Error('in a timer') }, 1); await new Promise(() => {})`;
    await expect(run(body)).rejects.toMatchObject({ code: 'HANDLER_THREW', message: 'in a timer' });
  });

  test('in a promise that nobody awaits is one of the call', async () => {
    const body = `Promise.reject(new Error('left behind')); await new Promise(() => {})`;
    await expect(run(body)).rejects.toMatchObject({ code: 'HANDLER_THREW', message: 'left behind' });
  });

  test.each([
    ['statements that throw', `throw new Error('at once');`, { code: 'FACTORY_THREW', message: 'at once', line: 1 }],
    [
      'a factory that throws',
      `\nconst handlers = () => { throw new TypeError('no list') };`,
      { code: 'FACTORY_THREW', message: 'TypeError: no list', line: 2 },
    ],
    ['no handlers', `const other = 1;`, { code: 'FACTORY_INVALID', message: 'handlers export must be a function' }],
    [
      'handlers as an object',
      `const handlers = {};`,
      { code: 'FACTORY_INVALID', message: 'handlers export must be a function' },
    ],
    [
      'a factory that returns an array',
      `const handlers = () => [];`,
      { code: 'FACTORY_INVALID', message: 'Factory must return a plain object' },
    ],
    [
      'an async factory',
      `const handlers = async () => ({});`,
      { code: 'FACTORY_INVALID', message: 'Factory must return a plain object' },
    ],
    ['a missing tool', `const handlers = () => ({});`, { code: 'HANDLER_MISSING' }],
    ['an inherited tool', `const handlers = () => ({ __proto__: { tool: { executeRequest() {} } } });`, {}],
    ['a syntax error', `const handlers = () => {`, { code: 'FACTORY_THREW' }],
  ])('is reported for %s', async (_, source, expected) => {
    await expect(callHook(programOf(source))).rejects.toMatchObject(expected);
  });
});
