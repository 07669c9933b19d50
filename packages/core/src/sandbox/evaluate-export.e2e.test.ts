import { afterAll, describe, expect, test } from 'vitest';
import { evaluateExport } from './handler-call.ts';
import { closeHandlerPool } from './handler-pool.ts';

afterAll(closeHandlerPool);

describe('evaluateExport', () => {
  test('returns the bound value as JSON data', async () => {
    const source = `const names = ['a', 'b'].map((name) => name.toUpperCase());
      const main = { names, count: names.length, at: new Date(0) };`;
    expect(await evaluateExport(source, 'main')).toEqual({
      names: ['A', 'B'],
      count: 2,
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  test.each([
    ['statements that throw', '\nthrow new Error("no")', { code: 'FACTORY_THREW', message: 'no', line: 2 }],
    ['nothing bound', 'const other = 1', { code: 'HANDLER_RESULT_INVALID' }],
    ['a loop', 'while (true) {}', { code: 'HANDLER_TIMEOUT' }],
    ['a request', 'fetch("https://api.example")', { code: 'FACTORY_THREW' }],
    ['a text that is no script', 'export const main = {}', { code: 'FACTORY_THREW' }],
  ])('fails for %s', async (_, source, expected) => {
    await expect(evaluateExport(source, 'main', { timeoutMs: 300, namespace: 'demo' })).rejects.toMatchObject({
      ...expected,
      schema: 'demo',
    });
  });

  test('shares no state with the next evaluation', async () => {
    await evaluateExport('globalThis.left = 1; const main = 1', 'main');
    expect(await evaluateExport('const main = typeof left', 'main')).toBe('undefined');
  });
});
