import { resolveRecord } from '../load/resolve-record.ts';
import type { HandlerMap } from '../load/schema-record.ts';
import { checkResult, type Finding, messageOf, type Result } from '../schema/finding.ts';
import { mainOf, type OneSchema } from '../schema/main-of.ts';
import { stringifyData } from './answer.ts';
import type { CacheUse } from './answer-cache.ts';
import { type CachedOutcome, cachedCall } from './cached-call.ts';
import type { CallContext, UpstreamUse } from './call-context.ts';
import { callFinding } from './call-findings.ts';
import { callTool } from './call-tool.ts';
import { checkInput, checkServerParams, knownCallable, type LoadedTool, prepareCallable } from './callable-tool.ts';
import type { PagesRead } from './gather-pages.ts';
import type { SecretValues } from './request/template-value.ts';
import { findResourceRoute, unknownRoute } from './resource-routes.ts';

export type FetchOptions = OneSchema & CallOptions;

export interface CallOptions extends CallContext {
  /** Hooks by tool. Default: those that were loaded with the schema. */
  handlerMap?: HandlerMap | undefined;
  /** The caller's arguments. Default none. */
  userParams?: object | undefined;
  /** Values of the server parameters by name. */
  serverParams?: SecretValues | undefined;
  /** Name of the tool; `<resource>_<query>` for a query of a database, `<resource>` for a document. */
  routeName: string;
  /** `'trusted'` runs the handlers of `{ main, handlers }` in this process, without a sandbox. Default: they are refused. */
  isolation?: 'trusted' | undefined;
}

/** Options as programs in plain JavaScript may pass them. */
export interface GivenCallOptions extends CallOptions {
  schema?: unknown;
  main?: unknown;
}

/** The result of a call. If it failed, `findings` say why. */
export type FetchResult = Result<CallSuccess, CallFailure>;

interface CallSuccess {
  /** The answer after the handlers. */
  data: unknown;
  /** `data` as JSON text. */
  dataAsString: string;
  /** Media type of the API's answer, unless a handler changed it. */
  mimeType?: string;
  /** How the cache was used; absent if the tool has no `preload`, or the call no cache. */
  cache?: CacheUse;
  /** Present if a request was queued or sent more than once. */
  upstream?: UpstreamUse;
  /** How many pages were read; present if the tool has `pagination`. */
  pages?: PagesRead;
}

interface CallFailure {
  data: null;
  dataAsString: null;
  mimeType?: never;
  cache?: never;
  pages?: never;
  upstream?: UpstreamUse;
}

/**
 * Executes one tool: checks the input, plans and sends the request, runs the hooks. Queries and documents of the schema's
 * resources are called in the same way. Never throws.
 *
 * @example
 * const loaded = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const { status, data, messages } = await SchemaKit.fetch({ schema: loaded, routeName: 'getTides', userParams: { day: 1 } });
 */
export async function fetchTool(options: FetchOptions): Promise<FetchResult> {
  const given: GivenCallOptions = options ?? {};
  const { main, schema, handlerMap, userParams = {}, serverParams, routeName, isolation } = given;
  try {
    const wrong = checkFetchOptions(options ?? {});
    if (wrong.length > 0) return failure(wrong);
    const { record, findings } = resolveRecord(main ?? schema, { handlerMap, isolation });
    if (record === undefined) return failure(findings);
    const tool = record.schema.tools.get(routeName);
    if (tool === undefined) {
      const route = findResourceRoute(record, routeName);
      if (route) return toResult(await route.call(userParams, options));
      return failure([unknownRoute(routeName, [record], `schema "${record.schema.namespace}"`)]);
    }
    const own = { handlerMap: handlerMap ?? record.handlerMap, serverParams: serverParams ?? {} };
    return await callLoaded({ record, tool, main: mainOf(main ?? schema), ...own }, userParams, options);
  } catch (error) {
    return failure([unexpectedFinding(error, routeName)]);
  }
}

/** Calls a tool of a loaded schema, or answers from the cache. Never throws. */
export async function callLoaded(loaded: LoadedTool, userParams: unknown, context: CallContext): Promise<FetchResult> {
  const { tool, serverParams } = loaded;
  const { cache } = context;
  try {
    const missing = checkServerParams(loaded, serverParams);
    const checked = checkInput(tool, userParams);
    if (missing.length > 0 || !checked.ok) return failure([...missing, ...(checked.ok ? [] : checked.findings)]);
    const { values } = checked;
    const callable = knownCallable(loaded) ?? (await prepareCallable(loaded));
    const call = { values, serverParams, context };
    if (!cache || tool.ttlSeconds === undefined) return toResult(await callTool(callable, call));
    return toResult(await cachedCall(loaded, { ...context, values, cache }, () => callTool(callable, call)));
  } catch (error) {
    return failure([unexpectedFinding(error, tool.name)]);
  }
}

export function unexpectedFinding(error: unknown, path: string): Finding {
  const { code = 'INTERNAL', hint } = Object(error) as { code?: string; hint?: string };
  const message = messageOf(error);
  return callFinding(code, message, { path, hint });
}

function toResult({ status, findings, data, text, mimeType, cache, upstream, pages }: CachedOutcome): FetchResult {
  if (!status) return { ...failure(findings), ...(upstream && { upstream }) };
  return {
    status,
    messages: findings.map(({ message }) => message),
    findings,
    data,
    dataAsString: text ?? stringifyData(data),
    ...(mimeType !== undefined && { mimeType }),
    ...(cache && { cache }),
    ...(upstream && { upstream }),
    ...(pages && { pages }),
  };
}

function failure(findings: Finding[]): Extract<FetchResult, { status: false }> {
  return { ...checkResult(findings), status: false, data: null, dataAsString: null };
}

/** The longest delay of a Node.js timer, in milliseconds; a longer one becomes 1. */
const longestTimeoutMs = 2 ** 31 - 1;

const rules: Readonly<Record<string, { expected: string; fits(value: unknown): boolean }>> = {
  timeoutMs: {
    expected: `milliseconds from 1 to ${longestTimeoutMs}`,
    fits: (value) => typeof value === 'number' && value >= 1 && value <= longestTimeoutMs,
  },
  signal: { expected: 'an AbortSignal', fits: (value) => value instanceof AbortSignal },
  onProgress: { expected: 'a function', fits: (value) => typeof value === 'function' },
  upstream: { expected: 'an object of limits', fits: isRecord },
  onLog: { expected: 'a function', fits: (value) => typeof value === 'function' },
  serverParams: { expected: 'an object of text by name', fits: isRecord },
  handlerMap: { expected: 'an object of hooks by tool', fits: isRecord },
  idempotencyKey: {
    expected: '1 to 255 visible ASCII characters',
    fits: (value) => typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
  },
  cache: { expected: 'a cache, such as that of createMemoryCache()', fits: isCache },
  refresh: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
  isolation: { expected: "'trusted'", fits: (value) => value === 'trusted' },
};

/** Findings for options of the wrong type: programs in plain JavaScript can pass anything, and null for options they leave out. */
export function checkFetchOptions(options: CallOptions): Finding[] {
  const findings: Finding[] = [];
  for (const name in rules) {
    const value: unknown = options[name as keyof CallOptions];
    const rule = rules[name];
    if (value === undefined || value === null || rule === undefined || rule.fits(value)) continue;
    const message = `fetch expects ${name} to be ${rule.expected}, got ${describe(value)}`;
    findings.push(callFinding('ARG001', message, { path: name }));
  }
  return findings;
}

function isCache(value: unknown): boolean {
  const { salt, read, write } = Object(value) as Record<string, unknown>;
  return [salt, read, write].every((method) => typeof method === 'function');
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
