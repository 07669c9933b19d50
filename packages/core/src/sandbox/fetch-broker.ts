import type { JobLink } from './host-job.ts';
import {
  type BrokerRequest,
  type BrokerResponse,
  type CallMessage,
  type LogLevel,
  MAX_BODY_BYTES,
  type SecretUse,
  type ToHost,
} from './host-message.ts';

const MAX_REQUESTS = 1000;
/** Requests at a time; a sound host asks for half as many and lets the others wait. */
const MAX_OPEN = 64;
/** Methods that ask and change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Makes the requests of a handler. `signal` is aborted when the handler gives up or its call ends. */
export type FetchBroker = (request: BrokerRequest, signal: AbortSignal) => Promise<BrokerResponse>;

/** What our process does for a call while it runs. */
export interface CallServices {
  /** Default: the call has no network. */
  fetch?: FetchBroker | undefined;
  /** Takes what the handler writes to its console. */
  onLog?: ((level: LogLevel, text: string) => void) | undefined;
  /** Learns what the handler does with secrets of its context, before anything that could follow from it. */
  onSecret?: ((use: SecretUse, name: string) => void) | undefined;
}

/** Takes what a call says while it runs: its requests go to the broker, and what comes back to the host. */
export function openCallLink(
  { fetch, onLog, onSecret }: CallServices,
  send: (message: ToHost) => void,
): JobLink<CallMessage> {
  const open = new Map<number, AbortController>();
  let count = 0;
  let hasChanged = false;

  async function answer(fetchId: number, request: BrokerRequest): Promise<void> {
    const controller = new AbortController();
    open.set(fetchId, controller);
    try {
      if (fetch === undefined) throw new Error('this code has no network');
      if (open.size > MAX_OPEN) throw new Error(`more than ${MAX_OPEN} requests at a time`);
      if ((request.body?.length ?? 0) > MAX_BODY_BYTES) throw new Error('the body is too large');
      if (++count > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests in one call`);
      hasChanged ||= !SAFE_METHODS.has(request.method.toUpperCase());
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
    take(message) {
      if (message.type === 'fetch') void answer(message.fetchId, message.request);
      else if (message.type === 'abort-fetch') abort(message.fetchId);
      else if (message.type === 'log') onLog?.(message.level, message.text);
      else onSecret?.(message.use, message.name);
    },
    close() {
      for (const fetchId of [...open.keys()]) abort(fetchId);
    },
    // A request may have changed something where it went.
    isRepeatable: () => !hasChanged,
  };
}

function failureOf(error: unknown): { message: string; code?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? { message, code } : { message };
}
