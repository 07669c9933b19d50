import type { CacheUse } from '../call/cache/answer-cache.ts';
import type { UpstreamUse } from '../call/call-context.ts';
import type { ToolResult } from './tool-result.ts';

/** What is known of the way to an answer. */
export interface UpstreamFacts {
  cache?: CacheUse;
  upstream?: UpstreamUse;
}

/** Says in `_meta` how an answer came about, where that was not by one request that was sent and answered. */
export function withUpstreamMeta(result: ToolResult, { cache, upstream }: UpstreamFacts): ToolResult {
  const cached = cache?.hit === true;
  if (!cached && upstream === undefined) return result;
  const { waitedMs = 0, attempts = 0 } = upstream ?? {};
  return { ...result, _meta: { ...result._meta, 'schemakit/upstream': { cached, waitedMs, attempts } } };
}
