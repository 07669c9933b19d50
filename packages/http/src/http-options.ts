import type { OnWait } from './limits/limiter.ts';
import type { UpstreamLimits } from './limits/upstream-limits.ts';
import type { NetworkPolicy } from './network-policy.ts';
import type { RequestWatch } from './request-watch.ts';

/** How a request is made; given to a client as its defaults, and to a single request to differ from them. */
export interface HttpOptions {
  /** Default: any public address. */
  policy?: NetworkPolicy;
  /** For the whole exchange with its redirects, retries and body, in milliseconds. Default 30,000. */
  timeoutMs?: number;
  /**
   * Longest silence while headers or body are awaited, in milliseconds; noticed up to a second late. Default 15,000, or `timeoutMs` where that was given and is
   * longer: who gives an API more time lets it think that long.
   */
  idleTimeoutMs?: number;
  /** Largest decoded body in bytes. Default 10 MiB. */
  maxBytes?: number;
  /** Default 5; at 0 every redirect is an error. */
  maxRedirects?: number;
  /** `manual` returns redirects as answers. Default `follow`. */
  redirect?: 'follow' | 'manual';
  /**
   * Default 2. Only for idempotent methods (RFC 9110 9.2.2), after a connection that failed before an answer and after 429, 502, 503 and 504. `Retry-After` is
   * kept to; an answer that asks for more time than `timeoutMs` leaves is returned as it is.
   */
  retries?: number;
  /** Ends the request with `ABORTED`, or with `ETIMEDOUT` where its reason is a `TimeoutError`, as that of `AbortSignal.timeout()`. */
  signal?: AbortSignal;
  /** Names of headers that carry secrets, beside `authorization`, `cookie` and `proxy-authorization`: never sent to another origin by a redirect. */
  secretHeaders?: readonly string[];
  /** Texts (such as a key in the query) that only the first origin may get: a redirect that would carry one elsewhere is refused. */
  secretValues?: readonly string[];
  /** Limits that it shares with others, from `createUpstreamLimits()`. Default none. Streams are not subject to them. */
  limits?: UpstreamLimits;
  /** Called when it is queued: for how many milliseconds, where that is known. */
  onWait?: OnWait;
  /** Follows it on the wire, for traces. */
  watch?: RequestWatch;
}

type WithDefault = Exclude<keyof HttpOptions, 'signal' | 'limits' | 'onWait' | 'watch'>;

/** Options with every default filled in. */
export type HttpSettings = Omit<HttpOptions, WithDefault> & Required<Pick<HttpOptions, WithDefault>>;

const NO_POLICY: NetworkPolicy = {};
const NONE: readonly string[] = [];

/** The longest delay a timer of Node.js keeps; a longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Fills in the defaults. */
export function withDefaults({
  policy = NO_POLICY,
  timeoutMs: givenTimeoutMs,
  idleTimeoutMs = Math.max(15_000, givenTimeoutMs ?? 0),
  maxBytes = 10 * 1024 * 1024,
  maxRedirects = 5,
  redirect = 'follow',
  retries = 2,
  secretHeaders = NONE,
  secretValues = NONE,
  ...others
}: HttpOptions): HttpSettings {
  const timeoutMs = Math.min(givenTimeoutMs ?? 30_000, MAX_TIMER_MS);
  const limits = { timeoutMs, idleTimeoutMs: Math.min(idleTimeoutMs, MAX_TIMER_MS), maxBytes, maxRedirects, retries };
  return { ...others, ...limits, policy, redirect, secretHeaders, secretValues };
}
