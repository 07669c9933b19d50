export { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.ts';
export { HttpError } from './http-error.ts';
export { HTTP_ERRORS, type HttpErrorCode, type HttpErrorEntry } from './http-error-codes.ts';
export type { HttpAnswer, HttpRequest, Redirection } from './http-message.ts';
export type { HttpOptions } from './http-options.ts';
export { isPublicAddress } from './is-public-address.ts';
export type { NetworkPolicy } from './network-policy.ts';
export { scrubJson } from './scrub-json.ts';
export { createScrubber } from './scrubber.ts';
