import { expect, test } from 'vitest';
import type { RuleReport } from '../rule-report.ts';
import { parsePagination } from './pagination.ts';

test.for(['page', 'offset', 'cursor', 'link'])('what to write instead of a broken %s has that style', (style) => {
  const hints: unknown[] = [];
  const report: RuleReport = (_code, _path, _message, hint) => void hints.push(hint);
  parsePagination({ style, parameter: 'after', next: 'next', maxPages: 0 }, { path: 'main.tools.list', report });
  expect(hints).toEqual([expect.stringContaining(`{ style: '${style}', `)]);
});

test('without a style that is known, nothing is said about its parameter', () => {
  const paths: string[] = [];
  const report: RuleReport = (_code, path) => void paths.push(path);
  parsePagination({}, { path: 'main.tools.list', report });
  expect(paths).toEqual(['main.tools.list.pagination.style']);
});
