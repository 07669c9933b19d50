import { resolve } from 'node:path';
import { lockFileName } from '@schemakit/core/lock';
import { openProgressLine } from '../output/progress-line.ts';

const mebibyte = 2 ** 20;

type Bytes = 'fileBytes' | 'totalBytes' | 'registryBytes' | 'archiveBytes' | 'unpackedBytes';
type Limit = 'files' | 'expansion' | Bytes | 'requestMs' | 'silenceMs';

/** Limits of sizes (in bytes), counts and times. */
export const sourceLimits: Record<Limit, number> = {
  files: 5000,
  // The size limit of a module.
  fileBytes: 2 * mebibyte,
  totalBytes: 128 * mebibyte,
  registryBytes: 4 * mebibyte,
  // A compressed archive.
  archiveBytes: 64 * mebibyte,
  // An unpacked archive, or a repository.
  unpackedBytes: 256 * mebibyte,
  // Maximum ratio of unpacked to compressed size; does not apply below one mebibyte.
  expansion: 100,
  requestMs: 60_000,
  // Idle time-out.
  silenceMs: 15_000,
};

export interface SourceProgress {
  step: 'fetch' | 'check' | 'write';
  done: number;
  total: number;
  /** Path below the folder of the source. */
  file: string;
}

export type OnProgress = (progress: SourceProgress) => void;

export interface SourceOptions {
  /** The folder that contains the folder of each source. */
  folder: string;
  /** Called after each file. */
  onProgress?: OnProgress | undefined;
  /** Reports what would change, and writes nothing. Default false. */
  dryRun?: boolean;
}

/** Options with defaults. */
export interface SourceSettings extends Required<SourceOptions> {
  /** The lock file beside the sources, which pins imported schemas. */
  lockFile: string;
}

export function withDefaults({ folder, onProgress, dryRun = false }: SourceOptions): SourceSettings {
  return { folder: resolve(folder), onProgress, dryRun, lockFile: resolve(folder, lockFileName) };
}

export function progressReporter(
  step: SourceProgress['step'],
  { total, onProgress }: { total: number; onProgress: OnProgress | undefined },
): (file: string) => void {
  let done = 0;
  return (file) => {
    done += 1;
    onProgress?.({ step, done, total, file });
  };
}

const verbs = { fetch: 'Fetching', check: 'Checking', write: 'Writing' } as const;

export async function withProgressLine<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const line = openProgressLine();
  try {
    return await work(({ step, done, total, file }) => line.show(`${verbs[step]} ${done}/${total} ${file}`));
  } finally {
    line.clear();
  }
}
