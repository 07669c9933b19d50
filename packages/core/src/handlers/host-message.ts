import type { ResultText } from './answer-apart.ts';
import type { HandlerFailure } from './handler-error.ts';
import type { HandlerProgram } from './handler-program.ts';
import type { HookContext, HookName } from './hook-context.ts';

/** One piece of work for a host. */
export type HostTask =
  | { kind: 'call'; name: string; query?: string; hook: HookName; context: HookContext }
  | { kind: 'describe' }
  | { kind: 'evaluate'; source: string; exportName: string };

/** A request that handler code asks our process to make. */
export interface BrokerRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Gives redirects as answers. */
  redirect?: 'manual';
}

/** What our process answers; header names in lower case. */
export interface BrokerResponse {
  /** URL of the response, after redirects. */
  url: string;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** A request that got no response. */
export interface BrokerFailure {
  message: string;
  code?: string;
}

/** What handler code did with what it sees in the place of a secret: it read it, or gave it to something that computes. */
export type SecretUse = 'read' | 'computed';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** From our process to a host. An answer travels as its text (see `HookContext`), all else as a structured clone. */
export type ToHost =
  | { type: 'program'; key: string; program: HandlerProgram }
  | { type: 'task'; id: number; key: string; task: HostTask }
  | { type: 'cancel'; id: number }
  /** Asks whether the host still reacts. */
  | { type: 'ping' }
  | { type: 'response'; fetchId: number; response: BrokerResponse }
  | { type: 'no-response'; fetchId: number; failure: BrokerFailure };

/**
 * What a call says while it runs, beside the messages of every host (`FromHost`). Answers travel as JSON text, so that their
 * size is known before they are parsed.
 */
export type CallMessage =
  | { type: 'fetch'; fetchId: number; request: BrokerRequest }
  | { type: 'abort-fetch'; fetchId: number }
  | { type: 'log'; level: LogLevel; text: string }
  /** Sent before anything that could follow from it, such as a request. */
  | { type: 'secret'; use: SecretUse; name: string };

/** From a host to our process. */
export type FromHandlerHost =
  | { type: 'ready' | 'pong' | 'unfit' }
  | { type: 'opening' | 'started'; id: number }
  | ({ type: 'done'; id: number } & ResultText)
  | { type: 'failed'; id: number; failure: HandlerFailure }
  | { type: 'cancelled'; id: number; settled: boolean }
  | ({ id: number } & CallMessage);

/** Largest body of a request that handler code makes, in bytes or characters. */
export const MAX_BODY_BYTES: number = 10 * 1024 * 1024;

/** Largest answer of a task, in characters of JSON text. */
export const MAX_RESULT_LENGTH: number = 10 * 1024 * 1024;
