import { AsyncLocalStorage } from 'node:async_hooks';
import type { RunState } from './run-state.ts';

/** A tool call, as the runs know it that the tool starts in the same process. */
export interface OuterCall {
  /** How many agents are above these runs. */
  depth: number;
  /** What they use counts in the run of the call. */
  runs: RunState[];
}

/** The tool call in which code runs, so that agents which call each other by functions of the program end as well. */
export const outerCall: AsyncLocalStorage<OuterCall> = new AsyncLocalStorage();
