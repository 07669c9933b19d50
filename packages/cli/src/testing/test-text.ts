import { counted } from '../output/counted.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { printable } from '../printable.ts';
import type { TestRow } from './test-row.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number;
}

/** The results for a person at a terminal: a table, then why tests failed. */
export function testText(rows: readonly TestRow[], { passed, failed, skipped, durationMs }: Counts): string {
  const table = textTable(
    ['Result', 'Tool', 'Time', 'Test'],
    rows.map((row) => [resultWord(row), labelOf(row), timeOf(row), firstLine(row.skipReason ?? row.description, 60)]),
  );
  const reasons = rows.filter(({ status, messages }) => !status || messages.length > 0).map(reasonText);
  const parts = [counted(passed, 'test').replace(/( tests?)$/, '$1 passed'), `${failed} failed`, `${skipped} skipped`];
  return [table, ...reasons, `${parts.join(', ')} in ${(durationMs / 1000).toFixed(1)} s.`].join('\n');
}

function resultWord({ status, skipped }: TestRow): string {
  if (skipped) return 'skipped';
  return status ? 'passed' : 'FAILED';
}

function labelOf({ namespace, routeName, file }: TestRow): string {
  return routeName === '*' ? file : `${namespace}_${routeName}`;
}

function timeOf({ durationMs, skipped }: TestRow): string {
  return skipped ? '' : `${durationMs} ms`;
}

function reasonText(row: TestRow): string {
  const { status, description, messages, fix } = row;
  const title = `${status ? 'differs' : 'FAILED'}: ${labelOf(row)}, ${description}`;
  const lines = [title, ...messages.map((message) => `    ${message}`), ...(fix === undefined ? [] : [`    ${fix}`])];
  return `${lines.map((line) => printable(line)).join('\n')}\n`;
}
