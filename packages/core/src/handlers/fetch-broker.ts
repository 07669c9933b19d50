import { type BrokerRequest, type BrokerResponse, MAX_BODY_BYTES, type ToHost } from './host-message.ts';

const MAX_REQUESTS = 1000;
/** Requests at a time; a sound host asks for half as many and lets the others wait. */
const MAX_OPEN = 64;
/** Methods that ask and change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Makes the requests of a handler. `signal` is aborted when the handler gives up or its call ends. */
export type FetchBroker = (request: BrokerRequest, signal: AbortSignal) => Promise<BrokerResponse>;

/** The requests of one call. */
export interface OpenRequests {
  answer(fetchId: number, request: BrokerRequest): Promise<void>;
  abort(fetchId: number): void;
  abortAll(): void;
  /** True once a request was made that may have changed something where it went. */
  hasChanged(): boolean;
}

/** Passes the requests of one call to its broker, and what comes back to the host. */
export function openRequests(broker: FetchBroker | undefined, send: (message: ToHost) => void): OpenRequests {
  const open = new Map<number, AbortController>();
  let count = 0;
  let hasChanged = false;

  return {
    answer: async (fetchId, request) => {
      const controller = new AbortController();
      open.set(fetchId, controller);
      try {
        if (broker === undefined) throw new Error('this code has no network');
        if (open.size > MAX_OPEN) throw new Error(`more than ${MAX_OPEN} requests at a time`);
        if ((request.body?.length ?? 0) > MAX_BODY_BYTES) throw new Error('the body is too large');
        if (++count > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests in one call`);
        hasChanged ||= !SAFE_METHODS.has(request.method.toUpperCase());
        const { url, status, statusText, headers, body } = await broker(request, controller.signal);
        if (open.has(fetchId))
          send({ type: 'response', fetchId, response: { url, status, statusText, headers, body } });
      } catch (error) {
        if (open.has(fetchId)) send({ type: 'no-response', fetchId, failure: failureOf(error) });
      } finally {
        open.delete(fetchId);
      }
    },
    abort: (fetchId) => {
      const controller = open.get(fetchId);
      open.delete(fetchId);
      controller?.abort();
    },
    abortAll: () => {
      const controllers = [...open.values()];
      open.clear();
      for (const controller of controllers) controller.abort();
    },
    hasChanged: () => hasChanged,
  };
}

function failureOf(error: unknown): { message: string; code?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? { message, code } : { message };
}
