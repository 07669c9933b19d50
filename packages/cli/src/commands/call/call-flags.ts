import type { Isolation } from '../parameters.ts';

/** The flags of `schemakit call`, as they were typed. */
export interface CallFlags {
  group?: string;
  lock?: string;
  /** Where handlers run. */
  isolation: Isolation;
  /** Shows the request that would be sent. */
  dryRun: boolean;
  /** Shows it as a curl command. */
  curl: boolean;
  /** JMESPath. */
  select?: string;
  /** False for `--no-cache`. */
  cache: boolean;
  refresh: boolean;
}

/** What is wrong with the flags as they stand together. */
export function flagsProblem(flags: CallFlags): { problem: string; fix: string } | undefined {
  const { dryRun, curl, select, cache, refresh } = flags;
  const shows = curl ? '--curl' : '--dry-run';
  if ((dryRun || curl) && select !== undefined) {
    return { problem: `${shows} sends nothing, so that there is nothing to select from.`, fix: 'Leave out --select.' };
  }
  if (refresh && !cache) return { problem: '--refresh needs the cache.', fix: 'Leave out --no-cache.' };
  return undefined;
}

/** A flag that only a call of a tool takes. */
export function callingFlag({ dryRun, curl, select, cache, refresh, isolation }: CallFlags): string | undefined {
  if (dryRun) return '--dry-run';
  if (curl) return '--curl';
  if (select !== undefined) return '--select';
  if (refresh) return '--refresh';
  if (isolation !== 'process') return '--isolation';
  return cache ? undefined : '--no-cache';
}
