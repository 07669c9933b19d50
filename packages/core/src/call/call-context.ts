import type { LimitOptions, RequestWatch } from '@schemakit/http';
import type { AnswerCache } from './answer-cache.ts';

/** What a call is made with beside its arguments. The public methods pass it on as it is, down to the request. */
export interface CallContext {
  /** Ends the call and its upstream request. */
  signal?: AbortSignal | undefined;
  /** Of the upstream exchange, in milliseconds, from 1 to 2,147,483,647. Default 30,000; for a query 10,000. */
  timeoutMs?: number | undefined;
  /** Takes what handlers write to the console. */
  onLog?: ((level: string, text: string) => void) | undefined;
  /** Takes a text on each step of the call. The texts hold nothing of its arguments and its answer. */
  onProgress?: ((message: string) => void) | undefined;
  /** Where answers of tools with `preload` are kept. Default: they are not. */
  cache?: AnswerCache | undefined;
  /** Asks the API even where the cache has an answer, and keeps the new one. Default false. */
  refresh?: boolean | undefined;
  /** Limits of the requests to APIs, shared by all calls that are given the same object. Default none. */
  upstream?: UpstreamOptions | undefined;
}

/** Limits of requests to APIs. Calls that are given the same object share them, and what is known of the APIs. */
export interface UpstreamOptions extends LimitOptions {
  /** Follows requests on the wire, for traces. */
  watch?: RequestWatch | undefined;
}

/** What it took to get an answer from an API. */
export interface UpstreamUse {
  /** How often a request was sent until it was answered; the highest number, where a handler sends several. */
  attempts: number;
  /** How long requests were queued, in milliseconds. */
  waitedMs: number;
}
