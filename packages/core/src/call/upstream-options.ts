import type { LimitOptions, RequestWatch } from '@schemakit/http';

/** How calls treat the APIs behind them. Calls that are given the same object share its limits and what is known of the APIs. */
export interface UpstreamOptions extends LimitOptions {
  /** Follows requests on the wire, for traces. */
  watch?: RequestWatch | undefined;
}

/** What it took to get an answer from an API. */
export interface UpstreamUse {
  /** How often a request was sent until it was answered; the highest number, where a handler sends several. */
  attempts: number;
  /** How long requests stood in line, in milliseconds. */
  waitedMs: number;
}
