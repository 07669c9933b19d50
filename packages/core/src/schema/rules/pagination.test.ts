import { expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { ruleReport } from '../rule-report.ts';
import { parsePagination } from './pagination.ts';

test.for(['page', 'offset', 'cursor', 'link'])('what to write instead of a broken %s has that style', (style) => {
  const findings: Finding[] = [];
  const report = ruleReport((finding) => findings.push(finding));
  parsePagination({ style, parameter: 'after', next: 'next', maxPages: 0 }, { path: 'main.tools.list', report });
  const hints = findings.filter(({ path }) => path.endsWith('.maxPages')).map(({ hint }) => hint);
  expect(hints).toEqual([expect.stringContaining(`{ style: '${style}', `)]);
});

test('without a style that is known, nothing is said about its parameter', () => {
  const findings: Finding[] = [];
  const report = ruleReport((finding) => findings.push(finding));
  parsePagination({}, { path: 'main.tools.list', report });
  expect(findings.map(({ path }) => path)).toEqual(['main.tools.list.pagination.style']);
});
