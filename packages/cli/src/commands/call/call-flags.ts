import type { Isolation } from '../parameters.ts';

export interface CallFlags {
  group?: string;
  lock?: string;
  isolation: Isolation;
  dryRun: boolean;
  curl: boolean;
  select?: string;
  cache: boolean;
  refresh: boolean;
  verbose: boolean;
  output?: string;
  timeout?: number;
}

export function flagsProblem(flags: CallFlags): { problem: string; fix: string } | undefined {
  const { dryRun, curl, select, cache, refresh, output } = flags;
  const shows = curl ? '--curl' : '--dry-run';
  if ((dryRun || curl) && output !== undefined) {
    return { problem: `${shows} sends no request, so there is no answer to write.`, fix: 'Remove --output.' };
  }
  if (output !== undefined && select !== undefined) {
    return { problem: '--output writes the whole answer.', fix: 'Remove --select, or redirect standard output.' };
  }
  if ((dryRun || curl) && select !== undefined) {
    return { problem: `${shows} sends no request, so there is nothing to select from.`, fix: 'Remove --select.' };
  }
  if (refresh && !cache) return { problem: '--refresh needs the cache.', fix: 'Remove --no-cache.' };
  return undefined;
}

/** The first flag that `list-tools` does not accept. */
export function callingFlag(flags: CallFlags): string | undefined {
  const { dryRun, curl, select, cache, refresh, isolation, verbose, output, timeout } = flags;
  if (dryRun) return '--dry-run';
  if (curl) return '--curl';
  if (select !== undefined) return '--select';
  if (refresh) return '--refresh';
  if (verbose) return '--verbose';
  if (output !== undefined) return '--output';
  if (timeout !== undefined) return '--timeout';
  if (isolation !== 'process') return '--isolation';
  return cache ? undefined : '--no-cache';
}
