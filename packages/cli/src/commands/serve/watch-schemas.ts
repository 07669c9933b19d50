import { setTimeout as wait } from 'node:timers/promises';
import type { Finding } from '@schemakit/core';
import { watchFiles } from '../../index/watch-files.ts';

export interface WatchOptions {
  /** Returns the files and folders to watch. */
  paths: () => readonly string[];
  /** Describes their current state, to compare. */
  look: () => string;
  /** Their state before they were loaded. */
  state: string;
  /** Loads the versions to keep when files break. */
  remember: () => Promise<void>;
  /** Reloads everything; returns the findings. */
  reload: () => Promise<readonly Finding[]>;
  /** Called after each reload. */
  onReload: (findings: readonly Finding[]) => void;
  /** Reports errors of the watcher. */
  complain: (message: string) => void;
}

/** The client asks for lists first, and must not wait until the watcher has looked at thousands of files. Milliseconds. */
const delayMs = 1000;

/** Reloads schemas when their files change. Returns a function that stops it. */
export async function watchSchemas({
  paths,
  look,
  state,
  remember,
  reload,
  onReload,
  complain,
}: WatchOptions): Promise<() => Promise<void>> {
  await wait(delayMs);
  await remember();
  // A server over stdio ends when its input does.
  const work = async () => onReload(await reload());
  const watched = await watchFiles(paths, work, { keepsRunning: false, complain });
  // Changes made before the watcher was ready.
  if (look() !== state) watched.again();
  return watched.close;
}
