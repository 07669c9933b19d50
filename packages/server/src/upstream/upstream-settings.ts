import type { AnswerCache } from '@schemakit/core';
import type { ServedCallOptions } from '../catalog/offer.ts';
import { tracedRequests } from '../telemetry/tracing.ts';

/** Limits of the requests to APIs, and who follows them. */
export type UpstreamLimits = NonNullable<ServedCallOptions['upstream']>;

/** One request to an API, for counts and logs. It holds no secrets. */
export type UpstreamRecord = Parameters<NonNullable<UpstreamLimits['onUpstream']>>[0];

/** A change of whether an API is asked. */
export type BreakerChange = Parameters<NonNullable<UpstreamLimits['onBreaker']>>[0];

/** How a server treats the APIs behind its tools. All tools and connections of a server share it. */
export interface UpstreamSettings extends UpstreamLimits {
  /**
   * Where answers of tools with `preload` are kept for the time that it names. Default: in memory, at most 1,000 answers with 32
   * million characters. `false` keeps none.
   */
  cache?: AnswerCache | false;
}

/** The server's own callbacks for requests to APIs, beside those of the settings. */
export interface UpstreamListener {
  onUpstream(request: UpstreamRecord): void;
  onBreaker(change: BreakerChange): void;
}

/** What every call of a server is made with, by its settings. */
export function upstreamOptions(
  { cache = lazyCache(), ...limits }: UpstreamSettings,
  listener: UpstreamListener | undefined,
): Pick<ServedCallOptions, 'cache' | 'upstream'> {
  const { onUpstream, onBreaker } = limits;
  const upstream: UpstreamLimits = {
    watch: tracedRequests,
    ...limits,
    ...(listener && {
      onUpstream(request: UpstreamRecord) {
        listener.onUpstream(request);
        onUpstream?.(request);
      },
      onBreaker(change: BreakerChange) {
        listener.onBreaker(change);
        onBreaker?.(change);
      },
    }),
  };
  return { upstream, ...(cache && { cache }) };
}

/** A cache in memory, made when it is first used: a server starts without loading the library. */
function lazyCache(): AnswerCache {
  let made: Promise<AnswerCache> | undefined;
  const cache = () => {
    made ??= import('@schemakit/core').then(({ createMemoryCache }) => createMemoryCache());
    return made;
  };
  return {
    salt: async () => (await cache()).salt(),
    read: async (key) => (await cache()).read(key),
    write: async (...entry) => (await cache()).write(...entry),
  };
}
