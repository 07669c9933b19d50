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
  ['another method', { method: 'GET' }, ['method: requested "GET", recorded "POST"']],
  [
    'another path',
    { url: 'https://api.example.com/v2/things?a=1&b=2' },
    ['address: requested "https://api.example.com/v2/things", recorded "https://api.example.com/v1/things"'],
  ],
  ['another value', { url: 'https://api.example.com/v1/things?a=1&b=3' }, ['query b: requested "3", recorded "2"']],
  ['a value less', { url: 'https://api.example.com/v1/things?a=1' }, ['query b: requested nothing, recorded ["2"]']],
  [
    'a name twice',
    { url: 'https://api.example.com/v1/things?a=1&b=2&b=3' },
    ['query b: requested ["2","3"], recorded ["2"]'],
  ],
  ['another header', { headers: { accept: '*/*' } }, ['header accept: requested "*/*", recorded "text/csv"']],
  ['a header more', { headers: { accept: 'text/csv', x: '1' } }, ['header x: requested ["1"], recorded nothing']],
  [
    'other JSON',
    { body: { json: { q: 'leek', deep: { list: [1, 3] }, more: true } } },
    ['body.deep.list[1]: requested 3, recorded 2', 'body.more: requested true, recorded nothing'],
  ],
  ['text for JSON', { body: { text: ['q'] } }, ['body: requested "q", recorded {"q":"leek","deep":{"list":[1,2]}}']],
])('%s', (_, changes, expected) => {
  expect(requestDifferences({ ...recorded, ...changes }, recorded)).toEqual(expected);
});

test('a marked part matches anything', () => {
  const marked: RecordedRequest = {
    method: 'POST',
    url: 'https://api.example.com/v1/{{ANY}}?a=1&b={{ANY}}',
    headers: { accept: '{{ANY}}' },
    body: { json: { q: '{{ANY}}', deep: '{{ANY}}' } },
  };
  expect(requestDifferences(recorded, marked)).toEqual([]);
  expect(requestDifferences({ ...recorded, url: 'https://api.example.com/v1/x/y?a=1&b=2' }, marked)).toHaveLength(1);
});

test('long values are cut around what differs', () => {
  const text = (word: string) => ({ json: { prompt: `${'Look after the garden. '.repeat(20)}Answer ${word}.` } });
  const [shown] = requestDifferences({ ...recorded, body: text('briefly') }, { ...recorded, body: text('at length') });
  expect(shown).toMatch(/^body\.prompt: requested ….{0,40}Answer briefly\.", recorded ….{0,40}Answer at length\."$/);
});
