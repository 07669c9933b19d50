import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legacyToolName, nameTools, toolNames } from './tool-names.ts';

describe('toolNames', () => {
  it('returns all names of a tool', () => {
    expect(toolNames({ namespace: 'coingecko', toolName: 'getSimplePrice', file: 'demo/coins.mjs' })).toEqual({
      mcp: 'coingecko__getSimplePrice',
      cli: 'coingecko_getSimplePrice',
      id: 'coingecko/tool/getSimplePrice',
      legacy: 'get_simple_price_coingecko',
      reference: 'demo/coins.mjs::tool::getSimplePrice',
    });
  });

  it('converts names that are paths', () => {
    const { mcp, cli, id, legacy } = toolNames({ namespace: 'moralis', toolName: '/block/:block_number_or_hash' });
    expect({ mcp, cli, id, legacy }).toEqual({
      mcp: 'moralis__block_block_number_or_hash',
      cli: 'moralis_block_block_number_or_hash',
      id: 'moralis/tool//block/:block_number_or_hash',
      legacy: '_block_block_number_or_hash_moralis',
    });
  });

  it('keeps words of other alphabets readable where it can', () => {
    expect(toolNames({ namespace: 'shop', toolName: 'ünïCafé' }).mcp).toBe('shop__uniCafe');
  });

  it('shortens the older name like older programs', () => {
    const { mcp, legacy } = toolNames({ namespace: 'coin', toolName: `get:Price${'x'.repeat(70)}` });
    expect(legacy).toBe(`getprice${'x'.repeat(54)}`);
    expect(mcp).toHaveLength(64);
  });

  it('leaves a tool a readable name after a long namespace', () => {
    const namespace = 'abcdefghij'.repeat(6);
    const names = ['getPrice', `get${'Price'.repeat(20)}`].map((toolName) => toolNames({ namespace, toolName }).mcp);
    expect(names).toEqual([
      expect.stringMatching(/^(abcdefghij){4}abcde__getPrice_[0-9a-f]{8}$/),
      expect.stringMatching(/^(abcdefghij){2}a__get(Price){5}Pric_[0-9a-f]{8}$/),
    ]);
    const short = toolNames({ namespace: 'shop', toolName: 'a'.repeat(80) }).mcp;
    expect(short).toMatch(/^shop__a{49}_[0-9a-f]{8}$/);
  });
});

const twins = [
  { namespace: 'zvg', toolName: 'search', file: 'b/two.mjs' },
  { namespace: 'zvg', toolName: 'search_2', file: 'c/three.mjs' },
  { namespace: 'zvg', toolName: 'search', file: 'a/one.mjs' },
  { namespace: 'zvg', toolName: '/search', file: 'b/two.mjs' },
];

describe('nameTools', () => {
  it('makes names unique, by the order of the files', () => {
    const { named, findings } = nameTools(twins);
    expect(named.map(({ names }) => names.mcp)).toEqual([
      'zvg__search_3',
      'zvg__search_2',
      'zvg__search',
      'zvg__search_4',
    ]);
    expect(named.map(({ names }) => names.cli)).toEqual(['zvg_search_3', 'zvg_search_2', 'zvg_search', 'zvg_search_4']);
    expect(findings).toEqual([
      {
        code: 'REF005',
        severity: 'warning',
        path: 'zvg__search',
        message:
          '3 tools would be named zvg__search; they are exposed as zvg__search (a/one.mjs), zvg__search_3 (b/two.mjs), zvg__search_4 (b/two.mjs)',
        hint: 'Activate one of them, or rename the tool in one of the schemas.',
      },
    ]);
  });

  it('has no findings if no names collide', () => {
    const { named, findings } = nameTools(twins.slice(1, 3));
    expect(findings).toEqual([]);
    expect(named.map(({ names }) => names.cli)).toEqual(['zvg_search_2', 'zvg_search']);
  });

  const word = fc.oneof(fc.constantFrom('a', 'a_2', 'a_3', '/a', 'b', 'x'.repeat(70)), fc.string());
  const place = fc.record({
    namespace: fc.constantFrom('n', 'm', 'w'.repeat(40)),
    toolName: word,
    file: fc.constantFrom('s/one.mjs', 's/two.mjs', 't/one.mjs'),
  });
  const key = (tool: object) => JSON.stringify(tool);
  const set = fc.uniqueArray(place, { selector: key, maxLength: 40 });

  it('makes unique names that clients accept, for any tools', () => {
    fc.assert(
      fc.property(set, (tools) => {
        const { named } = nameTools(tools);
        const names = named.map(({ names: { mcp } }) => mcp);
        expect(new Set(names).size).toBe(tools.length);
        expect(new Set(named.map(({ names: { cli } }) => cli)).size).toBe(tools.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  it('does not depend on the order of the set', () => {
    const shuffled = set.chain((tools) =>
      fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length })),
    );
    fc.assert(
      fc.property(shuffled, ([tools, others]) => {
        const namesOf = (list: typeof tools) =>
          Object.fromEntries(nameTools(list).named.map(({ tool, names }) => [key(tool), names]));
        expect(namesOf(others)).toEqual(namesOf(tools));
        expect(nameTools(others).findings).toEqual(nameTools(tools).findings);
      }),
    );
  });
});

it.each([
  ['getSimplePrice', 'coingecko', 'get_simple_price_coingecko'],
  ['getURL2Name', 'luksoNetwork', 'get_url2_name_lukso_network'],
  ['/block/:id-hash', 'chain', '_block_id_hash_chain'],
  ['a'.repeat(70), 'shop', 'a'.repeat(63)],
  [`:${'a'.repeat(70)}`, 'shop', 'a'.repeat(62)],
])('the format 1 name of %s in %s is %s', (toolName, namespace, expected) => {
  expect(legacyToolName(namespace, toolName)).toBe(expected);
});
