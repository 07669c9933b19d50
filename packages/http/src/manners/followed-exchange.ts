import type { Dispatcher } from 'undici';
import type { Deadline } from '../deadline.ts';
import { type ExchangeLimits, exchange, type Outcome } from '../exchange.ts';
import type { Hop } from '../hop.ts';
import type { RequestFollower, WatchedRequest } from './request-watch.ts';
import { shownHost, shownUrl } from './shown-url.ts';

/** Sends one request as `exchange` does, and tells its follower how it ended. */
export async function followedExchange(
  dispatcher: Dispatcher,
  hop: Hop,
  limits: ExchangeLimits,
  { deadline, follower }: { deadline: Deadline; follower: RequestFollower },
): Promise<Outcome> {
  const { headers } = follower;
  const sent = headers === undefined ? hop : { ...hop, wireHeaders: withHeaders(hop.wireHeaders, headers) };
  const outcome = await exchange(dispatcher, sent, limits, deadline);
  follower.end(outcome.reply ? { status: outcome.reply.status } : { error: outcome.error });
  return outcome;
}

/** A request as those who follow it see it. */
export function watchedRequest({ url, method }: Hop, secrets: readonly string[], resends: number): WatchedRequest {
  return {
    method,
    url: shownUrl(url, secrets),
    host: shownHost(url.hostname, secrets),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    resends,
  };
}

/** What the request itself says goes before. */
function withHeaders(wireHeaders: readonly string[], added: Readonly<Record<string, string>>): string[] {
  const present = new Set(wireHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return [...wireHeaders, ...Object.entries(added).flatMap((header) => (present.has(header[0]) ? [] : header))];
}
