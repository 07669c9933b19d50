import { expect, test } from 'vitest';
import { circlesIn, importsOf } from './imports-of.ts';

test('no files import one another in a circle, by value or by type', () => {
  const imports = importsOf('packages/*/src/**/*.{ts,tsx}');
  expect(imports.length).toBeGreaterThan(1000);
  const circles = circlesIn(imports).map((files) => files.map((file) => file.replace(/^packages\//, '')).join(' -> '));
  expect(circles).toEqual([]);
});

test.each([
  ['a b, b c', []],
  ['a b, b a', [['a', 'b']]],
  [
    'a b, b c, c a, c d, d e, e d',
    [
      ['d', 'e'],
      ['a', 'b', 'c'],
    ],
  ],
])('in %j the circles are found', (text, expected) => {
  const imports = text.split(', ').map((pair) => {
    const [file = '', target = ''] = pair.split(' ');
    return { file, target };
  });
  expect(circlesIn(imports)).toEqual(expected);
});
