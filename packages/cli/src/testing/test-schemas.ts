import { createScrubber, scrubJson } from '@schemakit/http';
import { type CommandResult, failed } from '../output/command-result.ts';
import { printFindings } from '../output/print-findings.ts';
import { openProgressLine } from '../output/progress-line.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { inEnvironment } from '../settings/environment.ts';
import { openSecrets } from '../settings/open-settings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { recordingProblem } from './recordings/before-recording.ts';
import { placeholderOf, sharedRecordings } from './recordings/record-replay.ts';
import { mask } from './recordings/recording.ts';
import { runRecorded } from './run-recorded.ts';
import { runTests, type TestOutcome } from './run-tests.ts';
import { secretNames, selectTests, type TestTarget } from './select-tests.ts';
import { routeLabel, shownFile, type TestCase, testLabel } from './test-case.ts';
import type { TestOptions } from './test-options.ts';
import { testResult } from './test-result.ts';
import { rowOf, type TestRow } from './test-row.ts';
import { updateOutputs, updatesText } from './update-outputs.ts';

export async function testSchemas(
  target: TestTarget,
  options: TestOptions,
  settings: Settings,
): Promise<CommandResult> {
  const { recordings, strict, reports } = options;
  const serverParams =
    recordings?.kind === 'replay' ? placeholders(target) : openSecrets(settings, { envFile: options.envFile });
  const selection = selectTests(target, { route: options.route, serverParams, settings });
  if (!selection.ok) return selection.result;
  const { tests, rows: skippedRows } = selection;
  const names = secretNames(target.routes);
  const refused =
    (recordings && sharingProblem(recordings.folder, tests)) ??
    (recordings?.kind === 'record' ? await recordingProblem(recordings.folder, { names, serverParams }) : undefined);
  if (refused) return refused;
  const secrets = names.flatMap((name) => serverParams[name] ?? []);
  const writes = recordings?.kind === 'replay' ? undefined : writesWarning(tests);
  // Before anything is sent, so that the run can still be ended.
  if (writes !== undefined) process.stderr.write(`${printable(writes)}\n`);
  const begunAt = performance.now();
  const outcomes = await runAll(tests, { options, serverParams, secrets });
  const durationMs = Math.round(performance.now() - begunAt);
  const { updated, findings } = options.updateOutput ? await updateOutputs(outcomes, options) : { findings: [] };
  printFindings(findings);
  const rows = scrubJson([...outcomes.map(rowOf), ...skippedRows], createScrubber(secrets, mask)) as TestRow[];
  const written = [
    ...(recordings?.kind === 'record' ? [`Recordings: ${recordings.folder}`] : []),
    ...(updated === undefined || findings.length > 0 ? [] : updatesText(updated, options)),
    ...reports.map(({ kind, file }) => `Report (${kind}): ${file}`),
  ];
  const { dangling } = target;
  const result = testResult({ rows, outcomes, strict, dangling, unwritten: findings, written, durationMs });
  const document = {
    ...result.document,
    warnings: writes && [writes],
    ...{ updated, recordings: recordings?.folder },
  };
  if (reports.length === 0) return { ...result, document };
  const { writeReports } = await import('./reports/write-reports.ts');
  const failure = await writeReports(reports, { name: 'schemakit test', document, rows, durationMs });
  return failure ?? { ...result, document: { ...document, reports: reports.map(({ file }) => file) } };
}

/** That tests change data of an API. Undefined if none does. */
function writesWarning(tests: readonly TestCase[]): string | undefined {
  const writing = tests.filter(({ exposed }) => !exposed.listing.annotations.readOnlyHint);
  if (writing.length === 0) return undefined;
  const tools = [...new Set(writing.map(routeLabel))];
  const more = tools.length > 3 ? ` and ${tools.length - 3} more` : '';
  const verb = writing.length === 1 ? 'writes' : 'write';
  return `${counted(writing.length, 'test')} ${verb} to the API: ${tools.slice(0, 3).join(', ')}${more}. --route <name> tests one tool, --replay <folder> sends nothing.`;
}

async function runAll(
  tests: readonly TestCase[],
  { options, ...about }: { options: TestOptions; serverParams: Readonly<Record<string, string>>; secrets: string[] },
): Promise<TestOutcome[]> {
  const { serverParams, secrets } = about;
  const line = openProgressLine();
  let done = 0;
  let failures = 0;
  const onDone = ({ status, test }: TestOutcome) => {
    done += 1;
    if (status === 'failed') failures += 1;
    line.show(`${done}/${tests.length}${failures === 0 ? '' : `, ${failures} failed`}  ${testLabel(test)}`);
  };
  const run = async (test: TestCase): Promise<TestOutcome> => {
    const { recordings, strict } = options;
    const outcome = await runRecorded(test, { recordings, serverParams, secrets, strict: strict.outputs });
    return { ...outcome, findings: outcome.findings.map((finding) => inEnvironment(finding, options)) };
  };
  const outcomes = await runTests(tests, { ...options, run, onDone });
  line.clear();
  return outcomes;
}

/** Replay uses placeholders, so that it cannot reveal secrets. */
function placeholders({ routes }: TestTarget): Readonly<Record<string, string>> {
  return Object.fromEntries(secretNames(routes).map((name) => [name, placeholderOf(name)]));
}

function sharingProblem(folder: string, tests: readonly TestCase[]): CommandResult | undefined {
  const [sharing] = sharedRecordings(folder, tests);
  if (sharing === undefined) return undefined;
  const labels = sharing.map((test) => `${testLabel(test)} of ${shownFile(test.schema.file)}`).join(' and ');
  const fix = 'Record them in separate folders.';
  return failed('usage', { error: `These tests have the same recording file: ${labels}.`, fix });
}
