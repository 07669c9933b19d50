import type { AnswerCache } from '@schemakit/core';
import type { ServedCallOptions } from './catalog/tool-catalog.ts';
import { tracedRequests } from './telemetry/tracing.ts';
import type { CallRecord } from './tool-calls.ts';

type UpstreamLimits = NonNullable<ServedCallOptions['upstream']>;

/** One request to an API, for metrics and logs. Contains no secrets. */
export type UpstreamRecord = Parameters<NonNullable<UpstreamLimits['onUpstream']>>[0];

/** A circuit breaker has changed its state. */
export type BreakerChange = Parameters<NonNullable<UpstreamLimits['onBreaker']>>[0];

/** Limits for requests to APIs (docs/upstream.md). All tools and connections of a server share them. */
export interface UpstreamOptions extends UpstreamLimits {
  /** Cache for answers of tools with `preload`. Default: 1,000 answers in memory. `false` disables it. */
  cache?: AnswerCache | false;
}

/** The server's own callbacks, called before those of the user. */
export interface CallObserver {
  onCall(call: CallRecord): void;
  /** @param tool MCP name of the tool whose call became a task. */
  onTask(tool: string): void;
  onUpstream(request: UpstreamRecord): void;
  onBreaker(change: BreakerChange): void;
}

/** The options of every call of a server. */
export function upstreamCallOptions(
  { cache = lazyCache(), onUpstream, onBreaker, ...limits }: UpstreamOptions,
  observers: Iterable<CallObserver>,
): Pick<ServedCallOptions, 'cache' | 'upstream'> {
  const upstream: UpstreamLimits = {
    watch: tracedRequests,
    ...limits,
    onUpstream(request) {
      for (const observer of observers) observer.onUpstream(request);
      onUpstream?.(request);
    },
    onBreaker(change) {
      for (const observer of observers) observer.onBreaker(change);
      onBreaker?.(change);
    },
  };
  return { upstream, ...(cache && { cache }) };
}

/** A cache in memory, created on first use: a server starts without loading `@schemakit/core`. */
function lazyCache(): AnswerCache {
  let created: Promise<AnswerCache> | undefined;
  const cache = () => {
    created ??= import('@schemakit/core').then(({ createMemoryCache }) => createMemoryCache());
    return created;
  };
  return {
    salt: async () => (await cache()).salt(),
    read: async (key) => (await cache()).read(key),
    write: async (...entry) => (await cache()).write(...entry),
  };
}
