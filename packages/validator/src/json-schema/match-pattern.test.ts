import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesPattern } from './match-pattern.ts';
import { readPattern } from './pattern.ts';

function isMatch(pattern: string, text: string): boolean | undefined {
  const read = readPattern(pattern);
  return read && matchesPattern(read, text, { left: 1_000_000 });
}

/** Patterns of ECMAScript, with no group that is referred to. */
const patterns: fc.Arbitrary<string> = fc.letrec<{ pattern: string; unit: string; sequence: string }>((tie) => ({
  unit: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '1',
      '.',
      '\\d',
      '\\w',
      '\\W',
      '[ab]',
      '[^a]',
      '[\\d_-]',
      '\\p{L}',
      '\\u0061',
      '\\x31',
      '^',
      '$',
      '\\b',
      '\\B',
      '\\.',
      '-',
    ),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
  sequence: fc
    .array(fc.tuple(tie('unit'), fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,2}', '{2,}', '*?')), {
      maxLength: 4,
    })
    .map((units) =>
      units.map(([unit, repeat]) => (/^(?:\^|\$|\\[bB]|\(\?<?[=!])/.test(unit) ? unit : unit + repeat)).join(''),
    ),
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
})).pattern;

it('matches as ECMAScript does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '-', '_', ' ', 'é', '\n'), maxLength: 8 });
  fc.assert(
    fc.property(patterns, text, (pattern, value) => {
      fc.pre((pattern.match(/\(\?<n>/g) ?? []).length < 2);
      expect(isMatch(pattern, value), JSON.stringify([pattern, value])).toBe(new RegExp(pattern, 'u').test(value));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['^(a|b)\\1$', 'aa', true],
  ['^(a|b)\\1$', 'ab', false],
  ['^(?<y>\\d{2})-\\k<y>$', '24-24', true],
  ['^(?P<y>\\d)$', '4', true],
  ['^(?i)abc\\Z', 'aBC', true],
  ['^[\\w-.]+$', 'a-.', true],
  ['^\\p{Emoji_Presentation}$', '😀', true],
  ['^.{3}$', '😀é1', true],
])('%s on %s: %s', (pattern, text, expected) => {
  expect(isMatch(pattern, text)).toBe(expected);
});

it.each(['(', 'a)', '[z-a]', '*', '(?x:a)', '('.repeat(100)])('%s cannot be read', (pattern) => {
  expect(readPattern(pattern)).toBeUndefined();
});
