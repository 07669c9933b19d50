import type { OnWait } from './limits/limiter.ts';
import type { UpstreamLimits } from './limits/upstream-limits.ts';
import type { NetworkPolicy } from './network-policy.ts';
import type { RequestWatch } from './request-watch.ts';

/** Options of a request, and of a client as defaults for its requests. */
export interface HttpOptions {
  /** Default: any public address. */
  policy?: NetworkPolicy | undefined;
  /** For the whole exchange with its redirects, retries and body, in milliseconds. Default 30,000. */
  timeoutMs?: number | undefined;
  /**
   * The longest silence while waiting for headers or body, in milliseconds; detected up to a second late. Default 15,000, or a
   * longer `timeoutMs`, which gives the API time to think.
   */
  idleTimeoutMs?: number | undefined;
  /** Largest decoded body in bytes. Default 10 MiB. */
  maxBytes?: number | undefined;
  /** Default 5; at 0 every redirect is an error. */
  maxRedirects?: number | undefined;
  /** `manual` returns redirects as answers. Default `follow`. */
  redirect?: 'follow' | 'manual' | undefined;
  /**
   * Default 2. Only for idempotent methods (RFC 9110 9.2.2), after a connection that failed before an answer and after 429, 502,
   * 503 and 504. Respects `Retry-After`; an answer that asks for more time than `timeoutMs` leaves is returned as it is.
   */
  retries?: number | undefined;
  /** Ends the request with `ABORTED`, or with `ETIMEDOUT` if its reason is a `TimeoutError`, as from `AbortSignal.timeout()`. */
  signal?: AbortSignal | undefined;
  /** Names of headers that carry secrets, in addition to `authorization`, `cookie` and `proxy-authorization`: never redirected to another origin. */
  secretHeaders?: readonly string[] | undefined;
  /** Texts (such as a key in the query) that only the first origin may receive: a redirect that would carry one elsewhere is refused. */
  secretValues?: readonly string[] | undefined;
  /** `token` for a request that only gets an access token: interceptors do not record it. Default `api`. */
  purpose?: 'api' | 'token' | undefined;
  /** Limits shared with other requests, from `createUpstreamLimits()`. Default none. Not for streams. */
  limits?: UpstreamLimits | undefined;
  /** Called when the request is queued, with the milliseconds to wait if they are known. */
  onWait?: OnWait | undefined;
  /** Follows the request on the wire, for traces. */
  watch?: RequestWatch | undefined;
}

type Optional = 'signal' | 'limits' | 'onWait' | 'watch';

export type HttpSettings = Pick<HttpOptions, Optional> & {
  [Name in Exclude<keyof HttpOptions, Optional>]-?: NonNullable<HttpOptions[Name]>;
};

const NO_POLICY: NetworkPolicy = {};
const NONE: readonly string[] = [];

/** The longest delay of a Node.js timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Fills in what a request leaves open from the defaults of its client. */
export function withDefaults(options: HttpOptions, defaults: HttpOptions = {}): HttpSettings {
  const timeoutMs = options.timeoutMs ?? defaults.timeoutMs;
  const idleTimeoutMs = options.idleTimeoutMs ?? defaults.idleTimeoutMs ?? Math.max(15_000, timeoutMs ?? 0);
  return {
    policy: options.policy ?? defaults.policy ?? NO_POLICY,
    timeoutMs: Math.min(timeoutMs ?? 30_000, MAX_TIMER_MS),
    idleTimeoutMs: Math.min(idleTimeoutMs, MAX_TIMER_MS),
    maxBytes: options.maxBytes ?? defaults.maxBytes ?? 10 * 1024 * 1024,
    maxRedirects: options.maxRedirects ?? defaults.maxRedirects ?? 5,
    redirect: options.redirect ?? defaults.redirect ?? 'follow',
    retries: options.retries ?? defaults.retries ?? 2,
    signal: options.signal ?? defaults.signal,
    secretHeaders: options.secretHeaders ?? defaults.secretHeaders ?? NONE,
    secretValues: options.secretValues ?? defaults.secretValues ?? NONE,
    purpose: options.purpose ?? defaults.purpose ?? 'api',
    limits: options.limits ?? defaults.limits,
    onWait: options.onWait ?? defaults.onWait,
    watch: options.watch ?? defaults.watch,
  };
}
