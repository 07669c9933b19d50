import type { HandlerFailure } from './handler-error.ts';
import type { HandlerProgram } from './handler-program.ts';
import type { HookContext, HookName } from './hook-context.ts';
import type { FromHost } from './host-process.ts';
import { isAnswerPath, type ResultText } from './result-text.ts';

export type HostTask =
  | { kind: 'call'; name: string; query?: string; hook: HookName; context: HookContext }
  | { kind: 'describe' }
  | { kind: 'evaluate'; source: string; exportName: string };

/** A request that handler code asks the broker to make. */
export interface BrokerRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Return redirects instead of following them. */
  redirect?: 'manual';
}

/** The response, with header names in lower case. */
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

/** What handler code did with the token of a secret: `read` it, or passed it to a function that computes, such as a hash. */
export type SecretUse = 'read' | 'computed';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** To a host. Responses for hooks travel as JSON text (see `HookContext`), all else as a structured clone. */
export type ToHost =
  | { type: 'program'; key: string; program: HandlerProgram }
  | { type: 'task'; id: number; key: string; task: HostTask }
  | { type: 'cancel'; id: number }
  | { type: 'ping' }
  | { type: 'response'; fetchId: number; response: BrokerResponse }
  | { type: 'no-response'; fetchId: number; failure: BrokerFailure };

/** Sent by a call while it runs. */
export type CallMessage =
  | { type: 'fetch'; fetchId: number; request: BrokerRequest }
  | { type: 'abort-fetch'; fetchId: number }
  | { type: 'log'; level: LogLevel; text: string }
  /** Sent before anything that may depend on the secret, such as a request. */
  | { type: 'secret'; use: SecretUse; name: string };

/** From a host. Results travel as JSON text, so that their size is known before they are parsed. */
export type FromHandlerHost =
  | Exclude<FromHost<never, HandlerFailure, never>, { type: 'done' | 'message' }>
  | ({ type: 'done'; id: number } & ResultText)
  | ({ id: number } & CallMessage);

/** Largest request body of handler code, in bytes or characters. */
export const MAX_BODY_BYTES: number = 10 * 1024 * 1024;

/** Largest result of a task, in characters of JSON text. */
export const MAX_RESULT_LENGTH: number = 10 * 1024 * 1024;

const MAX_TEXT_LENGTH = 4000;
const failureCodes: ReadonlySet<string> = new Set([
  'HANDLER_THREW',
  'HANDLER_MISSING',
  'HANDLER_RESULT_TOO_LARGE',
  'HANDLER_RESULT_INVALID',
  'LIBRARY_MISSING',
  'LIBRARY_UNUSABLE',
  'FACTORY_THREW',
  'FACTORY_INVALID',
]);

/** Checks a message of a host, which runs third-party code. Returns undefined for a message of another shape. */
export function readHostMessage(message: unknown): FromHost<ResultText, HandlerFailure, CallMessage> | undefined {
  if (!isRecord(message)) return undefined;
  const { type, id } = message;
  if (type === 'ready' || type === 'pong' || type === 'retire') return { type };
  if (!isNumber(id)) return undefined;
  switch (type) {
    case 'opening':
    case 'started':
      return { type, id };
    case 'cancelled':
      return { type, id, finished: message.finished === true };
    case 'done': {
      const { json } = message;
      return typeof json === 'string' ? { type, id, result: { json, ...readAnswer(message.answer) } } : undefined;
    }
    case 'failed':
      return { type, id, failure: readFailure(message.failure) };
    default: {
      const content = readCallMessage(message);
      return content && { type: 'message', id, content };
    }
  }
}

function readCallMessage({ type, ...message }: Record<string, unknown>): CallMessage | undefined {
  const { fetchId, use, name } = message;
  switch (type) {
    case 'log':
      return { type, level: readLevel(message.level), text: readText(message.text) };
    case 'secret':
      return (use === 'read' || use === 'computed') && typeof name === 'string'
        ? { type, use, name: readText(name) }
        : undefined;
    case 'fetch': {
      const request = readRequest(message.request);
      return isNumber(fetchId) && request !== undefined ? { type, fetchId, request } : undefined;
    }
    case 'abort-fetch':
      return isNumber(fetchId) ? { type, fetchId } : undefined;
    default:
      return undefined;
  }
}

function readAnswer(value: unknown): Pick<ResultText, 'answer'> {
  if (!isRecord(value)) return {};
  const { path, json } = value;
  return isAnswerPath(path) && typeof json === 'string' ? { answer: { path, json } } : {};
}

function readFailure(value: unknown): HandlerFailure {
  if (!isRecord(value)) return { code: 'HANDLER_THREW', message: '' };
  const { code, message, hint, line } = value;
  return {
    code: typeof code === 'string' && failureCodes.has(code) ? (code as HandlerFailure['code']) : 'HANDLER_THREW',
    message: readText(message),
    ...(typeof hint === 'string' && { hint: readText(hint) }),
    ...(isNumber(line) && { line }),
  };
}

function readRequest(value: unknown): BrokerRequest | undefined {
  if (!isRecord(value) || typeof value.url !== 'string' || typeof value.method !== 'string') return undefined;
  const { url, method, headers, body, redirect } = value;
  const fields = isRecord(headers) ? Object.entries(headers).map(([name, field]) => [name, String(field)]) : [];
  const request: BrokerRequest = { url, method, headers: Object.fromEntries(fields) };
  if (redirect === 'manual') request.redirect = redirect;
  return typeof body === 'string' || body instanceof Uint8Array ? { ...request, body } : request;
}

function readLevel(value: unknown): LogLevel {
  return value === 'debug' || value === 'warn' || value === 'error' ? value : 'info';
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
