import type { Finding } from '@schemakit/core';
import { createScrubber } from '@schemakit/http';
import type { TestCase } from '../test-case.ts';
import { openRecordTape } from './record-tape.ts';
import { mask } from './recording.ts';
import { recordingFinding } from './recording-codes.ts';
import { readRecording, recordingPath } from './recording-file.ts';
import { openReplayTape } from './replay-tape.ts';
import type { Tape } from './tape.ts';

/** Where answers are recorded, or come from. */
export interface TapeFolder {
  kind: 'record' | 'replay';
  folder: string;
}

export type OpenedTape = { tape?: Tape } | { missing: string } | { findings: readonly Finding[] };

/** Gives each test what stands between it and the network; nothing, where its requests simply go there. */
export function openTapes(
  place: TapeFolder | undefined,
  secrets: readonly string[],
): (test: TestCase) => Promise<OpenedTape> {
  if (place === undefined) return async () => ({});
  const { kind, folder } = place;
  const scrub = createScrubber(secrets, mask);
  return async (test) => {
    const path = recordingPath(folder, test);
    if (kind === 'record') return { tape: openRecordTape(test, { path, scrub }) };
    const read = await readRecording(path);
    if (read.status === 'missing') return { missing: path };
    if (read.status === 'broken') {
      return { findings: [recordingFinding('REC002', read.problem, 'Record the test again with --record.', path)] };
    }
    return { tape: openReplayTape(read.exchanges, { path, scrub }) };
  };
}

/** Tests that would be recorded in one file, because a file system may take their names for the same. */
export function sharedRecordings(folder: string, tests: readonly TestCase[]): TestCase[][] {
  const byPath = Map.groupBy(tests, (test) => recordingPath(folder, test).toLowerCase());
  return [...byPath.values()].filter((sharing) => sharing.length > 1);
}
