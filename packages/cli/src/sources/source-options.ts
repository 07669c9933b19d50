import { resolve } from 'node:path';
import { lockFileName } from '@schemakit/core/lock';
import { openProgressLine } from '../output/progress-line.ts';

type SizeLimit = 'fileBytes' | 'totalBytes' | 'registryBytes' | 'archiveBytes' | 'unpackedBytes';
type TimeLimit = 'requestMs' | 'silenceMs';

/** Limits of size and time. */
export type SourceLimits = Record<'files' | 'expansion' | SizeLimit | TimeLimit, number>;

const mebibyte = 2 ** 20;

const defaultLimits: Readonly<SourceLimits> = {
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

/** The progress of an import or update. */
export interface SourceProgress {
  step: 'fetch' | 'check' | 'write';
  done: number;
  total: number;
  /** Path below the folder of the source. */
  file: string;
}

export type OnProgress = (progress: SourceProgress) => void;

/** Options of imports and updates. */
export interface SourceOptions {
  /** The folder that contains the folder of each source. */
  folder: string;
  /** Called after each file. */
  onProgress?: OnProgress | undefined;
  /** Reports what would change, and writes nothing. Default false. */
  dryRun?: boolean;
  limits?: Partial<SourceLimits>;
}

/** Options with defaults. */
export interface SourceSettings extends Required<Omit<SourceOptions, 'limits'>> {
  /** The lock file beside the sources, which pins imported schemas. */
  lockFile: string;
  limits: SourceLimits;
}

export function withDefaults({ folder, limits, ...options }: SourceOptions): SourceSettings {
  return {
    ...{ onProgress: undefined, dryRun: false },
    ...options,
    folder: resolve(folder),
    lockFile: resolve(folder, lockFileName),
    limits: { ...defaultLimits, ...limits },
  };
}

/** Returns a function that counts files and reports progress. */
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

const verbs: Readonly<Record<SourceProgress['step'], string>> = {
  fetch: 'Fetching',
  check: 'Checking',
  write: 'Writing',
};

/** Shows progress at a terminal while `work` runs. */
export async function withProgressLine<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const line = openProgressLine();
  try {
    return await work(({ step, done, total, file }) => line.show(`${verbs[step]} ${done}/${total} ${file}`));
  } finally {
    line.clear();
  }
}
