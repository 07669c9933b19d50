import { expect, test } from 'vitest';
import type { RecordedRequest } from './recording.ts';
import { requestDifferences } from './request-differences.ts';

const recorded: RecordedRequest = {
  method: 'POST',
  url: 'https://api.example.com/v1/things?a=1&b=2',
  headers: { accept: 'text/csv' },
  body: { json: { q: 'leek', deep: { list: [1, 2] } } },
};

test.each<[string, Partial<RecordedRequest>, string[]]>([
  ['the same', {}, []],
  ['the same query in another order', { url: 'https://api.example.com/v1/things?b=2&a=1' }, []],
  ['another method', { method: 'GET' }, ['method: "GET" is asked, "POST" is recorded']],
  [
    'another path',
    { url: 'https://api.example.com/v2/things?a=1&b=2' },
    ['address: "https://api.example.com/v2/things" is asked, "https://api.example.com/v1/things" is recorded'],
  ],
  ['another value', { url: 'https://api.example.com/v1/things?a=1&b=3' }, ['query b: "3" is asked, "2" is recorded']],
  ['a value less', { url: 'https://api.example.com/v1/things?a=1' }, ['query b: nothing is asked, ["2"] is recorded']],
  [
    'a name twice',
    { url: 'https://api.example.com/v1/things?a=1&b=2&b=3' },
    ['query b: ["2","3"] is asked, ["2"] is recorded'],
  ],
  ['another header', { headers: { accept: '*/*' } }, ['header accept: "*/*" is asked, "text/csv" is recorded']],
  ['a header more', { headers: { accept: 'text/csv', x: '1' } }, ['header x: ["1"] is asked, nothing is recorded']],
  [
    'other JSON',
    { body: { json: { q: 'leek', deep: { list: [1, 3] }, more: true } } },
    ['body.deep.list[1]: 3 is asked, 2 is recorded', 'body.more: true is asked, nothing is recorded'],
  ],
  ['text for JSON', { body: { text: ['q'] } }, ['body: "q" is asked, {"q":"leek","deep":{"list":[1,2]}} is recorded']],
])('%s', (_, changes, expected) => {
  expect(requestDifferences({ ...recorded, ...changes }, recorded)).toEqual(expected);
});

test('what an author has marked may be anything', () => {
  const marked: RecordedRequest = {
    method: 'POST',
    url: 'https://api.example.com/v1/{{ANY}}?a=1&b={{ANY}}',
    headers: { accept: '{{ANY}}' },
    body: { json: { q: '{{ANY}}', deep: '{{ANY}}' } },
  };
  expect(requestDifferences(recorded, marked)).toEqual([]);
  expect(requestDifferences({ ...recorded, url: 'https://api.example.com/v1/x/y?a=1&b=2' }, marked)).toHaveLength(1);
});
