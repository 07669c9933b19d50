import { setTimeout } from 'node:timers/promises';

/** The command keeps nothing of files that were written to just now, since they may be written to again without a trace. */
export function untilSettled(): Promise<void> {
  return setTimeout(2500);
}
