import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeMarkup } from './html-page.ts';

test.each([
  ['<b a="1">&\'', '&lt;b a=&quot;1&quot;&gt;&amp;&#39;'],
  [']]>', ']]&gt;'],
  ['a\u0000\u0008\u001b[31m', 'a\\u{0}\\u{8}\\u{1b}[31m'],
  ['a\tb\nc\rd', 'a\tb\nc&#13;d'],
  ['\ud800 \ufffe \uffff', '\\u{d800} \\u{fffe} \\u{ffff}'],
  ['grün 🌱', 'grün 🌱'],
])('%j', (text, expected) => {
  expect(escapeMarkup(text)).toBe(expected);
});

test('nothing is left that XML 1.0 forbids', () => {
  const allowed = /^(?:[\t\n -%(-;=?-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|&(?:lt|gt|amp|quot|#39|#13);)*$/u;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeMarkup(text)).toMatch(allowed);
    }),
  );
});
