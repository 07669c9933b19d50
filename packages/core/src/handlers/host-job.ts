import type { ResultText } from './answer-apart.ts';
import type { FetchBroker } from './answer-fetch.ts';
import type { HandlerFailure } from './handler-error.ts';
import type { HandlerProgram } from './handler-program.ts';
import type { HostTask, LogLevel, SecretUse } from './host-message.ts';

/** A task with what our process adds to it. */
export interface HostJob {
  task: HostTask;
  /** Tells programs apart; empty where the task needs none. */
  key: string;
  program?: HandlerProgram | undefined;
  /** From the moment at which the host begins the task. */
  timeoutMs: number;
  /** What the deadline was before a part of it was used, for messages. Default: `timeoutMs`. */
  limitMs?: number | undefined;
  fetch?: FetchBroker | undefined;
  onLog?: ((level: LogLevel, text: string) => void) | undefined;
  onSecret?: ((use: SecretUse, name: string) => void) | undefined;
}

/** How a job ended. `lost` is the end of its host. */
export type JobOutcome = ({ type: 'done' } & ResultText) | { type: 'failed'; failure: HandlerFailure } | LostJob;

/** A job whose host ended, or did not react any more. */
export interface LostJob {
  type: 'lost';
  /**
   * Whether the job may run again. `anywhere`: it was not begun. `alone`: it was begun beside others, any of which may be the
   * one that ended the host, and has changed nothing in the world so far. `never`: it ran alone, so it is the one, or it may
   * have changed something.
   */
  again: 'anywhere' | 'alone' | 'never';
  /** Milliseconds that it ran. */
  usedMs: number;
  cause: string;
}
