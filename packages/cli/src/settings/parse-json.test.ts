import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  test.each([
    ['', 'expected a value, found the end of the file', 1, 1],
    ['{\n  "a": nope\n}', 'expected a value, found "nope"', 2, 8],
    ["{ 'a': 1 }", `expected a key in double quotes, found "'"`, 1, 3],
    ['{\n  "a": 1,\n}', 'expected a key in double quotes, found "}"', 3, 1],
    ['{ "a": 1 "b": 2 }', `expected a comma or }, found "\\""`, 1, 10],
    ['{ "a" 1 }', 'expected a colon, found "1"', 1, 7],
    ['[1 2]', 'expected a comma or ], found "2"', 1, 4],
    ['{ "a": 1 } // end', 'expected the end of the file, found "/"', 1, 12],
    ['{ "a": "open', `expected a value, found "\\""`, 1, 8],
    ['{ "a": 01 }', 'expected a comma or }, found "1"', 1, 9],
    ['['.repeat(1000), 'expected less nesting, found "["', 1, 102],
  ])('%j: %s', (text, problem, line, column) => {
    expect(parseJson(text)).toEqual({ ok: false, problem, position: { line, column } });
  });

  test('gives the position of a value, or of the nearest value around it', () => {
    const read = parseJson('\uFEFF{\n  "groups": {\n    "a.b": { "tools": ["x",\n "y"] } } }');
    expect(
      read.ok && [read.positionOf('groups', 'a.b', 'tools', 1), read.positionOf('groups', 'other'), read.positionOf()],
    ).toEqual([
      { line: 4, column: 2 },
      { line: 2, column: 13 },
      { line: 1, column: 1 },
    ]);
  });

  test('accepts the same texts as JSON.parse', () => {
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
        const read = parseJson(text);
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
