import { styleText } from 'node:util';
import type { Finding } from '@schemakit/core';
import { type CommandResult, type Failure, failed, failureOf } from '../output/command-result.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { hasData, type TestOutcome } from './run-tests.ts';
import { shownFile, testLabel } from './test-case.ts';
import type { Strictness } from './test-options.ts';
import { outcomeOf, type TestRow } from './test-row.ts';

interface TestRun {
  rows: readonly TestRow[];
  outcomes: readonly TestOutcome[];
  strict: Strictness;
  dangling: readonly Finding[];
  unwritten: readonly Finding[];
  /** Sentences about written files. */
  written: readonly string[];
  durationMs: number;
}

/** The result of a run, with a summary in one sentence. See docs/testing.md, "When a run succeeds". */
export function testResult(run: TestRun): CommandResult {
  const { rows, outcomes, durationMs, written } = run;
  const count = (result: string) => rows.filter((row) => outcomeOf(row) === result).length;
  const executed = outcomes.filter(({ status }) => status !== 'skipped');
  const counts = {
    total: rows.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    testsExecuted: executed.length,
  };
  const problem = problemOf(run);
  const summary = problem?.error ?? failuresText(run) ?? `${counted(executed.length, 'test')} passed.`;
  const sums = `${counted(counts.passed, 'test')} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  const text = () => {
    const fix = problem?.fix === undefined ? '' : `    ${printable(problem.fix)}\n`;
    const lines = [...written.map((line) => printable(line)), `${sums} in ${(durationMs / 1000).toFixed(1)} s.`];
    const style = problem === undefined ? 'green' : 'red';
    const title = styleText(style, printable(summary), { stream: process.stdout });
    return `${title}\n${fix}\n${rowsText(rows)}\n${lines.join('\n')}`;
  };
  const document = { summary, ...counts, results: rows };
  if (problem === undefined) return { document: { status: true, ...document }, text };
  const { error, fix, failure } = problem;
  return { ...failed(failure, { error, fix, ...document }), text, textHasError: true };
}

interface Problem {
  error: string;
  fix?: string | undefined;
  failure: Failure;
}

function problemOf(run: TestRun): Problem | undefined {
  const { rows, outcomes, strict, dangling, unwritten } = run;
  const [dead] = dangling;
  if (dead !== undefined) return { error: dead.message, fix: dead.hint, failure: failureOf(dangling) };
  const broken = rows.filter(({ routeName, status }) => routeName === '*' && !status);
  const [first] = broken;
  if (first !== undefined) {
    const error = `${first.file} did not load: ${first.messages[0] ?? 'it has errors'}`;
    const fix = `Run: schemakit validate ${first.file}`;
    return { error, fix, failure: failureOf(broken.map(asFinding)) };
  }
  const executed = outcomes.filter(({ status }) => status !== 'skipped');
  if (executed.length === 0) return nothingRan(rows);
  const failures = executed.filter(({ status }) => status === 'failed');
  const error = strict.allPass ? failuresText(run) : undefined;
  if (error !== undefined) return { error, failure: failureOfAll(failures) };
  const unrecorded = outcomes.length - executed.length;
  if (strict.allRecorded && unrecorded > 0) {
    const error = `${counted(unrecorded, 'test')} of ${outcomes.length} ${unrecorded === 1 ? 'has' : 'have'} no recording.`;
    return { error, fix: 'Record with --record instead of --replay.', failure: 'validation' };
  }
  const withoutData = strict.allPass ? [] : schemasWithoutData(executed);
  if (withoutData.length > 0) {
    const own = withoutData.flatMap((tests) => tests.filter(({ status }) => status === 'failed'));
    const named = withoutData.flatMap(([outcome]) => (outcome ? [shownFile(outcome.test.schema.file)] : []));
    const error = `No tool of the API returned data: ${named.join(', ')}.`;
    return { error, failure: own.length === 0 ? 'validation' : failureOfAll(own) };
  }
  const [reason] = unwritten;
  return reason && { error: reason.message, fix: reason.hint, failure: failureOf(unwritten) };
}

/** The tests of each schema that shows no data of its API. Queries and documents count only where a schema has no tools. */
function schemasWithoutData(executed: readonly TestOutcome[]): TestOutcome[][] {
  const bySchema = [...Map.groupBy(executed, ({ test }) => test.schema.file).values()];
  return bySchema.flatMap((own) => {
    const ofTools = own.filter(({ test }) => test.exposed.resource === undefined);
    const counting = ofTools.length > 0 ? ofTools : own;
    return counting.some(hasData) ? [] : [counting];
  });
}

/** 5 only if the API failed each time, 6 if nothing but secrets is missing; other failures come from the schema. */
function failureOfAll(failures: readonly TestOutcome[]): Failure {
  const kinds = new Set(failures.map(({ findings }) => failureOfTest(findings)));
  const [only] = kinds;
  return kinds.size === 1 && (only === 'upstream' || only === 'missingSecret') ? only : 'validation';
}

/** HTTP 4xx is an answer to the request of the schema, not a failure of the API. */
function failureOfTest(findings: readonly Finding[]): Failure {
  const error = findings.find(({ severity }) => severity === 'error');
  return error !== undefined && /^HTTP_4/.test(error.code) ? 'validation' : failureOf(findings);
}

/** How many tests failed, and why. Undefined if none did. The rows have masked secrets. */
function failuresText({ rows, outcomes }: Pick<TestRun, 'rows' | 'outcomes'>): string | undefined {
  const failures = outcomes.filter(({ status }) => status === 'failed');
  const [first] = failures;
  const failedRows = rows.filter((row) => row.routeName !== '*' && !row.status);
  if (first === undefined) return undefined;
  const executed = outcomes.filter(({ status }) => status !== 'skipped');
  const count = `${failures.length} of ${counted(executed.length, 'test')} failed`;
  const codes = new Set(failedRows.map(({ code }) => code));
  const [code = ''] = codes;
  const what = codes.size === 1 ? apiFailure(code) : undefined;
  if (what === undefined) return `${count}. First: ${testLabel(first.test)}: ${failedRows[0]?.messages[0] ?? ''}`;
  const origins = [...new Set(failures.map(({ test }) => test.origin))];
  const more = origins.length > 1 ? ` and ${counted(origins.length - 1, 'other')}` : '';
  return `${count}: the API at ${origins[0]}${more} ${what}.`;
}

function apiFailure(code: string): string | undefined {
  const [, status] = /^HTTP_(\d+)$/.exec(code) ?? [];
  return status === undefined ? apiFailures.get(code) : `answered HTTP ${status}`;
}

const apiFailures: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'refused the connection'],
  ['ECONNRESET', 'closed the connection'],
  ['ETIMEDOUT', 'did not answer in time'],
  ['ENOTFOUND', 'was not found'],
  ['EHOSTUNREACH', 'cannot be reached'],
  ['TLS', 'has no trusted certificate'],
]);

function nothingRan(rows: readonly TestRow[]): Problem {
  const skippedRow = rows.find((row) => row.skipped);
  if (skippedRow === undefined) return { error: 'There are no tests.', failure: 'validation' };
  const error = `No test ran: ${skippedRow.file}: ${skippedRow.skipReason}.`;
  if (skippedRow.code !== undefined) return { error, failure: failureOf([asFinding(skippedRow)]) };
  const fix =
    skippedRow.routeName === '*' ? 'Add tests to a tool: [{ _description, <parameter>: <value> }].' : undefined;
  return { error, fix, failure: 'validation' };
}

function asFinding({ code = 'VAL091', messages }: TestRow): Finding {
  return { code, severity: 'error', path: '', message: messages[0] ?? '' };
}

/** A table, then the reasons of failures. */
function rowsText(rows: readonly TestRow[]): string {
  const cells = rows.map((row) => [
    row.status ? outcomeOf(row) : 'FAILED',
    labelOf(row),
    row.skipped ? '' : `${row.durationMs} ms`,
    firstLine(row.skipReason ?? row.description, 60),
  ]);
  const explained = rows.filter(({ status, messages }) => !status || messages.length > 0);
  const reasons = [...Map.groupBy(explained, whyOf)].map(([why, same]) => reasonText(why, same));
  return [textTable(['Result', 'Tool', 'Time', 'Test'], cells), ...reasons].join('\n');
}

function labelOf({ namespace, routeName, file }: TestRow): string {
  return routeName === '*' ? file : `${namespace}_${routeName}`;
}

/** The same for all tests that fail for one reason. */
function whyOf({ status, messages, fix }: TestRow): string {
  const lines = [...messages, ...(fix === undefined ? [] : [fix])].map((line) => `    ${printable(line)}`);
  return [status ? 'differs' : 'FAILED', ...lines].join('\n');
}

function reasonText(why: string, [first, ...others]: readonly TestRow[]): string {
  const [result, ...lines] = why.split('\n');
  const test = first === undefined ? '' : `${labelOf(first)}, ${first.description}`;
  const more = others.length === 0 ? '' : ` and ${counted(others.length, 'other test')}`;
  return [printable(`${result}: ${test}${more}`), ...lines, ''].join('\n');
}
