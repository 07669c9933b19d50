import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, isEcmaScriptPattern } from './pattern.ts';

function matches(pattern: string, value: string): boolean {
  const compiled = compilePattern(pattern);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled.matches(value);
}

describe('compilePattern', () => {
  it.each([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^0x[a-fA-F0-9]{40}$', `0x${'aB'.repeat(20)}`, true],
    ['^0x[a-fA-F0-9]{40}$', `0x${'aB'.repeat(20)}\n`, false],
    ['^NCT\\d{8}$', 'NCT01234567', true],
    ['^\\u0041\\/[^]$', 'A/\n', true],
    ['^(?<year>\\d{4})$', '2024', true],
    ['^.$', '😀', true],
    ['(?i)^btc$', 'BTC', true],
  ])('matches as RegExp does: %s', (pattern, value, expected) => expect(matches(pattern, value)).toBe(expected));

  it('agrees with RegExp on patterns that both understand', () => {
    const atom = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '[ab]', '[^a]', '(?:ab|b)', '(a)', '\\-', '\\.');
    const piece = fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '+?'))
      .map((parts) => parts.join(''));
    const pattern = fc
      .tuple(fc.constantFrom('', '^'), fc.array(piece, { maxLength: 5 }), fc.constantFrom('', '$', '|b$'))
      .map(([start, pieces, end]) => start + pieces.join('') + end);
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab1.\- _]{0,8}$/), (source, value) => {
        expect(matches(source, value)).toBe(new RegExp(source).test(value));
      }),
    );
  });

  it('takes linear time for patterns that would freeze a backtracking engine', () => {
    const value = `${'a'.repeat(50_000)}!`;
    for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '^([a-z]+-?)+x$', '(.*)*=$']) {
      expect(matches(pattern, value)).toBe(false);
    }
    expect(matches('(a+)+$', 'a'.repeat(50_000))).toBe(true);
  });

  it('does not match when pattern and value together are too large', () => {
    expect(matches('^(?:\\pL|\\pN){900}$', 'a'.repeat(900))).toBe(true);
    expect(matches('(?:\\pL|\\pN){900}$', 'a'.repeat(1_000_000))).toBe(false);
    expect(matches('^a+$', 'a'.repeat(1_000_000))).toBe(true);
  });

  it('reports patterns that it cannot run', () => {
    const patterns = [
      '(?=a)b',
      '(?<!a)b',
      '(a)\\1',
      '(?<n>a)\\k<n>',
      'a{1001}',
      '[a-z',
      '(?:a{100}b{100}c{100}){30}',
      'a'.repeat(2001),
      '('.repeat(1500),
    ];
    expect(
      patterns.map((pattern) => `${pattern.slice(0, 30)}: ${JSON.stringify(compilePattern(pattern))}`),
    ).toMatchInlineSnapshot(`
      [
        "(?=a)b: {"problem":"has a look-around, which cannot be matched in linear time"}",
        "(?<!a)b: {"problem":"has a look-around, which cannot be matched in linear time"}",
        "(a)\\1: {"problem":"has a back-reference, which cannot be matched in linear time"}",
        "(?<n>a)\\k<n>: {"problem":"has a back-reference, which cannot be matched in linear time"}",
        "a{1001}: {"problem":"cannot be read: invalid repeat count: \`{1001}\`"}",
        "[a-z: {"problem":"cannot be read: missing closing ]: \`[a-z\`"}",
        "(?:a{100}b{100}c{100}){30}: {"problem":"cannot be read: invalid repeat count: \`{30}\`"}",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {"problem":"is longer than 2000 characters"}",
        "((((((((((((((((((((((((((((((: {"problem":"cannot be read: missing closing ): \`((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((…"}",
      ]
    `);
  });

  it('does not treat an escaped backslash before a digit as a back-reference', () => {
    expect(matches('^\\\\1$', '\\1')).toBe(true);
  });

  it('keeps working if more patterns are in use than are cached', () => {
    const compiled = Array.from({ length: 300 }, (_, index) => compilePattern(`^${index}$`));
    compiled.forEach((pattern, index) => {
      expect('matches' in pattern && pattern.matches(String(index))).toBe(true);
    });
  });

  it('accepts any text without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[()[\]{}?*+\\^$|a:<>=!,0-9-]{0,30}$/)),
        fc.string(),
        (text, value) => {
          const compiled = compilePattern(text);
          if ('matches' in compiled) expect(typeof compiled.matches(value)).toBe('boolean');
          else expect(compiled.problem).not.toBe('');
        },
      ),
    );
  });
});

describe('isEcmaScriptPattern', () => {
  it.each([
    ['^[\\w\\-.]+$', true],
    ['^\\p{L}+$', true],
    ['(?:a|b)', true],
    ['(?i)a', false],
    ['(?i:a)', false],
    ['\\Z', false],
    ['a\\-b', false],
    ['[', false],
  ])('%s', (pattern, expected) => expect(isEcmaScriptPattern(pattern)).toBe(expected));
});
