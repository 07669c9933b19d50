import { setTimeout as wait } from 'node:timers/promises';
import type { Finding } from '@schemakit/core';
import { watchFiles } from '../../index/watch-files.ts';

export interface WatchOptions {
  /** Tells the files and folders. */
  places: () => readonly string[];
  /** Says what they are, to compare. */
  look: () => string;
  /** What they were before they were loaded. */
  state: string;
  /** Loads what a file that breaks is to keep. */
  remember: () => Promise<void>;
  /** Loads everything anew; returns what is wrong. */
  reload: () => Promise<readonly Finding[]>;
  /** Told after each loading. */
  onReload: (findings: readonly Finding[]) => void;
  /** Takes what goes wrong with the watching. */
  complain: (message: string) => void;
}

/** A client asks for lists as soon as a server runs, and would wait for the watcher to be loaded, in milliseconds. */
const delayMs = 300;

/** Loads schemas anew when their files change. Returns what ends that. */
export async function watchSchemas({
  places,
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
  const watched = await watchFiles(places, work, { keepsRunning: false, complain });
  // What changed before anybody watched.
  if (look() !== state) watched.again();
  return watched.close;
}
