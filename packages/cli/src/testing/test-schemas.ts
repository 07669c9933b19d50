import { createScrubber, scrubJson } from '@schemakit/http';
import { type CommandResult, failed } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { openProgressLine } from '../output/progress-line.ts';
import { openSecrets } from '../settings/open-settings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { mask } from './recordings/recording.ts';
import { openTape, placeholderOf, sharedRecordings, type TapeFolder } from './recordings/tapes.ts';
import { runTest, runTests, type TestOutcome } from './run-tests.ts';
import { secretNames, selectTests, type TestSubject } from './select-tests.ts';
import { shownFile, type TestCase, testLabel } from './test-case.ts';
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
  const { tapes, strict, reports } = options;
  const serverParams = secretsFor(subject, tapes, settings);
  const selection = selectTests(subject, { route: options.route, serverParams, settings });
  if (!selection.ok) return selection.result;
  const { tests, rows: idle } = selection;
  const names = secretNames(subject.routes);
  const refused = tapes && refusedTapes(tapes, tests, { names, serverParams });
  if (refused) return refused;
  const secrets = names.flatMap((name) => serverParams[name] ?? []);
  const begunAt = performance.now();
  const outcomes = await runAll(tests, { options, serverParams, secrets });
  const durationMs = Math.round(performance.now() - begunAt);
  const { updated, findings } = options.updateOutput ? await updateOutputs(outcomes, options) : { findings: [] };
  printFindings(findings);
  const rows = scrubJson([...outcomes.map(rowOf), ...idle], createScrubber(secrets, mask)) as TestRow[];
  const verdict = testVerdict({ rows, outcomes, strict, lost: subject.lost, unwritten: findings, durationMs });
  const document = { ...verdict.document, ...(updated && { updated }), ...(tapes && { recordings: tapes.folder }) };
  if (reports.length === 0) return { ...verdict, document };
  const { writeReports } = await import('./reports/write-reports.ts');
  const failure = await writeReports(reports, { document, rows, durationMs });
  return failure ?? { ...verdict, document: { ...document, reports: reports.map(({ file }) => file) } };
}

interface RunAll {
  options: TestOptions;
  serverParams: Readonly<Record<string, string>>;
  secrets: readonly string[];
}

async function runAll(tests: readonly TestCase[], { options, serverParams, secrets }: RunAll): Promise<TestOutcome[]> {
  const line = openProgressLine();
  let done = 0;
  let failures = 0;
  const onDone = ({ status, test }: TestOutcome) => {
    done += 1;
    if (status === 'failed') failures += 1;
    line.show(`${done}/${tests.length}${failures === 0 ? '' : `, ${failures} failed`}  ${testLabel(test)}`);
  };
  const run = async (test: TestCase): Promise<TestOutcome> => {
    const opened = await openTape(test, { tapes: options.tapes, secrets });
    const without = { test, data: null, durationMs: 0 };
    if ('missing' in opened) {
      const reason = `it was not recorded in ${shownFile(opened.missing)}`;
      return { ...without, status: 'skipped', reason, findings: [] };
    }
    if ('findings' in opened) return { ...without, status: 'failed', findings: opened.findings };
    return runTest(test, { serverParams, ...opened });
  };
  const outcomes = await runTests(tests, { ...options, run, onDone });
  line.clear();
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
