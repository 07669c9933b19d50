import type { LimitOptions, RequestWatch } from '@schemakit/http';
import type { AnswerCache } from './answer-cache.ts';

/** Everything about a call except its arguments. Passed on unchanged, from the public methods down to the request. */
export interface CallContext {
  /** Ends the call and its request. */
  signal?: AbortSignal | undefined;
  /** Timeout of the request, in milliseconds, from 1 to 2,147,483,647. Default 30,000; for a query 10,000. */
  timeoutMs?: number | undefined;
  /** Receives what handlers write to the console. */
  onLog?: ((level: string, text: string) => void) | undefined;
  /** Receives a text for each step of the call, without its arguments and its answer. */
  onProgress?: ((message: string) => void) | undefined;
  /** Stores answers of tools with `preload`. Default: no cache. */
  cache?: AnswerCache | undefined;
  /** Asks the API even if the cache has an answer, and stores the new one. Default false. */
  refresh?: boolean | undefined;
  /**
   * For tools with `idempotency`: the key by which the API recognises this call if it is sent again, 1 to 255 visible ASCII characters.
   * Default: a random one for each call.
   */
  idempotencyKey?: string | undefined;
  /** Limits of requests to APIs, shared by all calls with the same object. Default none. */
  upstream?: UpstreamOptions | undefined;
}

/** Limits of requests to APIs. Calls with the same object share them and their state. */
export interface UpstreamOptions extends LimitOptions {
  /** Follows requests on the wire, for traces. */
  watch?: RequestWatch | undefined;
}

export interface UpstreamUse {
  /** How often a request was sent until it was answered; the maximum, if a handler sends several requests. */
  attempts: number;
  /** How long requests were queued, in milliseconds. */
  waitedMs: number;
}
