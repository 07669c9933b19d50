import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHostMessage } from './host-message.ts';

describe('readHostMessage', () => {
  test('drops anything that is not a message', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readHostMessage(value)).toBeUndefined();
      }),
    );
  });

  test.each([
    [{ type: 'done', id: 1, json: { length: 1 } }],
    [{ type: 'done', id: '1', json: '' }],
    [{ type: 'done', id: Number.NaN, json: '' }],
    [{ type: 'started' }],
    [{ type: 'fetch', id: 1, fetchId: 1, request: { url: 5, method: 'GET' } }],
    [{ type: 'fetch', id: 1, request: { url: 'https://a.example', method: 'GET' } }],
    [{ type: 'task', id: 1 }],
    [{ type: 'abort-fetch', fetchId: 1 }],
    [{ type: 'secret', id: 1, use: 'stolen', name: 'KEY' }],
    [{ type: 'secret', id: 1, use: 'read', name: ['KEY'] }],
    [{ type: '__proto__', id: 1 }],
  ])('drops %o', (message) => {
    expect(readHostMessage(message)).toBeUndefined();
  });

  test('keeps an answer only if it has a text and a known path', () => {
    const done = { type: 'done', id: 1, json: '{}' };
    const answer = { path: 'response', json: '[1]' };
    expect(readHostMessage({ ...done, answer: { ...answer, data: [2] } })).toEqual({
      type: 'done',
      id: 1,
      result: { json: '{}', answer },
    });
    const others = [
      { ...answer, path: '__proto__' },
      { ...answer, json: 1 },
      { json: '1' },
      [answer],
      'response',
      null,
    ];
    for (const other of others)
      expect(readHostMessage({ ...done, answer: other })).toEqual({ type: 'done', id: 1, result: { json: '{}' } });
  });

  test('keeps only the fields of a request, as text', () => {
    const request = {
      url: 'https://a.example',
      method: 'GET',
      headers: { a: 1 },
      body: { not: 'bytes' },
      dispatcher: {},
    };
    expect(readHostMessage({ type: 'fetch', id: 1, fetchId: 2, request, extra: 1 })).toEqual({
      type: 'message',
      id: 1,
      content: {
        type: 'fetch',
        fetchId: 2,
        request: { url: 'https://a.example', method: 'GET', headers: { a: '1' } },
      },
    });
  });

  test('accepts only codes that a host may report, and caps its texts', () => {
    const failure = { code: 'HANDLER_ABORTED', message: 'x'.repeat(1e6), line: '7', cause: {} };
    expect(readHostMessage({ type: 'failed', id: 1, failure })).toEqual({
      type: 'failed',
      id: 1,
      failure: { code: 'HANDLER_THREW', message: 'x'.repeat(4000) },
    });
  });
});
