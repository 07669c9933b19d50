import type { FromHost, ToHost } from '../host-message.ts';

/** From our thread to a worker: what a host gets, with tasks as text (`task-text.ts`). */
export type ToWasmHost =
  | Exclude<ToHost, { type: 'task' }>
  | { type: 'task'; id: number; key: string; text: string; answerText: string | undefined };

/** From a worker to our thread. */
export type FromWasmHost =
  | FromHost
  /** A VM failed in a way that it does not survive, or all take too much memory. The worker asks to be ended. */
  | { type: 'fell'; cause: string };
