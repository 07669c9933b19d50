import type { CommandContext } from '@stricli/core';

/** What those who propose values know. */
export interface CompletionContext extends CommandContext {
  /** The words before the one that is being typed, without `--cwd` and `--json`. */
  words?: readonly string[];
}
