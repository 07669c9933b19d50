import type { AnswerPlace } from '../answer-apart.ts';
import type { HandlerProgram } from '../handler-program.ts';
import type { BrokerFailure, BrokerResponse } from '../host-message.ts';

/** What a VM needs of a program. */
export type VmProgram = Pick<HandlerProgram, 'source' | 'sharedLists'>;

/** From the worker to the code in a VM, as JSON. Large texts and bytes stand beside it as they are. */
export type ToVm =
  /** Comes once, before the first task. */
  | { type: 'program'; program: VmProgram }
  /** Beside it: the text of the task (`task-text.ts`), and that of the answer where there is one. */
  | { type: 'task'; id: number }
  | { type: 'cancel'; id: number }
  | { type: 'timer'; timerId: number }
  /** Beside it: the body. */
  | { type: 'response'; fetchId: number; response: Omit<BrokerResponse, 'body'> }
  | { type: 'no-response'; fetchId: number; failure: BrokerFailure };

/**
 * What code in a VM says when a task is done, as JSON. Beside it: the data that a hook answers with, where its place is said, or
 * else all of the result.
 */
export interface DoneInVm {
  type: 'done';
  /** All but that data. */
  json?: string;
  place?: AnswerPlace;
}
