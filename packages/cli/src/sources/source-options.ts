import { resolve } from 'node:path';
import { lockFileName } from '@schemakit/core';

/** How much of a source is taken, and how long it may take. */
export interface SourceLimits {
  /** Files of one source. Default 5,000. */
  files: number;
  /** One file, in bytes. Default 2 MiB, the largest module that is read. */
  fileBytes: number;
  /** All files of one source, in bytes. Default 128 MiB. */
  totalBytes: number;
  /** A registry, in bytes. Default 4 MiB. */
  registryBytes: number;
  /** An archive as it is sent, in bytes. Default 64 MiB. */
  archiveBytes: number;
  /** An archive or a repository once it is here, in bytes. Default 256 MiB. */
  unpackedBytes: number;
  /** How often larger an archive may be than it was sent. Default 100; an archive of a mebibyte may always be made. */
  expansion: number;
  /** One request, in milliseconds. Default 60,000. */
  requestMs: number;
  /** A server that says nothing, in milliseconds. Default 15,000. */
  silenceMs: number;
}

const mebibyte = 2 ** 20;

const defaultLimits: Readonly<SourceLimits> = {
  files: 5000,
  fileBytes: 2 * mebibyte,
  totalBytes: 128 * mebibyte,
  registryBytes: 4 * mebibyte,
  archiveBytes: 64 * mebibyte,
  unpackedBytes: 256 * mebibyte,
  expansion: 100,
  requestMs: 60_000,
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
  /** How much is taken. */
  limits?: Partial<SourceLimits>;
}

/** Options with every default filled in. */
export interface SourceSettings extends Required<Omit<SourceOptions, 'onProgress' | 'limits'>> {
  /** The lock file beside the sources, which holds schemas to what they are when they come. */
  lockFile: string;
  onProgress: OnProgress | undefined;
  limits: SourceLimits;
}

/** Fills in the defaults. */
export function withDefaults({ folder, onProgress, signal, dryRun = false, limits }: SourceOptions): SourceSettings {
  return {
    folder: resolve(folder),
    lockFile: resolve(folder, lockFileName),
    onProgress,
    signal: signal ?? new AbortController().signal,
    dryRun,
    limits: { ...defaultLimits, ...limits },
  };
}

/** Tells after each file how far a step is. A display that fails is no reason to stop. */
export function progressOf(
  step: SourceProgress['step'],
  { total, onProgress }: { total: number; onProgress: OnProgress | undefined },
): (file: string) => void {
  let done = 0;
  return (file) => {
    done += 1;
    try {
      onProgress?.({ step, done, total, file });
    } catch {
      // What was brought in so far counts.
    }
  };
}
