import { afterAll, describe, expect, test } from 'vitest';
import { programOf } from './fixtures/program.ts';
import { describeHandlers } from './handler-call.ts';
import { closeHandlerPool } from './handler-pool.ts';

afterAll(closeHandlerPool);

describe('describeHandlers', () => {
  test('lists the hooks of tools and the queries of resources', async () => {
    const program = programOf(`
      const both = { preRequest: async () => {}, postRequest: async () => {} };
      const handlers = () => ({
        getPrice: both,
        ['get' + 'Name']: { postProcess() {}, note: 'text' },
        shops: { byCity: { postRequest: async () => {} }, byName: {} },
        nothing: {},
        none: null,
      });`);
    expect(await describeHandlers(program)).toEqual({
      getPrice: ['preRequest', 'postRequest'],
      getName: ['postProcess'],
      shops: ['byCity'],
      nothing: [],
      none: [],
    });
  });

  test('is aborted by its signal', async () => {
    const program = programOf('for (;;); const handlers = () => ({});');
    await expect(describeHandlers(program, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
      code: 'HANDLER_ABORTED',
    });
  });

  test('reports why a factory cannot be described', async () => {
    const program = programOf('const handlers = ({ sharedLists }) => ({ x: sharedLists.missing.length });');
    await expect(describeHandlers(program)).rejects.toMatchObject({ code: 'FACTORY_THREW', schema: 'demo', line: 1 });
  });
});
