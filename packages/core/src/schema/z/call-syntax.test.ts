import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCall, splitCalls, splitList, unquote } from './call-syntax.ts';

describe('parseCall', () => {
  it.each([
    ['min(1)', { name: 'min', args: '1' }],
    [' optional ( ) ', { name: 'optional', args: '' }],
    ['optional', { name: 'optional', args: undefined }],
    ['regex(^(a)$)', { name: 'regex', args: '^(a)$' }],
    ['regex(^\\($)', { name: 'regex', args: '^\\($' }],
    ['describe(one)two)', { name: 'describe', args: 'one)two' }],
  ])('reads %s', (text, call) => expect(parseCall(text)).toEqual(call));

  it.each(['', '(1)', 'min(1', '1min(1)', 'a b', 'min(1) max(2)x'])('refuses %j', (text) => {
    expect(parseCall(text)).toBeUndefined();
  });
});

describe('splitCalls', () => {
  it.each([
    ['optional()', ['optional()']],
    ['optional(), default(1000)', ['optional()', 'default(1000)']],
    ['min(1) ,max(2),default(a,b)', ['min(1)', 'max(2)', 'default(a,b)']],
    ['regex(^(a),b(c)$), optional()', ['regex(^(a),b(c)$)', 'optional()']],
    ['regex(\\(), optional()', ['regex(\\()', 'optional()']],
    ['default("a), min(1"), optional()', ['default("a), min(1")', 'optional()']],
    ["describe(Don't), optional()", ["describe(Don't)", 'optional()']],
    ['default(:)', ['default(:)']],
    ['default(:(), optional()', ['default(:(), optional()']],
  ])('splits %s', (text, calls) => expect(splitCalls(text)).toEqual(calls));
});

describe('splitList', () => {
  it.each([
    ['', []],
    ['[]', []],
    ['a, b ,c', ['a', 'b', 'c']],
    ['[a, \'b\', "c"]', ['a', "'b'", '"c"']],
    ["'a,b',c", ["'a,b'", 'c']],
    ["rock'n'roll,it's", ["rock'n'roll", "it's"]],
    ['a,{{chains:alias}}', ['a', '{{chains:alias}}']],
    ['a,,b,', ['a', '', 'b', '']],
  ])('splits %s', (text, items) => expect(splitList(text)).toEqual(items));

  it('returns items that need no quotes', () => {
    const item = fc.stringMatching(/^[A-Za-z0-9_.:-]+$/);
    fc.assert(
      fc.property(fc.array(item), (items) => {
        expect(splitList(items.join(', '))).toEqual(items);
      }),
    );
  });

  it('returns quoted items', () => {
    const item = fc.stringMatching(/^[ A-Za-z0-9,()[\]]*$/);
    fc.assert(
      fc.property(fc.array(item), (items) => {
        expect(splitList(items.map((text) => `"${text}"`).join(',')).map(unquote)).toEqual(items);
      }),
    );
  });
});

it('takes one pass over hostile text', () => {
  const texts = [
    `${"('".repeat(400_000)}x`,
    `${",'".repeat(400_000)}x`,
    '(, '.repeat(400_000),
    `'${' '.repeat(400_000)}x`,
  ];
  for (const text of texts) {
    splitCalls(text);
    splitList(text);
  }
  parseCall(`a${' '.repeat(400_000)}x`);
});
