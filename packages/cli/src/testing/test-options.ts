import { statSync } from 'node:fs';
import { failed, refused, type Step } from '../output/command-result.ts';
import { didYouMean } from '../output/nearest-word.ts';
import type { RecordingFolder } from './recordings/record-replay.ts';

export interface TestFlags {
  route?: string;
  lock?: string;
  envFile?: string;
  env?: string;
  yes: boolean;
  concurrency: number;
  delay: number;
  retries: number;
  strict: boolean;
  quality?: 'library';
  report?: readonly string[];
  record?: string;
  replay?: string;
  updateOutput: boolean;
  dryRun: boolean;
}

export interface TestOptions
  extends Pick<TestFlags, 'route' | 'env' | 'envFile' | 'concurrency' | 'retries' | 'updateOutput' | 'dryRun'> {
  delayMs: number;
  strict: Strictness;
  reports: readonly ReportTarget[];
  recordings?: RecordingFolder;
}

export interface Strictness {
  /** Whether every test must pass; otherwise, one API tool of each schema must return data. */
  allPass: boolean;
  /** Whether answers must fit their output schemas. */
  outputs: boolean;
  allRecorded: boolean;
}

export function readTestOptions(flags: TestFlags): Step<{ options: TestOptions }> {
  const { retries, delay, strict, quality, record, replay, updateOutput, dryRun } = flags;
  if (record !== undefined && replay !== undefined) {
    return refused('--record and --replay cannot be combined.', 'Record in one run and replay in another.');
  }
  if (quality !== undefined && (strict || replay !== undefined)) {
    const other = strict ? '--strict' : '--replay';
    return refused(`--quality and ${other} cannot be combined.`, `With ${other}, every test must pass.`);
  }
  if (dryRun && !updateOutput) {
    return refused('--dry-run requires --update-output.', 'Use both, or leave out --dry-run.');
  }
  const folder = record ?? replay;
  const info = folder === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (folder === '' || (info !== undefined && !info.isDirectory())) {
    return refused(
      `${folder === '' ? 'The folder of recordings is empty' : `${folder} is not a folder`}.`,
      'Name a folder.',
    );
  }
  if (replay !== undefined && info === undefined) {
    const fix = `Record responses first: --record ${replay}`;
    return { ok: false, result: failed('notFound', { error: `No folder ${replay} with recordings.`, fix }) };
  }
  const read = readReportTargets(flags.report);
  if ('problem' in read) return refused(read.problem, read.fix);
  const options: TestOptions = {
    ...flags,
    delayMs: replay === undefined ? delay : 0,
    retries: replay === undefined ? retries : 0,
    strict: { allPass: quality === undefined, outputs: strict && !updateOutput, allRecorded: strict },
    reports: read.targets,
    ...(folder !== undefined && { recordings: { kind: record === undefined ? 'replay' : 'record', folder } }),
  };
  return { ok: true, options };
}

export interface ReportTarget {
  kind: (typeof allKinds)[number];
  file: string;
}

const allKinds = ['junit', 'json', 'html'] as const;

/** Parses each `--report <kind>` and `--report <kind>=<file>`. `name` is that of the file without its extension. */
export function readReportTargets(
  texts: readonly string[] = [],
  { kinds = allKinds, name = 'schemakit-test' }: { kinds?: readonly (typeof allKinds)[number][]; name?: string } = {},
): { targets: ReportTarget[] } | { problem: string; fix: string } {
  const targets: ReportTarget[] = [];
  for (const text of texts) {
    const [word = '', file] = text.split(/=(.*)/s);
    const kind = kinds.find((known) => known === word);
    if (kind === undefined)
      return { problem: `Unknown report "${word}".`, fix: didYouMean(word, kinds, `Kinds: ${kinds.join(', ')}.`) };
    if (file === '') return { problem: `--report ${text} names no file.`, fix: `Write --report ${kind}=<file>.` };
    targets.push({ kind, file: file ?? `${name}.${kind === 'junit' ? 'xml' : kind}` });
  }
  return { targets };
}
