import { resolve } from 'node:path';
import { lockFileName } from '@schemakit/core';
import { openProgressLine } from '../output/progress-line.ts';

type SizeLimit = 'fileBytes' | 'totalBytes' | 'registryBytes' | 'archiveBytes' | 'unpackedBytes';
type TimeLimit = 'requestMs' | 'silenceMs';

/** How much of a source is taken, and how long it may take. */
export type SourceLimits = Record<'files' | 'expansion' | SizeLimit | TimeLimit, number>;

const mebibyte = 2 ** 20;

const defaultLimits: Readonly<SourceLimits> = {
  files: 5000,
  // The largest module that is read.
  fileBytes: 2 * mebibyte,
  totalBytes: 128 * mebibyte,
  registryBytes: 4 * mebibyte,
  // An archive as it is sent.
  archiveBytes: 64 * mebibyte,
  // An archive or a repository once it is here.
  unpackedBytes: 256 * mebibyte,
  // How often larger an archive may be than it was sent; an archive of a mebibyte may always be made.
  expansion: 100,
  requestMs: 60_000,
  // A server that says nothing.
  silenceMs: 15_000,
};

/** Where the work on a source is. */
export interface SourceProgress {
  /** `fetch`: files are fetched. `check`: schemas are loaded. `write`: files are put in place. */
  step: 'fetch' | 'check' | 'write';
  done: number;
  total: number;
  /** Path below the folder of the source. */
  file: string;
}

export type OnProgress = (progress: SourceProgress) => void;

/** What imports and updates have in common. */
export interface SourceOptions {
  /** Folder of all sources; each has a folder of its own in it. */
  folder: string;
  /** Told after each file. */
  onProgress?: OnProgress | undefined;
  /** Stops the work; nothing of it is in use then. */
  signal?: AbortSignal;
  /** Does all but write: says what would become of each file. Default false. */
  dryRun?: boolean;
  limits?: Partial<SourceLimits>;
}

/** Options with every default filled in. */
export interface SourceSettings extends Required<Omit<SourceOptions, 'limits'>> {
  /** The lock file beside the sources, which holds schemas to what they are when they come. */
  lockFile: string;
  limits: SourceLimits;
}

/** Fills in the defaults. */
export function withDefaults({ folder, limits, ...options }: SourceOptions): SourceSettings {
  return {
    ...{ onProgress: undefined, signal: new AbortController().signal, dryRun: false },
    ...options,
    folder: resolve(folder),
    lockFile: resolve(folder, lockFileName),
    limits: { ...defaultLimits, ...limits },
  };
}

/** Tells after each file how far a step is. */
export function progressOf(
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

/** Does work on sources, and shows a person at a terminal how far it is. */
export async function withProgressLine<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const line = openProgressLine();
  try {
    return await work(({ step, done, total, file }) => line.show(`${verbs[step]} ${done}/${total} ${file}`));
  } finally {
    line.clear();
  }
}
