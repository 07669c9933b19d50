import { createScrubber, scrubJson } from '@schemakit/http';
import { openSecrets } from '../open-settings.ts';
import { type CommandResult, failed } from '../output/command-result.ts';
import { printFindings } from '../print-findings.ts';
import { printable } from '../printable.ts';
import type { Settings } from '../settings/read-settings.ts';
import { mask } from './recordings/recording.ts';
import { openTapes, placeholderOf, sharedRecordings, type TapeFolder } from './recordings/tapes.ts';
import { runTest, runTests, type TestOutcome } from './run-tests.ts';
import { secretNames, selectTests, type TestSubject, testLabel } from './select-tests.ts';
import { shownFile, type TestCase } from './test-case.ts';
import type { TestOptions } from './test-options.ts';
import { rowOf, type TestRow } from './test-row.ts';
import { testVerdict } from './test-verdict.ts';
import { updateOutputs } from './update-outputs.ts';

/** Runs the tests of schemas and says what came of it. */
export async function testSchemas(
  subject: TestSubject,
  options: TestOptions,
  settings: Settings,
): Promise<CommandResult> {
  const { tapes, strict } = options;
  const serverParams = secretsFor(subject, tapes, settings);
  const selection = selectTests(subject, { route: options.route, serverParams, settings });
  if (!selection.ok) return selection.result;
  const { tests, rows: idle } = selection.selected;
  const names = secretNames(subject.routes);
  const refused = tapes && refusedTapes(tapes, tests, { names, serverParams });
  if (refused) return refused;
  const secrets = names.flatMap((name) => serverParams[name] ?? []);
  const begunAt = performance.now();
  const outcomes = await runAll(tests, { options, serverParams, secrets });
  const durationMs = Math.round(performance.now() - begunAt);
  const { updated, findings } = options.updateOutput ? await updateOutputs(outcomes, options) : { findings: [] };
  printFindings(findings);
  const scrub = createScrubber(secrets, mask);
  const rows = scrubJson([...outcomes.map(rowOf), ...idle], scrub) as TestRow[];
  const verdict = testVerdict({ rows, outcomes, strict, lost: subject.lost, unwritten: findings, durationMs });
  const document = { ...verdict.document, ...(updated && { updated }), ...(tapes && { recordings: tapes.folder }) };
  if (options.reports.length === 0) return { ...verdict, document };
  const { writeReports } = await import('./reports/write-reports.ts');
  const reports = await writeReports(options.reports, { document, rows, durationMs });
  if (!reports.ok) return reports.result;
  return { ...verdict, document: { ...document, reports: reports.files } };
}

interface RunAll {
  options: TestOptions;
  serverParams: Readonly<Record<string, string>>;
  secrets: readonly string[];
}

async function runAll(tests: readonly TestCase[], { options, serverParams, secrets }: RunAll): Promise<TestOutcome[]> {
  const openTape = openTapes(options.tapes, secrets);
  const progress = openProgress(tests.length);
  const run = async (test: TestCase): Promise<TestOutcome> => {
    const opened = await openTape(test);
    const without = { test, data: null, durationMs: 0 };
    if ('missing' in opened) {
      return {
        ...without,
        status: 'skipped',
        reason: `it was not recorded in ${shownFile(opened.missing)}`,
        findings: [],
      };
    }
    if ('findings' in opened) return { ...without, status: 'failed', findings: opened.findings };
    return runTest(test, { serverParams, ...opened });
  };
  const outcomes = await runTests(tests, { ...options, run, onDone: progress.onDone });
  progress.end();
  return outcomes;
}

/** The server parameters of a run. Recorded answers need none, and get none: what is not known cannot be shown. */
function secretsFor(
  { routes }: TestSubject,
  tapes: TapeFolder | undefined,
  settings: Settings,
): Readonly<Record<string, string>> {
  if (tapes?.kind !== 'replay') return openSecrets(settings);
  return Object.fromEntries(secretNames(routes).map((name) => [name, placeholderOf(name)]));
}

/** Shorter ones cannot be found in an answer without taking half of it for a secret. */
const shortestSecret = 6;

function refusedTapes(
  { kind, folder }: TapeFolder,
  tests: readonly TestCase[],
  { names, serverParams }: { names: readonly string[]; serverParams: Readonly<Record<string, string>> },
): CommandResult | undefined {
  const [sharing] = sharedRecordings(folder, tests);
  if (sharing !== undefined) {
    const who = sharing.map((test) => `${testLabel(test)} of ${shownFile(test.schema.file)}`).join(' and ');
    const fix = 'Record them in folders of their own.';
    return failed('usage', { error: `These would be recorded in one file: ${who}.`, fix });
  }
  const short = names.find((name) => {
    const { length } = serverParams[name]?.trim() ?? '';
    return length > 0 && length < shortestSecret;
  });
  if (kind === 'replay' || short === undefined) return undefined;
  const fix = 'Record with a longer one.';
  const error = `${short} is too short to be kept out of recordings for certain: it has fewer than ${shortestSecret} characters.`;
  return failed('usage', { error, fix });
}

export interface TestProgress {
  onDone(outcome: TestOutcome): void;
  /** Takes the line away. */
  end(): void;
}

/** Shows a person at a terminal how far the tests are, in one line on stderr. */
function openProgress(total: number): TestProgress {
  const { stderr } = process;
  let done = 0;
  let failed = 0;
  return {
    onDone(outcome) {
      done += 1;
      if (outcome.status === 'failed') failed += 1;
      if (!stderr.isTTY) return;
      const line = `${done}/${total}${failed === 0 ? '' : `, ${failed} failed`}  ${printable(testLabel(outcome.test))}`;
      stderr.write(`\r\u001B[K${line.slice(0, Math.max(1, (stderr.columns || 80) - 1))}`);
    },
    end() {
      if (stderr.isTTY && done > 0) stderr.write('\r\u001B[K');
    },
  };
}
