import type { Finding } from '@schemakit/core';
import { type CommandResult, failed } from '../output/command-result.ts';
import { counted } from '../output/counted.ts';
import { failureOf } from '../output/exit-status.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { printable } from '../printable.ts';
import { hasData, type TestOutcome } from './run-tests.ts';
import type { Strictness } from './test-options.ts';
import { outcomeOf, type TestRow } from './test-row.ts';

interface TestRun {
  rows: readonly TestRow[];
  outcomes: readonly TestOutcome[];
  strict: Strictness;
  dangling: readonly Finding[];
  unwritten: readonly Finding[];
  durationMs: number;
}

/** The result of a run. One tool of each tested schema must return data; in a strict run, every test must pass. See docs/testing.md. */
export function testResult(run: TestRun): CommandResult {
  const { rows, outcomes, durationMs } = run;
  const count = (result: string) => rows.filter((row) => outcomeOf(row) === result).length;
  const counts = {
    total: rows.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    testsExecuted: outcomes.filter(({ status }) => status !== 'skipped').length,
  };
  const sums = `${counted(counts.passed, 'test')} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  const text = () => `${rowsText(rows)}\n${sums} in ${(durationMs / 1000).toFixed(1)} s.`;
  const problem = problemOf(run);
  if (problem === undefined) return { document: { status: true, ...counts, results: rows }, text };
  const { error, fix, findings } = problem;
  return { ...failed(failureOf(findings), { error, fix, ...counts, results: rows }), text };
}

interface Problem {
  error: string;
  fix?: string | undefined;
  /** Errors that determine the exit status. */
  findings: readonly Finding[];
}

function problemOf({ rows, outcomes, strict, dangling, unwritten }: TestRun): Problem | undefined {
  const [dead] = dangling;
  if (dead !== undefined) return { error: dead.message, fix: dead.hint, findings: dangling };
  const broken = rows.filter(({ routeName, status }) => routeName === '*' && !status);
  const [first] = broken;
  if (first !== undefined) {
    const error = `${first.file} did not load: ${first.messages[0] ?? 'it has errors'}`;
    return { error, fix: `Run: schemakit validate ${first.file}`, findings: broken.map(asFinding) };
  }
  const executed = outcomes.filter(({ status }) => status !== 'skipped');
  if (executed.length === 0) return nothingRan(rows);
  const failures = executed.filter(({ status }) => status === 'failed');
  if (strict.allPass && failures.length > 0) {
    const findings = failures.flatMap((outcome) => outcome.findings);
    return { error: `${counted(failures.length, 'test')} of ${executed.length} failed.`, findings };
  }
  const unrecorded = outcomes.length - executed.length;
  if (strict.allRecorded && unrecorded > 0) {
    const error = `${counted(unrecorded, 'test')} of ${outcomes.length} ${unrecorded === 1 ? 'has' : 'have'} no recording.`;
    return { error, fix: 'Record with --record instead of --replay.', findings: [noTests] };
  }
  const bySchema = Map.groupBy(executed, ({ test }) => test.schema.file);
  const withoutData = [...bySchema].filter(([, tests]) => !tests.some(hasData));
  if (withoutData.length > 0) {
    const own = withoutData.flatMap(([, tests]) => tests.flatMap(({ findings }) => findings));
    const files = rows.filter(({ file, routeName }) => routeName !== '*' && file !== '').map(({ file }) => file);
    const named = withoutData.map(([file]) => files.find((shown) => file.endsWith(shown)) ?? file);
    return { error: `No route returned data: ${named.join(', ')}.`, findings: [...own, noData] };
  }
  const [reason] = unwritten;
  return reason === undefined ? undefined : { error: reason.message, fix: reason.hint, findings: unwritten };
}

function nothingRan(rows: readonly TestRow[]): Problem {
  const skippedRow = rows.find((row) => row.skipped);
  if (skippedRow === undefined) return { error: 'There are no tests.', findings: [noTests] };
  const error = `No test ran: ${skippedRow.file}: ${skippedRow.skipReason}.`;
  if (skippedRow.code !== undefined) return { error, findings: [asFinding(skippedRow)] };
  const fix =
    skippedRow.routeName === '*' ? 'Add tests to a tool: [{ _description, <parameter>: <value> }].' : undefined;
  return { error, fix, findings: [noTests] };
}

const noTests: Finding = { code: 'TST001', severity: 'error', path: '', message: 'there are no tests' };
/** Comes after the errors of failed tests; alone if tests passed without data. */
const noData: Finding = { ...noTests, message: 'there is no data' };

function asFinding({ code = 'VAL091', messages }: TestRow): Finding {
  return { code, severity: 'error', path: '', message: messages[0] ?? '' };
}

/** A table, then the reasons of failures. */
function rowsText(rows: readonly TestRow[]): string {
  const cells = rows.map((row) => [
    resultWord(row),
    labelOf(row),
    row.skipped ? '' : `${row.durationMs} ms`,
    firstLine(row.skipReason ?? row.description, 60),
  ]);
  const reasons = rows.filter(({ status, messages }) => !status || messages.length > 0).map(reasonText);
  return [textTable(['Result', 'Tool', 'Time', 'Test'], cells), ...reasons].join('\n');
}

function resultWord(row: TestRow): string {
  return row.status ? outcomeOf(row) : 'FAILED';
}

function labelOf({ namespace, routeName, file }: TestRow): string {
  return routeName === '*' ? file : `${namespace}_${routeName}`;
}

function reasonText(row: TestRow): string {
  const { status, description, messages, fix } = row;
  const title = `${status ? 'differs' : 'FAILED'}: ${labelOf(row)}, ${description}`;
  const lines = [title, ...messages.map((message) => `    ${message}`), ...(fix === undefined ? [] : [`    ${fix}`])];
  return `${lines.map((line) => printable(line)).join('\n')}\n`;
}
