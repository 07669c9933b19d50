import './require-node.ts';

export { type Lookup, socketLookup } from './guarded-agent.ts';
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type Interceptor,
  interceptRequests,
} from './http-client.ts';
export { explainFailure, HTTP_ERRORS, HttpError, type HttpErrorCode, type HttpErrorEntry } from './http-error.ts';
export type { HttpAnswer, HttpRequest, HttpStream, Redirection } from './http-message.ts';
export type { HttpOptions } from './http-options.ts';
export { isPublicAddress } from './is-public-address.ts';
export type { BreakerOptions, BreakerState } from './limits/breaker.ts';
export type { LimitOptions, UpstreamOutcome, UpstreamRecord } from './limits/limiter.ts';
export { createUpstreamLimits, type UpstreamLimits } from './limits/upstream-limits.ts';
export { createOriginMatcher, type NetworkPolicy } from './network-policy.ts';
export { createAnswer } from './received-answer.ts';
export type { RequestFollower, RequestWatch, WatchedRequest } from './request-watch.ts';
export { createScrubber, scrubJson } from './scrubber.ts';
