import { openRecordingSession, type RecordingFolder } from './recordings/record-replay.ts';
import { recordingPath } from './recordings/recording.ts';
import { runTest, type TestOutcome } from './run-tests.ts';
import { routeLabel, shownFile, type TestCase } from './test-case.ts';

interface RunRecordedOptions {
  /** Where its requests are recorded, or replayed from. */
  recordings?: RecordingFolder | undefined;
  serverParams: Readonly<Record<string, string>>;
  /** Values that are masked in recordings. */
  secrets: readonly string[];
  /** Whether an answer that differs from the output schema fails the test. */
  strict: boolean;
}

/** Runs a test; with a folder of recordings, its requests are recorded there or answered from there. */
export async function runRecorded(
  test: TestCase,
  { recordings, serverParams, secrets, strict }: RunRecordedOptions,
): Promise<TestOutcome> {
  if (recordings === undefined) return runTest(test, { serverParams, strict });
  const without = { test, data: null, durationMs: 0 };
  const about = { tool: routeLabel(test), test: { _description: test.description, ...test.userParams } };
  const path = recordingPath(recordings.folder, test);
  const opened = await openRecordingSession({ kind: recordings.kind, path, about, secrets });
  if ('missing' in opened) {
    return { ...without, status: 'skipped', reason: `no recording ${shownFile(opened.missing)}`, findings: [] };
  }
  if ('findings' in opened) return { ...without, status: 'failed', findings: opened.findings };
  return runTest(test, { serverParams, strict, session: opened.session });
}
