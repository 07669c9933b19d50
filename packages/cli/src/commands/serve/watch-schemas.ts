import { setTimeout as wait } from 'node:timers/promises';
import type { Finding } from '@schemakit/core';
import { watchFiles } from '../../index/watch-files.ts';
import type { OpenedServing } from './open-serving.ts';

export interface WatchOptions extends Pick<OpenedServing, 'state' | 'remember' | 'reload'> {
  paths: () => readonly string[];
  /** Describes the current state of the files, to compare it with `state`. */
  look: () => string;
  onReload: (findings: readonly Finding[]) => void;
  complain: (message: string) => void;
}

/** The client asks for lists first, and must not wait until the watcher has looked at thousands of files. Milliseconds. */
const delayMs = 1000;

export async function watchSchemas(options: WatchOptions): Promise<() => Promise<void>> {
  const { paths, look, state, remember, reload, onReload, complain } = options;
  await wait(delayMs);
  await remember();
  // A server over stdio ends when its input does.
  const work = async () => onReload(await reload());
  const watched = await watchFiles(paths, work, { keepsRunning: false, complain });
  // Changes made before the watcher was ready.
  if (look() !== state) watched.again();
  return watched.close;
}
