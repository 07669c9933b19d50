import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { indexOf, parameter, schemaText } from './fixtures/schema-files.ts';
import type { ToolIndex } from './tool-index.ts';

async function namesFound(index: ToolIndex, query: string): Promise<string[]> {
  const { tools } = await index.search(query, { limit: 100 });
  return tools.map(({ name }) => name);
}

describe('search', () => {
  test('ranks matches by the part of the tool', async () => {
    const list = `export const list = { meta: { name: 'berths', version: '1.0.0', description: 'x', fields: [{ key: 'alias', type: 'string', description: 'x' }] }, entries: [{ alias: 'harbour' }] };`;
    const index = await indexOf({
      'a.mjs': schemaText('harbour', { first: 'x' }),
      'b.mjs': schemaText('bb', { harbourList: 'x' }),
      'c.mjs': schemaText('cc', { third: 'x' }, { tags: ['harbour'] }),
      'd.mjs': schemaText(
        'dd',
        { fourth: { parameters: [parameter('berth', 'enum({{berths:alias}})')] } },
        { sharedLists: [{ ref: 'berths', version: '1.0.0' }] },
      ),
      'e.mjs': schemaText('ee', { fifth: 'x' }, { name: 'Harbour API' }),
      'f.mjs': schemaText('ff', { sixth: 'Ships in a harbour' }),
      'g.mjs': schemaText('gg', { seventh: { parameters: [parameter('harbour')] } }),
      '_lists/berths.mjs': list,
    });
    expect(await namesFound(index, 'harbour')).toEqual([
      'harbour_first',
      'bb_harbourList',
      'cc_third',
      'dd_fourth',
      'ee_fifth',
      'ff_sixth',
      'gg_seventh',
    ]);
  });

  test('requires every word, in any part', async () => {
    const index = await indexOf({
      'a.mjs': schemaText('coins', { simplePrice: 'The price now', history: 'Prices of a year' }),
      'b.mjs': schemaText('metals', { simplePrice: 'The price now' }),
    });
    expect(await namesFound(index, 'coins price')).toEqual(['coins_simplePrice', 'coins_history']);
    expect(await namesFound(index, 'metals history')).toEqual([]);
    const { unknownWords } = await index.search('coins weather');
    expect(unknownWords).toEqual(['weather']);
  });

  test('ignores stop words, unless there are no others', async () => {
    const index = await indexOf({ 'a.mjs': schemaText('coins', { price: 'Price', whatIs: 'Explains' }) });
    expect(await namesFound(index, 'what is the price of a coin')).toEqual(['coins_price']);
    expect(await namesFound(index, 'what is')).toEqual(['coins_whatIs']);
  });

  test('finds words by prefixes, and with typos', async () => {
    const index = await indexOf({ 'a.mjs': schemaText('coingecko', { getTransactions: 'Transfers' }) });
    for (const query of ['coing', 'coingeko', 'conigecko', 'coinGecko', 'trans', 'trnsactios', 'TRANSFERS']) {
      expect(await namesFound(index, query), query).toEqual(['coingecko_getTransactions']);
    }
    for (const query of ['coal', 'gecko', 'goingegg', 'action-hero'])
      expect(await namesFound(index, query), query).toEqual([]);
  });

  test('ranks a tool first if one of its names is searched', async () => {
    const index = await indexOf({
      'a.mjs': schemaText('openmeteo', {
        forecast: 'x',
        forecastDaily: 'x',
        forecastDailyRain: 'Forecast of openmeteo, daily',
      }),
    });
    const names = ['openmeteo_forecastDaily', 'openmeteo__forecastDaily', 'OpenMeteo forecastdaily', 'forecastDaily'];
    for (const name of names) expect((await namesFound(index, name))[0], name).toBe('openmeteo_forecastDaily');
    expect((await namesFound(index, 'openmeteo_forecast'))[0]).toBe('openmeteo_forecast');
    expect(await namesFound(index, 'open-meteo rain')).toEqual(['openmeteo_forecastDailyRain']);
  });

  test('finds tools by the names of chains and countries in their lists', async () => {
    const list = `export const list = { meta: { name: 'chains', version: '1.0.0', description: 'x', fields: [{ key: 'alias', type: 'string', description: 'x' }, { key: 'id', type: 'number', description: 'x' }] }, entries: [{ alias: 'POLYGON_MAINNET', id: 137 }] };`;
    const index = await indexOf({
      'a.mjs': schemaText(
        'gas',
        { price: { parameters: [parameter('chain', 'enum({{chains:id}})')] }, history: 'Without a chain' },
        { sharedLists: [{ ref: 'chains', version: '1.0.0' }] },
      ),
      '_lists/chains.mjs': list,
    });
    expect(await namesFound(index, 'polygon')).toEqual(['gas_price']);
    expect(await namesFound(index, '137')).toEqual(['gas_price']);
    const [tool] = index.tools();
    expect(tool?.parameters).toEqual({ chain: { type: 'enum', required: true, values: ['137'] } });
  });

  test('reports missing secrets, if the available ones are given', async () => {
    const index = await indexOf({
      'a.mjs': schemaText('shop', { orders: 'Orders' }, { requiredServerParams: ['SHOP_KEY', 'SHOP_ID'] }),
      'b.mjs': schemaText('free', { orders: 'Orders' }),
    });
    const missing = async (available?: string[]) =>
      (await index.search('orders', available && { available })).tools.map((tool) => [tool.name, tool.missing]);
    expect(await missing(['SHOP_ID'])).toEqual([
      ['free_orders', []],
      ['shop_orders', ['SHOP_KEY']],
    ]);
    expect(await missing()).toEqual([
      ['free_orders', undefined],
      ['shop_orders', undefined],
    ]);
  });

  test('returns ten tools or the requested number, and the number of matches', async () => {
    const tools = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`part${index}`, 'x']));
    const index = await indexOf({ 'a.mjs': schemaText('parts', tools) });
    const counts = async (limit?: number) => {
      const { matchCount, showing, tools: found } = await index.search('parts', limit === undefined ? {} : { limit });
      return [matchCount, showing, found.length];
    };
    expect(await counts()).toEqual([25, 10, 10]);
    expect(await counts(3)).toEqual([25, 3, 3]);
    expect(await counts(100)).toEqual([25, 25, 25]);
    expect(await counts(0)).toEqual([25, 0, 0]);
    expect(await counts(-1)).toEqual([25, 0, 0]);
  });
});

const odd: Record<string, string> = {
  punctuation: 'c++',
  'a quote': '"',
  'an injection': `'; DROP TABLE tools; --`,
  'a function of a full-text index': 'NEAR(a b)',
  'its operators': 'a OR b NOT c',
  'its symbols': '* ^ : {} -',
  'emoji that are joined': '🚀👩‍🚀',
  'a null character': '\0\u{ffff}',
  'wildcards of SQL': '%_',
  'a long word': 'x'.repeat(10_000),
  'many words': Array.from({ length: 2_500 }, (_, index) => `w${index}`).join(' '),
  'half a character': '\ud800',
};

describe('unusual queries', () => {
  let index: ToolIndex;
  beforeAll(async () => {
    index = await indexOf({
      'a.mjs': schemaText('coins', { simplePrice: 'Price of c++ "tools" 🚀', x: 'y' }, { tags: ['c++', '🚀'] }),
    });
  });

  test.each(Object.entries(odd))('%s does not fail', async (_, text) => {
    await expect(index.search(text)).resolves.toMatchObject({ query: text });
    expect(index.complete(text)).toBeInstanceOf(Array);
    await expect(index.find(text)).resolves.toMatchObject({ status: expect.any(Boolean) });
  });

  test('no text fails', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.string(),
      fc.constantFrom(...Object.values(odd)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        const { matchCount, tools } = await index.search(query, { available: [] });
        expect(tools.length).toBeLessThanOrEqual(matchCount);
        index.complete(query);
      }),
    );
  });

  test('symbols other than punctuation are words', async () => {
    expect(await namesFound(index, '🚀 coins simple')).toEqual(['coins_simplePrice']);
    expect(await namesFound(index, 'c++ coins')).toHaveLength(2);
  });
});
