import { type CommandResult, usageError } from '../../output/command-result.ts';
import { flagName } from '../../output/help-text.ts';
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

/** The error of flags that exclude each other. */
export function flagsProblem(flags: CallFlags): CommandResult | undefined {
  const { curl, select, cache, refresh, output } = flags;
  const shows = curl ? '--curl' : '--dry-run';
  if (isPreview(flags) && output !== undefined) {
    return usageError(`${shows} sends no request, so there is no answer to write.`, 'Remove --output.');
  }
  if (output !== undefined && select !== undefined) {
    return usageError('--output writes the whole answer.', 'Remove --select, or redirect standard output.');
  }
  if (isPreview(flags) && select !== undefined) {
    return usageError(`${shows} sends no request, so there is nothing to select from.`, 'Remove --select.');
  }
  return refresh && !cache ? usageError('--refresh needs the cache.', 'Remove --no-cache.') : undefined;
}

/** The flags of calls that `list-tools` does not accept, with their defaults. */
const callingFlags = {
  ...{ dryRun: false, curl: false, select: undefined, refresh: false, verbose: false, output: undefined },
  ...{ timeout: undefined, envFile: undefined, env: undefined, isolation: 'process', cache: true },
} as const;

/** The first flag that `list-tools` does not accept. */
export function callingFlag(flags: CallFlags): string | undefined {
  for (const [name, value] of Object.entries(callingFlags)) {
    if (flags[name as keyof typeof callingFlags] === value) continue;
    return flagName(name, { kind: typeof value, default: value });
  }
  return undefined;
}
