import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpAnswer, HttpRequest } from './http-message.ts';

/**
 * Stands between requests and the network. `send` makes the request as it would have been made; where it is not called,
 * nothing is looked up and nothing is sent.
 */
export type Interceptor = (request: HttpRequest, send: () => Promise<HttpAnswer>) => Promise<HttpAnswer>;

const interceptors = new AsyncLocalStorage<Interceptor>();

/**
 * Hands every request that is made while `work` runs, and in what it starts, to a function: to record answers, or to give
 * recorded ones. Requests that are made elsewhere at the same time are not touched.
 *
 * @example
 * await interceptRequests(async (request, send) => {
 *   const answer = await send();
 *   console.log(request.url, answer.status);
 *   return answer;
 * }, () => client.request({ url: 'https://example.com/', method: 'GET' }));
 */
export function interceptRequests<T>(intercept: Interceptor, work: () => T): T {
  return interceptors.run(intercept, work);
}

/** The function to which a request goes that is made now; undefined where it goes to the network. */
export function currentInterceptor(): Interceptor | undefined {
  return interceptors.getStore();
}
