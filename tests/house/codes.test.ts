import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Codes whose tests go by the text that people read, and where those are. */
const byText: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 9 }, (_, index) => [`SET00${index + 1}`, 'tests/e2e/settings-bad-input.test.ts']),
);

/** The codes of all rules, `VAL040`, `AGT001`. What ends a call, such as `TIMEOUT`, has a word of its own and is no rule. */
const codes = [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `([A-Z]+\d{3})`/gm)].flatMap(
  ([, code]) => code ?? [],
);

/** The text of all tests, and of the tables of cases that they run through. */
const tests = ['packages/*/src/**/*.test.ts', 'packages/*/src/**/*-cases.ts', 'packages/*/src/**/fixtures/*.ts']
  .concat('tests/**/*.ts')
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !file.endsWith('house/codes.test.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

const named: ReadonlySet<string> = new Set(tests.match(/\b[A-Z]+\d{3}\b/g));

describe('the codes of rules', () => {
  test('are each named by a test', () => {
    expect(codes.filter((code) => !named.has(code) && !Object.hasOwn(byText, code))).toEqual([]);
    expect(codes.length).toBeGreaterThan(200);
  });

  test('are each listed once', () => expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]));

  test('that are said to be tested by their text are codes', () => {
    expect(Object.keys(byText).filter((code) => !codes.includes(code))).toEqual([]);
  });
});
