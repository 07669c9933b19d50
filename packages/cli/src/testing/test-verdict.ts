import type { Finding } from '@schemakit/core';
import { type CommandResult, failed } from '../output/command-result.ts';
import { counted } from '../output/counted.ts';
import { failureOf } from '../output/exit-status.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { printable } from '../printable.ts';
import { hasData, type TestOutcome } from './run-tests.ts';
import type { Strictness } from './test-options.ts';
import type { TestRow } from './test-row.ts';

interface Judged {
  rows: readonly TestRow[];
  outcomes: readonly TestOutcome[];
  strict: Strictness;
  lost: readonly Finding[];
  unwritten: readonly Finding[];
  durationMs: number;
}

/**
 * The result of a run. Of each schema that is tested, one route must bring data (specification 4.5); in a strict run, every
 * test must pass.
 */
export function testVerdict({ rows, outcomes, strict, lost, unwritten, durationMs }: Judged): CommandResult {
  const skipped = rows.filter((row) => row.skipped).length;
  const failures = rows.filter((row) => !row.status);
  const counts = {
    total: rows.length,
    passed: rows.length - skipped - failures.length,
    failed: failures.length,
    skipped,
    testsExecuted: outcomes.filter(({ status }) => status !== 'skipped').length,
  };
  const text = () => testText(rows, { ...counts, durationMs });
  const problem = problemOf({ rows, outcomes, strict, lost, unwritten });
  if (problem === undefined) return { document: { status: true, ...counts, results: rows }, text };
  const { error, fix, findings } = problem;
  return { ...failed(failureOf(findings), { error, fix, ...counts, results: rows }), text };
}

interface Problem {
  error: string;
  fix?: string | undefined;
  /** Errors that tell the kind of failure. */
  findings: readonly Finding[];
}

function problemOf({ rows, outcomes, strict, lost, unwritten }: Omit<Judged, 'durationMs'>): Problem | undefined {
  const executed = outcomes.filter(({ status }) => status !== 'skipped');
  const [dead] = lost;
  if (dead !== undefined) return { error: dead.message, fix: dead.hint, findings: lost };
  const broken = rows.filter(({ routeName, status }) => routeName === '*' && !status);
  if (broken.length > 0) {
    const [first] = broken;
    const error = `${first?.file} did not load: ${first?.messages[0] ?? 'it has errors'}`;
    return { error, fix: `Run: schemakit validate ${first?.file}`, findings: broken.map(asFinding) };
  }
  if (executed.length === 0) return nothingRan(rows);
  const findings = executed.flatMap((outcome) => (outcome.status === 'failed' ? outcome.findings : []));
  const failures = executed.filter(({ status }) => status === 'failed');
  if (strict.passes && failures.length > 0) {
    return { error: `${counted(failures.length, 'test')} of ${executed.length} failed.`, findings };
  }
  const unrecorded = outcomes.filter(({ status }) => status === 'skipped');
  if (strict.isWhole && unrecorded.length > 0) {
    const error = `${counted(unrecorded.length, 'test')} of ${outcomes.length} ${unrecorded.length === 1 ? 'is' : 'are'} not recorded.`;
    return { error, fix: 'Record with --record in place of --replay.', findings: [noTests] };
  }
  const withoutData = schemasWithoutData(executed);
  if (withoutData.length > 0) {
    const own = withoutData.flatMap(([, tests]) => tests.flatMap((outcome) => outcome.findings));
    const files = rows.filter(({ file, routeName }) => routeName !== '*' && file !== '').map(({ file }) => file);
    const named = withoutData.map(([file]) => files.find((shown) => file.endsWith(shown)) ?? file);
    return { error: `No route returned data: ${named.join(', ')}.`, findings: [...own, noData] };
  }
  const [first] = unwritten;
  return first === undefined ? undefined : { error: first.message, fix: first.hint, findings: unwritten };
}

function nothingRan(rows: readonly TestRow[]): Problem {
  const idle = rows.find((row) => row.skipped);
  if (idle === undefined || idle.code === undefined) {
    const error = idle === undefined ? 'There are no tests.' : `No test ran: ${idle.file}: ${idle.skipReason}.`;
    return {
      error,
      ...(idle?.routeName !== '*' ? {} : { fix: 'Add tests to a tool: [{ _description, <parameter>: <value> }].' }),
      findings: [noTests],
    };
  }
  return { error: `No test ran: ${idle.file}: ${idle.skipReason}.`, findings: [asFinding(idle)] };
}

const noTests: Finding = { code: 'TST001', severity: 'error', path: '', message: 'there are no tests' };
/** Behind the errors of tests that failed; alone where they passed with nothing in their answers. */
const noData: Finding = { ...noTests, message: 'there is no data' };

function schemasWithoutData(executed: readonly TestOutcome[]): [string, TestOutcome[]][] {
  const bySchema = Map.groupBy(executed, ({ test }) => test.schema.file);
  return [...bySchema].filter(([, tests]) => !tests.some(hasData));
}

function asFinding({ code = 'VAL091', messages }: TestRow): Finding {
  return { code, severity: 'error', path: '', message: messages[0] ?? '' };
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number;
}

/** The results for a person at a terminal: a table, then why tests failed. */
function testText(rows: readonly TestRow[], { passed, failed, skipped, durationMs }: Counts): string {
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
