import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyBytes, recordBody } from './recording.ts';

const same = (text: string) => text;
const record = (text: string, type = 'application/json') => recordBody(Buffer.from(text), type, same);

test.each([
  ['{"a":[1,2.5,"x"]}', { json: { a: [1, 2.5, 'x'] } }],
  ['line one\nline two', { text: ['line one', 'line two'] }],
  ['', { text: [''] }],
  ['{"id":12345678901234567890}', { text: ['{"id":12345678901234567890}'] }],
  ['{"a":', { text: ['{"a":'] }],
])('%j is recorded as %j', (text, expected) => {
  const body = record(text);
  expect(body).toEqual(expected);
  if ('text' in body) expect(Buffer.from(bodyBytes(body)).toString()).toBe(text);
});

describe('a binary body', () => {
  test('is recorded as lines of base64', () => {
    const bytes = Buffer.from(Array.from({ length: 200 }, (_, index) => index));
    const body = recordBody(bytes, 'image/png', same);
    expect(body).toHaveProperty('base64.length', 3);
    expect(Buffer.from(bodyBytes(body)).equals(bytes)).toBe(true);
  });

  test('is masked too', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from('a-secret-key'), Buffer.from([1, 2])]);
    const body = recordBody(bytes, '', (text) => text.replaceAll('a-secret-key', '[REDACTED]'));
    expect(Buffer.from(bodyBytes(body)).includes('a-secret-key')).toBe(false);
  });

  test('in another charset keeps its bytes', () => {
    const bytes = Buffer.from('gr\u00fcn', 'latin1');
    const body = recordBody(bytes, 'text/plain; charset=iso-8859-1', same);
    expect(Buffer.from(bodyBytes(body)).equals(bytes)).toBe(true);
  });
});

test('any bytes are restored exactly, JSON as the same value', () => {
  const value = fc.jsonValue().map((json) => Buffer.from(JSON.stringify(json)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), value, fc.string().map(Buffer.from)), (bytes) => {
      const body = recordBody(bytes, 'application/json', same);
      const back = Buffer.from(bodyBytes(body));
      if ('json' in body) expect(JSON.parse(back.toString())).toEqual(JSON.parse(Buffer.from(bytes).toString()));
      else expect(back.equals(bytes)).toBe(true);
    }),
  );
});
