import { describe, expect, test } from 'vitest';
import type { Finding } from './finding.ts';
import { parseSchema } from './parse-schema.ts';
import { mainCases } from './rules/fixtures/main.ts';
import { mainWith } from './rules/fixtures/rule-case.ts';

function findingsIn(main: unknown): Finding[] {
  const findings: Finding[] = [];
  parseSchema(main, (finding) => findings.push(finding));
  return findings;
}

test('a valid main has no findings', () => expect(findingsIn(mainWith())).toEqual([]));

describe.each(Object.entries(mainCases))('%s', (_file, cases) => {
  test.each(cases)(
    '$code, $severity: $message',
    ({ code, severity, path, message, breaks, keeps = {}, others = [] }) => {
      const all = findingsIn(mainWith(breaks)).map(({ hint: _, ...finding }) => finding);
      // Any case may be one of an addition to the format.
      const found = all.filter((finding) => finding.code !== 'VAL094' || code === 'VAL094');
      expect(found.filter((finding) => !others.includes(finding.code))).toEqual([{ code, severity, path, message }]);
      expect(found).toHaveLength(1 + others.length);
      expect(findingsIn(mainWith(keeps)).filter((finding) => finding.code === code)).toEqual([]);
    },
  );
});

describe('values that are not a main', () => {
  test('nothing at all', () => {
    expect(findingsIn(undefined)).toMatchObject([{ code: 'VAL001', path: 'main', message: 'main is missing' }]);
  });

  test.each([null, 5, 'main', true, [[]], () => ({})])('%j', (main) => {
    expect(findingsIn(main)).toMatchObject([
      { code: 'VAL002', severity: 'error', path: 'main', message: 'main must be a plain object' },
    ]);
  });
});
