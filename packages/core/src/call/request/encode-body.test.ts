import { expect, test } from 'vitest';
import { encodeBody } from './encode-body.ts';

test.each([
  ['JSON', { a: 1 }, {}, '{"a":1}'],
  ['a form', { a: 1, b: [2, 3] }, { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1&b=2&b=3'],
  ['the one text of a text body', { body: 'fields name;' }, { 'Content-Type': 'text/plain' }, 'fields name;'],
  [
    'JSON where a text body has several parts',
    { a: 'x', b: 'y' },
    { 'Content-Type': 'text/plain' },
    '{"a":"x","b":"y"}',
  ],
  ['JSON where the one part is no text', { a: 1 }, { 'Content-Type': 'text/plain' }, '{"a":1}'],
  ['a list', ['x'], { 'Content-Type': 'text/plain' }, '["x"]'],
  ['text', 'x', {}, 'x'],
  ['nothing', null, {}, 'null'],
])('encodes %s', (_, body, headers, text) => {
  expect(encodeBody(body, headers)).toBe(text);
});
