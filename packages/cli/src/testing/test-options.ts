import { statSync } from 'node:fs';
import { nearestWord } from '@schemakit/core';
import { type CommandResult, failed, misused } from '../output/command-result.ts';
import type { TapeFolder } from './recordings/tapes.ts';

/** The flags that all three `schemakit test` have. */
export interface TestFlags {
  route?: string;
  lock?: string;
  concurrency: number;
  delay: number;
  retries: number;
  strict: boolean;
  report?: readonly string[];
  record?: string;
  replay?: string;
  updateOutput: boolean;
  dryRun: boolean;
}

export interface TestOptions extends Pick<TestFlags, 'route' | 'concurrency' | 'retries' | 'updateOutput' | 'dryRun'> {
  delayMs: number;
  strict: Strictness;
  reports: readonly ReportTarget[];
  tapes?: TapeFolder;
}

/** What a run asks for beside data of one route of each schema. */
export interface Strictness {
  /** Every test that runs passes. */
  passes: boolean;
  /** Every test is recorded, where answers are replayed. */
  isWhole: boolean;
}

export type ReadTestOptions = { ok: true; options: TestOptions } | { ok: false; result: CommandResult };

/** Reads the flags of `schemakit test`, and says which do not go together. */
export function readTestOptions(flags: TestFlags): ReadTestOptions {
  const { route, concurrency, retries, delay, strict, record, replay, updateOutput, dryRun } = flags;
  const wrong = (error: string, fix: string) => ({ ok: false, result: misused(error, fix) }) as const;
  if (record !== undefined && replay !== undefined) {
    return wrong('--record and --replay do not go together.', 'Record with one run, and replay with another.');
  }
  if (dryRun && !updateOutput) {
    return wrong('--dry-run is about --update-output.', 'Write both, or leave out --dry-run.');
  }
  const folder = record ?? replay;
  const info = folder === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (folder === '' || (info !== undefined && !info.isDirectory())) {
    return wrong(
      `${folder === '' ? 'The folder of recordings has no name' : `${folder} is no folder`}.`,
      'Name a folder.',
    );
  }
  if (replay !== undefined && info === undefined) {
    const fix = `Record answers first: --record ${replay}`;
    return { ok: false, result: failed('notFound', { error: `There are no recordings: no folder ${replay}.`, fix }) };
  }
  const reports: ReportTarget[] = [];
  for (const text of flags.report ?? []) {
    const read = readReportTarget(text);
    if (!read.ok) return wrong(read.problem, read.fix);
    reports.push(read.target);
  }
  const options: TestOptions = {
    ...{ concurrency, updateOutput, dryRun },
    ...(route !== undefined && { route }),
    delayMs: replay === undefined ? delay : 0,
    retries: replay === undefined ? retries : 0,
    // Recorded answers are those of tests that passed.
    strict: { passes: strict || replay !== undefined, isWhole: strict },
    reports,
    ...(folder !== undefined && { tapes: { kind: record === undefined ? 'replay' : 'record', folder } }),
  };
  return { ok: true, options };
}

/** A report of a run, and the file that it goes to. */
export interface ReportTarget {
  kind: (typeof kinds)[number];
  file: string;
}

const kinds = ['junit', 'json', 'html'] as const;

type ReadReportTarget = { ok: true; target: ReportTarget } | { ok: false; problem: string; fix: string };

/** Reads `--report <kind>` or `--report <kind>=<file>`. */
function readReportTarget(text: string): ReadReportTarget {
  const [word = '', file] = text.split(/=(.*)/s);
  const kind = kinds.find((known) => known === word);
  if (kind === undefined) {
    const meant = nearestWord(word, kinds);
    const fix = meant === undefined ? `Kinds are ${kinds.join(', ')}.` : `Did you mean ${meant}?`;
    return { ok: false, problem: `There is no report "${word}".`, fix };
  }
  if (file === '') {
    return { ok: false, problem: `--report ${text} names no file.`, fix: `Write --report ${kind}=<file>.` };
  }
  return { ok: true, target: { kind, file: file ?? `schemakit-test.${kind === 'junit' ? 'xml' : kind}` } };
}
