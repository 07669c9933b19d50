import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { applyEdits, type TextEdit } from '../../module/module-text.ts';
import { unifiedDiff } from './unified-diff.ts';

const folder = mkdtempSync(join(tmpdir(), 'schemakit-diff-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git makes of a text and a diff of it. */
function applied(text: string, diff: string): string {
  writeFileSync(join(folder, 'a.txt'), text);
  execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '-p0', '--whitespace=nowarn', '-'], {
    cwd: folder,
    input: diff,
  });
  return readFileSync(join(folder, 'a.txt'), 'utf8');
}

test('no edits make no diff', () => {
  expect(unifiedDiff('a\n', [], { file: 'a.txt' })).toBe('');
});

test('distant changes have separate hunks', () => {
  const text = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';
  const edits = [
    { start: 0, end: 1, text: 'A' },
    { start: 18, end: 19, text: 'J\nK' },
  ];
  expect(unifiedDiff(text, edits, { file: 'a.txt', context: 1 })).toBe(
    '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -9,2 +9,3 @@\n i\n-j\n+J\n+K\n',
  );
});

test('a hunk after one that added lines has a shifted position', () => {
  const text = 'a\nb\nc\nd\ne\nf\n';
  const edits = [
    { start: 0, end: 1, text: 'A\nA' },
    { start: 10, end: 11, text: 'F' },
  ];
  expect(unifiedDiff(text, edits, { file: 'a.txt', context: 1 })).toBe(
    '--- a.txt\n+++ a.txt\n@@ -1,2 +1,3 @@\n-a\n+A\n+A\n b\n@@ -5,2 +6,2 @@\n e\n-f\n+F\n',
  );
});

test('a line between two changes is shown as unchanged', () => {
  const edits = [
    { start: 0, end: 1, text: 'A' },
    { start: 4, end: 5, text: 'C' },
  ];
  expect(unifiedDiff('a\nb\nc\n', edits, { file: 'a.txt' })).toBe(
    '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+C\n',
  );
});

test('a last line without a break is marked', () => {
  expect(unifiedDiff('a\nb', [{ start: 2, end: 3, text: 'B' }], { file: 'a.txt' })).toBe(
    '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n',
  );
});

test('git applies it for any text and edits', () => {
  const line = fc.constantFrom('', 'a', 'bb', 'c c', '-', '+x', '@@', '\\', 'ü');
  const text = fc.tuple(fc.array(line, { minLength: 1, maxLength: 25 }), fc.constantFrom('', '\n', '\r\n'));
  const sample = text.chain(([lines, ending]) => {
    const whole = lines.join(ending === '\r\n' ? '\r\n' : '\n') + ending;
    const edit = fc.tuple(fc.nat(whole.length), fc.nat(6), fc.constantFrom('x', 'y\nz', '')).map(
      ([start, length, replacement]): TextEdit => ({
        start,
        end: Math.min(whole.length, start + length),
        text: replacement,
      }),
    );
    return fc.tuple(fc.constant(whole), fc.array(edit, { minLength: 1, maxLength: 3 }));
  });
  fc.assert(
    fc.property(sample, ([whole, edits]) => {
      const expected = applyEdits(whole, edits);
      fc.pre(whole !== '' && expected !== '' && expected !== whole);
      expect(applied(whole, unifiedDiff(whole, edits, { file: 'a.txt' }))).toBe(expected);
    }),
    { numRuns: 150 },
  );
});
