import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReference, type Reference } from './parse-reference.ts';

/** Writes a reference in its longest form. */
function formatReference(reference: Reference): string {
  switch (reference.form) {
    case 'file': {
      const { source, file, part } = reference;
      return part === undefined ? `${source}/${file}` : `${source}/${file}::${part.type}::${part.name}`;
    }
    case 'id': {
      const { namespace, file, type, name } = reference;
      if (file !== undefined) return `${namespace}/${file}::${type ?? 'tool'}::${name}`;
      return type === undefined ? `${namespace}/${name}` : `${namespace}/${type}/${name}`;
    }
    case 'name':
      return reference.name;
  }
}

function codesOf(text: unknown, options?: { fullId: boolean }): string[] {
  const { status, reference, findings } = parseReference(text, options);
  expect(status).toBe(false);
  expect(reference).toBeNull();
  return findings.map(({ code }) => code);
}

describe('parseReference', () => {
  it.each<[string, Reference]>([
    ['demo/ping.mjs', { form: 'file', source: 'demo', file: 'ping.mjs' }],
    ['community/coin-gecko/a.mjs', { form: 'file', source: 'community', file: 'coin-gecko/a.mjs' }],
    [
      'demo/ping.mjs::tool::ping',
      { form: 'file', source: 'demo', file: 'ping.mjs', part: { type: 'tool', name: 'ping' } },
    ],
    [
      'demo/a.mjs::resource::rows',
      { form: 'file', source: 'demo', file: 'a.mjs', part: { type: 'resource', name: 'rows' } },
    ],
    [
      'demo/a.mjs::skill::find-it',
      { form: 'file', source: 'demo', file: 'a.mjs', part: { type: 'skill', name: 'find-it' } },
    ],
    ['demo/a.mjs::ping', { form: 'file', source: 'demo', file: 'a.mjs', part: { type: 'tool', name: 'ping' } }],
    ['demo/a.mjs::tool', { form: 'file', source: 'demo', file: 'a.mjs', part: { type: 'tool', name: 'tool' } }],
    [
      'demo/a.mjs::/:address/x',
      { form: 'file', source: 'demo', file: 'a.mjs', part: { type: 'tool', name: '/:address/x' } },
    ],
    ['coingecko/tool/getPrice', { form: 'id', namespace: 'coingecko', type: 'tool', name: 'getPrice' }],
    ['open-meteo/resource/rows', { form: 'id', namespace: 'open-meteo', type: 'resource', name: 'rows' }],
    ['coingecko/prompt/about', { form: 'id', namespace: 'coingecko', type: 'prompt', name: 'about' }],
    ['coingecko/skill/look-up', { form: 'id', namespace: 'coingecko', type: 'skill', name: 'look-up' }],
    ['shared/list/evmChains', { form: 'id', namespace: 'shared', type: 'list', name: 'evmChains' }],
    ['moralis/tool//block/:id', { form: 'id', namespace: 'moralis', type: 'tool', name: '/block/:id' }],
    [
      'coingecko/prices::getPrice',
      { form: 'id', namespace: 'coingecko', file: 'prices', type: 'tool', name: 'getPrice' },
    ],
    ['etsi/files::skill::find', { form: 'id', namespace: 'etsi', file: 'files', type: 'skill', name: 'find' }],
    ['coingecko__getPrice', { form: 'name', name: 'coingecko__getPrice' }],
    ['coingecko_getPrice', { form: 'name', name: 'coingecko_getPrice' }],
    ['get_price_coingecko', { form: 'name', name: 'get_price_coingecko' }],
    ['  getPrice ', { form: 'name', name: 'getPrice' }],
  ])('reads %s', (text, reference) => {
    expect(parseReference(text)).toEqual({ status: true, messages: [], findings: [], reference });
  });

  it('accepts names with any character except control characters', () => {
    for (const name of ['a\u2028b', 'ä ö', '{x}?']) {
      expect(parseReference(`demo/a.mjs::${name}`).reference).toMatchObject({ part: { name } });
      expect(parseReference(`coingecko/tool/${name}`).reference).toMatchObject({ name });
    }
  });

  it('warns about an id without a type', () => {
    const { status, reference, findings } = parseReference('coingecko/getPrice', { path: 'agent.tools' });
    expect({ status, reference }).toEqual({
      status: true,
      reference: { form: 'id', namespace: 'coingecko', name: 'getPrice' },
    });
    expect(findings).toEqual([
      {
        code: 'ID005',
        severity: 'warning',
        path: 'agent.tools',
        message: '"coingecko/getPrice" has no type',
        hint: 'Write coingecko/tool/getPrice.',
      },
    ]);
  });

  it.each([
    ['', 'REF001'],
    ['   ', 'REF001'],
    [undefined, 'REF001'],
    [{}, 'REF001'],
    ['two words', 'REF001'],
    ['a::b', 'REF001'],
    ['line\nbreak/tool/x', 'REF001'],
    ['ping.mjs', 'REF002'],
    ['ping.mjs::ping', 'REF002'],
    ['/etc/ping.mjs', 'REF002'],
    ['demo/../../ping.mjs', 'REF002'],
    ['./ping.mjs', 'REF002'],
    ['demo//ping.mjs', 'REF002'],
    ['demo\\x/ping.mjs', 'REF002'],
    ['C:/x/ping.mjs', 'REF002'],
    ['demo/a.mjs::tols::ping', 'REF003'],
    ['etsi/files::tols::ping', 'REF003'],
    ['demo/a.mjs::', 'REF004'],
    ['demo/a.mjs::skill:: ', 'REF004'],
    ['Coin/tool/x', 'ID002'],
    ['1inch/tool/x', 'ID002'],
    ['/tool/x', 'ID002'],
    ['coingecko/tols/x', 'ID003'],
    ['moralis//block/x', 'ID003'],
    ['coingecko/', 'ID004'],
    ['coingecko/tool/', 'ID004'],
    ['coingecko/::x', 'ID004'],
  ])('refuses %j with %s', (text, code) => expect(codesOf(text)).toEqual([code]));

  it.each([
    ['getPrice', 'ID001'],
    ['coingecko/getPrice', 'ID006'],
    ['coingecko/prices::getPrice', 'ID006'],
    ['coingecko/Tool/getPrice', 'ID003'],
  ])('refuses %j where a full id is needed', (text, code) => expect(codesOf(text, { fullId: true })).toEqual([code]));

  it('accepts a full id if one is required', () => {
    expect(parseReference('coingecko/tool/getPrice', { fullId: true }).status).toBe(true);
  });

  it('refuses text that is too long', () => {
    expect(codesOf('a/'.repeat(600))).toEqual(['REF001']);
  });

  it('suggests the probable name', () => {
    expect(parseReference('demo/a.mjs::tools::ping').findings[0]?.hint).toBe('Did you mean tool?');
    expect(parseReference('coingecko/skil/ping').findings[0]?.hint).toBe('Did you mean skill?');
  });

  const namespace = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
  const segment = fc.stringMatching(/^[A-Za-z0-9_@-]{1,8}$/);
  const file = fc.array(segment, { minLength: 1, maxLength: 3 }).map((path) => `${path.join('/')}.mjs`);
  const anyName = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((name) => name.trim() === name && !/\.mjs(::|$)|\p{Cc}/u.test(name));
  const type = fc.constantFrom('tool', 'resource', 'prompt', 'skill');
  const reference = fc.oneof(
    fc.record({ form: fc.constant('file'), source: segment, file }),
    fc.record({ form: fc.constant('file'), source: segment, file, part: fc.record({ type, name: anyName }) }),
    fc.record({ form: fc.constant('id'), namespace, type: fc.oneof(type, fc.constant('list')), name: anyName }),
    fc.record({ form: fc.constant('id'), namespace, type, name: anyName, file: segment }),
    fc.record({ form: fc.constant('id'), namespace, name: segment }),
    fc.record({ form: fc.constant('name'), name: segment }),
  ) as fc.Arbitrary<Reference>;

  it('reads what formatReference writes', () => {
    fc.assert(
      fc.property(reference, (written) => {
        expect(parseReference(formatReference(written)).reference).toEqual(written);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, and returns references that can be formatted and parsed again', () => {
    const pieces = fc.constantFrom('a', 'tool', 'x.mjs', '::', '/', ':', '..', ' ', 'skill', '__', '\u2028');
    const text = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { status, reference: read } = parseReference(given);
        expect(status).toBe(read !== null);
        if (read) expect(parseReference(formatReference(read)).reference).toEqual(read);
      }),
      { numRuns: 1000 },
    );
  });
});
