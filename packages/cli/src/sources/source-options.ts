import { join, resolve } from 'node:path';
import { lockFileName } from '@schemakit/core';
import { defaultLimits, type SourceLimits } from './source-limits.ts';
import type { OnProgress } from './source-progress.ts';

/** What imports and updates have in common. */
export interface SourceOptions {
  /** Folder of all sources; each has a folder of its own in it. */
  folder: string;
  /** Where schemas are held to what they are when they come. Default: `schemakit.lock.json` in `folder`. */
  lockFile?: string;
  /** Told after each file. */
  onProgress?: OnProgress;
  /** Stops the work. What was fetched is kept for the next attempt, and nothing of it is in use. */
  signal?: AbortSignal;
  /** Does all but write: says what would become of each file. Default false. */
  dryRun?: boolean;
  /** How much is taken. */
  limits?: Partial<SourceLimits>;
}

/** Options with every default filled in. */
export interface SourceSettings {
  folder: string;
  lockFile: string;
  onProgress: OnProgress | undefined;
  signal: AbortSignal;
  dryRun: boolean;
  limits: SourceLimits;
}

/** Fills in the defaults. */
export function settle({
  folder,
  lockFile = join(folder, lockFileName),
  onProgress,
  signal = new AbortController().signal,
  dryRun = false,
  limits = {},
}: SourceOptions): SourceSettings {
  return {
    folder: resolve(folder),
    lockFile: resolve(lockFile),
    onProgress,
    signal,
    dryRun,
    limits: { ...defaultLimits, ...limits },
  };
}
