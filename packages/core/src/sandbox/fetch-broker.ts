import {
  type BrokerRequest,
  type BrokerResponse,
  type CallMessage,
  type LogLevel,
  MAX_BODY_BYTES,
  type SecretUse,
  type ToHost,
} from './host-message.ts';
import type { JobChannel } from './host-process.ts';

const MAX_REQUESTS = 1000;
/** Concurrent requests. The host itself limits them to half of this and queues the others. */
const MAX_OPEN = 64;
/** Methods without side effects (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Makes the requests of a handler. `signal` is aborted when the handler aborts the request or its call ends. */
export type FetchBroker = (request: BrokerRequest, signal: AbortSignal) => Promise<BrokerResponse>;

/** What a call in the sandbox may use of this process. */
export interface CallServices {
  /** Without it, the call has no network. */
  fetch?: FetchBroker | undefined;
  onLog?: ((level: LogLevel, text: string) => void) | undefined;
  /** Called when the handler uses a secret of its context, before anything that may depend on it. */
  onSecret?: ((use: SecretUse, name: string) => void) | undefined;
}

/** Handles the messages of a running call: makes its requests, and sends the responses to the host. */
export function openCallChannel(
  { fetch, onLog, onSecret }: CallServices,
  send: (message: ToHost) => void,
): JobChannel<CallMessage> {
  const open = new Map<number, AbortController>();
  let count = 0;
  let hasSideEffects = false;

  async function answer(fetchId: number, request: BrokerRequest): Promise<void> {
    const controller = new AbortController();
    open.set(fetchId, controller);
    try {
      if (fetch === undefined) throw new Error('this code has no network');
      if (open.size > MAX_OPEN) throw new Error(`more than ${MAX_OPEN} requests at a time`);
      if ((request.body?.length ?? 0) > MAX_BODY_BYTES) throw new Error('the body is too large');
      if (++count > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests in one call`);
      hasSideEffects ||= !SAFE_METHODS.has(request.method.toUpperCase());
      const { url, status, statusText, headers, body } = await fetch(request, controller.signal);
      if (open.has(fetchId)) send({ type: 'response', fetchId, response: { url, status, statusText, headers, body } });
    } catch (error) {
      if (open.has(fetchId)) send({ type: 'no-response', fetchId, failure: failureOf(error) });
    } finally {
      open.delete(fetchId);
    }
  }

  function abort(fetchId: number): void {
    const controller = open.get(fetchId);
    open.delete(fetchId);
    controller?.abort();
  }

  return {
    receive(message) {
      if (message.type === 'fetch') void answer(message.fetchId, message.request);
      else if (message.type === 'abort-fetch') abort(message.fetchId);
      else if (message.type === 'log') onLog?.(message.level, message.text);
      else onSecret?.(message.use, message.name);
    },
    close() {
      for (const fetchId of [...open.keys()]) abort(fetchId);
    },
    isRetryable: () => !hasSideEffects,
  };
}

function failureOf(error: unknown): { message: string; code?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? { message, code } : { message };
}
