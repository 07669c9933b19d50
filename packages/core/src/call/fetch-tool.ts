import type { Finding } from '../format/finding.ts';
import { mainOf } from '../format/main-of.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import type { HandlerMap } from '../load/schema-record.ts';
import type { AnswerCache, CacheUse } from './answer-cache.ts';
import type { CachedOutcome } from './cached-call.ts';
import { checkFetchOptions } from './check-fetch-options.ts';
import type { SecretValues } from './plan-request.ts';
import { findResourceRoute } from './resource-routes.ts';
import { stringifyData } from './stringify-data.ts';
import { unknownRoute } from './unknown-route.ts';
import type { UpstreamOptions, UpstreamUse } from './upstream-options.ts';

export interface FetchOptions {
  /** A loaded `main`. Either this or `schema`. */
  main?: unknown;
  /** What `loadSchema` returned, or its `main`. */
  schema?: unknown;
  /** Hooks by tool. Default: those that were loaded with `main`. */
  handlerMap?: HandlerMap;
  /** The caller's arguments. */
  userParams?: unknown;
  /** Values of the server parameters by name. */
  serverParams?: SecretValues;
  /** Name of the tool; `<resource>_<query>` for a query of a database, `<resource>` for a document. */
  routeName: string;
  /** Ends the call and its upstream request. */
  signal?: AbortSignal;
  /** Of the upstream exchange, in milliseconds, from 1 to 2,147,483,647. Default 30,000; for a query 10,000. */
  timeoutMs?: number;
  /** Takes what handlers write to the console. */
  onLog?: (level: string, text: string) => void;
  /** Where answers of tools with `preload` are kept. Default: they are not. */
  cache?: AnswerCache;
  /** Asks the API even where the cache has an answer, and keeps the new one. Default false. */
  refresh?: boolean;
  /** Takes a text on each step of the call. They hold nothing of its arguments and its answer. */
  onProgress?: (message: string) => void;
  /** Limits of the requests to APIs, shared by all calls that are given the same object. Default none. */
  upstream?: UpstreamOptions;
}

/** The result of a call (specification 2.12). */
export interface FetchResult {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** The answer after the handlers; null unless `status` is true. */
  data: unknown;
  /** `data` as JSON text; null unless `status` is true. */
  dataAsString: string | null;
  /** Media type of the upstream's answer, where no handler changed it. */
  mimeType?: string;
  /** Where the answer came from, or where it went; absent where it is not one that the cache keeps. */
  cache?: CacheUse;
  /** What it took, where a request had to wait or was sent more than once. */
  upstream?: UpstreamUse;
}

/**
 * Executes one tool (specification 4.4): checks the input, plans and sends the request, runs the hooks. A query or a document
 * of the schema's resources is looked up in the same way. Never throws.
 */
export async function fetchTool(options: FetchOptions): Promise<FetchResult> {
  const { main, schema, handlerMap, userParams = {}, serverParams, routeName, signal, onLog } = options ?? {};
  const { onProgress, upstream } = options ?? {};
  const timeoutMs = options?.timeoutMs ?? undefined;
  try {
    const wrong = checkFetchOptions(options ?? {});
    if (wrong.length > 0) return failure(wrong);
    const resolved = resolveRecord(main ?? schema);
    if (resolved.record === undefined) return failure(resolved.findings);
    const { record } = resolved;
    const tool = record.schema.tools.get(routeName);
    if (tool === undefined) {
      const route = findResourceRoute(record, routeName);
      if (route) return toResult(await route.call(userParams, { signal, timeoutMs, upstream }));
      return failure([unknownRoute(routeName, [record], `schema "${record.schema.namespace}"`)]);
    }
    const call = {
      handlerMap: handlerMap ?? record.handlerMap,
      userParams,
      serverParams: serverParams ?? {},
      signal,
      timeoutMs,
      onLog,
      onProgress,
      upstream,
    };
    const { cache, refresh = false } = options;
    const callRecord = loadedCallRecord ?? (await loadCallRecord());
    if (cache === undefined || tool.ttlSeconds === undefined) return toResult(await callRecord(record, tool, call));
    const { cachedCall } = await import('./cached-call.ts');
    const subject = { ...call, record, tool, main: mainOf(main ?? schema), cache, refresh };
    return toResult(await cachedCall(subject, () => callRecord(record, tool, call)));
  } catch (error) {
    const { code = 'INTERNAL', hint } = error as { code?: string; hint?: string };
    const message = error instanceof Error ? error.message : String(error);
    return failure([{ code, severity: 'error', path: routeName, message, ...(hint !== undefined && { hint }) }]);
  }
}

type CallRecord = typeof import('./call-record.ts').callRecord;

// Listing tools needs no HTTP, and an HTTP client takes longer to load than everything else here: it comes with the first call.
let loadedCallRecord: CallRecord | undefined;

async function loadCallRecord(): Promise<CallRecord> {
  const { callRecord } = await import('./call-record.ts');
  loadedCallRecord = callRecord;
  return callRecord;
}

function toResult({ status, findings, data, text, mimeType, cache, upstream }: CachedOutcome): FetchResult {
  if (!status) return upstream === undefined ? failure(findings) : { ...failure(findings), upstream };
  return {
    status,
    messages: findings.map(({ message }) => message),
    findings,
    data,
    // Not a getter that writes it later: V8 would make a shape for each result, and keep its data until the next full collection.
    dataAsString: text ?? stringifyData(data),
    ...(mimeType !== undefined && { mimeType }),
    ...(cache && { cache }),
    ...(upstream && { upstream }),
  };
}

function failure(findings: readonly Finding[]): FetchResult {
  const errors = [...findings];
  return {
    status: false,
    messages: errors.map(({ message }) => message),
    findings: errors,
    data: null,
    dataAsString: null,
  };
}
