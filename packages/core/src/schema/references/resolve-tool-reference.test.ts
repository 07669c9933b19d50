import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolResolver, resolveToolReference } from './resolve-tool-reference.ts';
import { nameTools } from './tool-names.ts';

const price = { namespace: 'coingecko', toolName: 'getPrice', file: 'community/coingecko-com/prices.mjs' };
const trending = { namespace: 'coingecko', toolName: 'listTrending', file: 'community/coingecko-com/prices.mjs' };
const block = {
  namespace: 'moralis',
  toolName: '/block/:id',
  file: '/home/me/schemas/community/moralis-com/blocks.mjs',
};
const search = { namespace: 'zvg', toolName: 'search', file: 'community/zvg/a.mjs' };
const searchToo = { namespace: 'zvg', toolName: 'search', file: 'community/zvg/b.mjs' };
const ping = { namespace: 'demo', toolName: 'ping' };
const tools = [price, trending, block, searchToo, search, ping];

describe('resolveToolReference', () => {
  it.each([
    ['coingecko__getPrice', price],
    ['coingecko_getPrice', price],
    ['get_price_coingecko', price],
    ['coingecko/tool/getPrice', price],
    ['coingecko/getPrice', price],
    ['coingecko-com/tool/getPrice', price],
    ['coingecko-com_getPrice', price],
    ['coingecko/prices::getPrice', price],
    ['community/coingecko-com/prices.mjs::tool::getPrice', price],
    ['community/coingecko-com/prices.mjs::getPrice', price],
    ['getPrice', price],
    ['moralis__block_id', block],
    ['moralis_block_id', block],
    ['moralis/tool//block/:id', block],
    ['community/moralis-com/blocks.mjs::/block/:id', block],
    ['zvg_search', search],
    ['zvg__search_2', searchToo],
    ['zvg/b::search', searchToo],
    ['community/zvg/b.mjs', searchToo],
    ['ping', ping],
  ])('finds %s', (text, tool) => {
    const { status, outcome, tools: found } = resolveToolReference(text, tools);
    expect({ status, outcome, found }).toEqual({ status: true, outcome: 'match', found: [tool] });
  });

  it('finds all tools of a file', () => {
    expect(resolveToolReference('community/coingecko-com/prices.mjs', tools)).toMatchObject({
      outcome: 'match',
      tools: [price, trending],
    });
  });

  it('uses the given folder', () => {
    const own = [{ ...ping, folder: 'demo-com' }];
    expect(resolveToolReference('demo-com/tool/ping', own).tools).toEqual(own);
    expect(resolveToolReference('demo-com/tool/ping', [ping]).outcome).toBe('none');
  });

  it.each(['zvg/tool/search', 'zvg/search', 'search'])('lists the candidates if %s is ambiguous', (text) => {
    const { status, outcome, tools: found, findings } = resolveToolReference(text, tools);
    expect({ status, outcome, found }).toEqual({ status: false, outcome: 'ambiguous', found: [searchToo, search] });
    expect(findings).toMatchObject([
      {
        code: 'REF007',
        hint: 'Write one of "community/zvg/a.mjs::tool::search", "community/zvg/b.mjs::tool::search".',
      },
    ]);
  });

  it('distinguishes files of two sources', () => {
    const two = [
      { ...ping, file: '/a/demo/ping.mjs' },
      { ...ping, file: '/b/demo/ping.mjs' },
    ];
    expect(resolveToolReference('demo/ping.mjs', two).outcome).toBe('ambiguous');
    expect(resolveToolReference('demo/ping.mjs', [...two, { ...ping, file: 'demo/ping.mjs' }]).outcome).toBe('match');
  });

  it('prefers a displayed name to the older name of another tool', () => {
    const odd = [
      { namespace: 'coin', toolName: 'ping' },
      { namespace: 'ping', toolName: 'coin' },
    ];
    expect(resolveToolReference('ping_coin', odd).tools).toEqual([odd[1]]);
  });

  it.each([
    ['coingecko_getPrise', 'Did you mean coingecko_getPrice?'],
    ['coingeko/tool/getPrice', 'Did you mean coingecko/tool/getPrice?'],
    ['community/zvg/a.mjs::tool::serch', 'Did you mean community/zvg/a.mjs::tool::search?'],
    ['weather_forecast', 'Search for tools to see their names.'],
  ])('says of %s what may have been meant', (text, hint) => {
    expect(resolveToolReference(text, tools)).toMatchObject({
      status: false,
      outcome: 'none',
      tools: [],
      findings: [{ code: 'REF006', hint }],
    });
  });

  it('reports a reference to something other than a tool', () => {
    for (const text of ['community/zvg/a.mjs::skill::search', 'zvg/resource/search']) {
      expect(resolveToolReference(text, tools)).toMatchObject({ outcome: 'none', findings: [{ code: 'REF008' }] });
    }
  });

  it('passes on errors of the reference itself', () => {
    expect(resolveToolReference('two words', tools)).toMatchObject({ outcome: 'none', findings: [{ code: 'REF001' }] });
    expect(resolveToolReference('coingecko/getPrice', tools)).toMatchObject({ findings: [{ code: 'ID005' }] });
  });

  it('finds each tool of a set by its displayed names', () => {
    const place = fc.record({
      namespace: fc.stringMatching(/^[a-c]{1,2}$/),
      toolName: fc.oneof(fc.stringMatching(/^[a-c]{1,2}(_[23])?$/), fc.stringMatching(/^[/:a-c]{1,70}$/)),
      file: fc.constantFrom('s/one.mjs', 's/two.mjs'),
    });
    const set = fc.uniqueArray(place, { selector: (tool) => JSON.stringify(tool), maxLength: 30 });
    fc.assert(
      fc.property(set, (all) => {
        const resolve = createToolResolver(all);
        for (const { tool, names } of nameTools(all).named) {
          expect(resolve(names.mcp).tools).toEqual([tool]);
          expect(resolve(names.cli).tools).toEqual([tool]);
          expect(resolve(names.id).tools).toContain(tool);
          expect(resolve(names.reference ?? '').tools).toContain(tool);
        }
      }),
    );
  });
});
