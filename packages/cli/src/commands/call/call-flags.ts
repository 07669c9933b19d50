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
}

/** Whether the request is only shown, not sent. */
export function isPreview({ dryRun, curl }: CallFlags): boolean {
  return dryRun || curl;
}

export function flagsProblem(flags: CallFlags): { problem: string; fix: string } | undefined {
  const { curl, select, cache, refresh } = flags;
  const shows = curl ? '--curl' : '--dry-run';
  if (isPreview(flags) && select !== undefined) {
    return { problem: `${shows} sends no request, so there is nothing to select from.`, fix: 'Remove --select.' };
  }
  if (refresh && !cache) return { problem: '--refresh needs the cache.', fix: 'Remove --no-cache.' };
  return undefined;
}

/** The first flag that `list-tools` does not accept. */
export function callingFlag({
  dryRun,
  curl,
  select,
  cache,
  refresh,
  isolation,
  envFile,
  env,
}: CallFlags): string | undefined {
  if (dryRun) return '--dry-run';
  if (curl) return '--curl';
  if (select !== undefined) return '--select';
  if (refresh) return '--refresh';
  if (envFile !== undefined) return '--env-file';
  if (env !== undefined) return '--env';
  if (isolation !== 'process') return '--isolation';
  return cache ? undefined : '--no-cache';
}
