import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './read-json.ts';

describe('readJson', () => {
  test.each([
    ['', 'the file ends where a value is expected', 1, 1],
    ['{\n  "a": nope\n}', 'there is "nope" where a value is expected', 2, 8],
    ["{ 'a': 1 }", `there is "'" where a key in double quotes is expected`, 1, 3],
    ['{\n  "a": 1,\n}', 'there is "}" where a key in double quotes is expected', 3, 1],
    ['{ "a": 1 "b": 2 }', `there is "\\"" where a comma or } is expected`, 1, 10],
    ['{ "a" 1 }', 'there is "1" where a colon is expected', 1, 7],
    ['[1 2]', 'there is "2" where a comma or ] is expected', 1, 4],
    ['{ "a": 1 } // end', 'there is "/" where the end of the file is expected', 1, 12],
    ['{ "a": "open', `there is "\\"" where a value is expected`, 1, 8],
    ['{ "a": 01 }', 'there is "1" where a comma or } is expected', 1, 9],
    ['['.repeat(1000), 'there is "[" where less nesting is expected', 1, 102],
  ])('%j: %s', (text, problem, line, column) => {
    expect(readJson(text)).toEqual({ ok: false, problem, place: { line, column } });
  });

  test('knows the places of values, and of the nearest one around', () => {
    const read = readJson('\uFEFF{\n  "groups": {\n    "a.b": { "tools": ["x",\n "y"] } } }');
    expect(
      read.ok && [read.placeOf('groups', 'a.b', 'tools', 1), read.placeOf('groups', 'other'), read.placeOf()],
    ).toEqual([
      { line: 4, column: 2 },
      { line: 2, column: 13 },
      { line: 1, column: 1 },
    ]);
  });

  test('takes what JSON.parse takes, and nothing else', () => {
    const texts = fc.oneof(
      fc.json({ maxDepth: 5 }),
      fc
        .json({ maxDepth: 3 })
        .chain((text) =>
          fc.tuple(fc.nat(text.length), fc.string({ maxLength: 2 })).map(([at, more]) => text.slice(0, at) + more),
        ),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = readJson(text);
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(read.ok).toBe(false);
          return;
        }
        expect(read).toMatchObject({ ok: true });
        expect(read.ok && read.value).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
