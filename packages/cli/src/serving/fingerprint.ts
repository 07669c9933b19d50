import type { FilesState } from './files-state.ts';

/** Times of files are coarse: what was written this recently may be written again without a trace, in milliseconds. */
const settlingMs = 2000;

/**
 * Says in short what files are and what reads them: the same text for the same answer. Undefined where one of the files has been
 * written to so lately that this cannot be told.
 *
 * @param version Of what reads them.
 */
export function fingerprintOf({ hash, changedAt }: FilesState, version: string): string | undefined {
  return changedAt > Date.now() - settlingMs ? undefined : `${version} ${hash}`;
}
