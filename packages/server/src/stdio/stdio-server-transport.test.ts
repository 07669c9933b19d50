import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longLineId } from './stdio-server-transport.ts';

/** The id of a line if this many characters of each end are kept. */
const idIn = (line: string, kept = 200) => longLineId(line.slice(0, kept), line.slice(-kept));
const long = 'x'.repeat(500);

describe('the id of a line that is too long', () => {
  test.each<[string, string, string | number | null]>([
    ['before the rest', `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"${long}"}}`, 7],
    ['as text, with spaces', `{ "id" : "a\\u0062" , "method" : "m" , "params" : ["${long}"] }`, 'ab'],
    ['after the rest', `{"method":"tools/call","params":{"a":"${long}"},"jsonrpc":"2.0","id":7}\r`, 7],
    ['of an answer', `{"jsonrpc":"2.0","id":7,"result":{"a":"${long}"}}`, null],
    ['of an answer, after the rest', `{"result":{"method":"m","a":"${long}"},"jsonrpc":"2.0","id":7}`, null],
    ['of its arguments', `{"method":"m","params":{"a":"${long}","id":7}}`, null],
    ['in a text', `{"method":"m","params":{},"a":"${long},\\"id\\":7}"}`, null],
    ['in a batch', `[{"method":"m","a":"${long}","id":7}]`, null],
    ['that is none', `{"id":1.5,"method":"m","params":"${long}"}`, null],
    ['of a notification', `{"jsonrpc":"2.0","method":"m","params":"${long}"}`, null],
    ['with an escape that there is not', `{"id":"\\q","method":"m","params":"${long}"}`, null],
  ])('%s', (_, line, id) => {
    expect(idIn(line)).toBe(id);
  });

  test('is null or that of the message, for any message', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('"id":1}', ',"id":1', '{"id":1,"method":"m",', '\\","id":2}'));
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.array(tie('any')), fc.dictionary(text, tie('any'))),
    })).any;
    const members = fc.record(
      {
        method: fc.oneof(text, value),
        id: fc.oneof(text, fc.integer(), value),
        params: value,
        result: value,
        jsonrpc: text,
      },
      { requiredKeys: [] },
    );
    const shuffled = members.chain((message) =>
      fc.shuffledSubarray(Object.entries(message), { minLength: Object.keys(message).length }),
    );
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 1, max: 60 }), (entries, kept) => {
        const message: Record<string, unknown> = Object.fromEntries(entries);
        const id = idIn(JSON.stringify(message), kept);
        if (id !== null) expect([id, typeof message.method]).toEqual([message.id, 'string']);
      }),
      { numRuns: 2000 },
    );
  });
});
