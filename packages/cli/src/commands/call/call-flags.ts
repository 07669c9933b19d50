import type { Isolation } from '../parameters.ts';

export interface CallFlags {
  group?: string;
  lock?: string;
  envFile?: string;
  env?: string;
  yes: boolean;
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

/** Whether the request is only shown, not sent. */
export function isPreview({ dryRun, curl }: CallFlags): boolean {
  return dryRun || curl;
}

export function flagsProblem(flags: CallFlags): { problem: string; fix: string } | undefined {
  const { curl, select, cache, refresh, output } = flags;
  const shows = curl ? '--curl' : '--dry-run';
  if (isPreview(flags) && output !== undefined) {
    return { problem: `${shows} sends no request, so there is no answer to write.`, fix: 'Remove --output.' };
  }
  if (output !== undefined && select !== undefined) {
    return { problem: '--output writes the whole answer.', fix: 'Remove --select, or redirect standard output.' };
  }
  if (isPreview(flags) && select !== undefined) {
    return { problem: `${shows} sends no request, so there is nothing to select from.`, fix: 'Remove --select.' };
  }
  if (refresh && !cache) return { problem: '--refresh needs the cache.', fix: 'Remove --no-cache.' };
  return undefined;
}

/** The first flag that `list-tools` does not accept. */
export function callingFlag(flags: CallFlags): string | undefined {
  const { dryRun, curl, select, cache, refresh, isolation, verbose, output, timeout, envFile, env } = flags;
  if (dryRun) return '--dry-run';
  if (curl) return '--curl';
  if (select !== undefined) return '--select';
  if (refresh) return '--refresh';
  if (verbose) return '--verbose';
  if (output !== undefined) return '--output';
  if (timeout !== undefined) return '--timeout';
  if (envFile !== undefined) return '--env-file';
  if (env !== undefined) return '--env';
  if (isolation !== 'process') return '--isolation';
  return cache ? undefined : '--no-cache';
}
