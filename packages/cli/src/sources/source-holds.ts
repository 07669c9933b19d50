import { join } from 'node:path';
import { type Finding, type Holding, holdFile } from '@schemakit/core';
import { makeFolder } from '../make-folder.ts';
import { sourceFinding } from './source-codes.ts';
import { stagingFolder } from './staging.ts';

/**
 * Does some work on a source while no other process does. That may take minutes, so nobody waits for another's end.
 *
 * @param options.folder - The folder of all sources.
 */
export async function holdSource<T>(
  { folder, name }: { folder: string; name: string },
  work: () => Promise<T>,
): Promise<Holding<T>> {
  const staging = stagingFolder(folder);
  makeFolder(staging);
  // Names that differ in upper and lower case are one.
  return holdFile(join(staging, `hold-${name.toLowerCase()}`), work);
}

/** Says who works on a source. */
export function heldBy({ pid, path }: { pid: number | undefined; path: string }, name: string): Finding {
  const who = pid === undefined ? 'another process' : `the process ${pid}`;
  return sourceFinding('SRC010', `${who} is at work on the source ${name}`, {
    hint: `Try again once it is done. If there is no such process, remove ${path}.`,
  });
}
