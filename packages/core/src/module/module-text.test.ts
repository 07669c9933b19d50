import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetLocator, readModuleText } from './module-text.ts';

test('the hash is that of the bytes', () => {
  const bytes = Buffer.from('\uFEFFexport const main = {};');
  expect(readModuleText(bytes).hash).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('positions are counted from one', () => {
  const locate = offsetLocator('ab\ncd\r\nef\rg\u2028h');
  expect([0, 2, 3, 4, 7, 9, 10, 12].map(locate)).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 3 },
    { line: 2, column: 1 },
    { line: 2, column: 2 },
    { line: 3, column: 1 },
    { line: 3, column: 3 },
    { line: 4, column: 1 },
    { line: 5, column: 1 },
  ]);
});

test('every offset is in the line that splitting gives', () => {
  const text = fc
    .array(fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '\u2029'), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (source) => {
      const locate = offsetLocator(source);
      for (let offset = 0; offset <= source.length; offset += 1) {
        if (source[offset - 1] === '\r' && source[offset] === '\n') continue;
        const before = source.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
        expect(locate(offset)).toEqual({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
      }
    }),
  );
});
