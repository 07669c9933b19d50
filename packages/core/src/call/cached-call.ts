import { createHmac } from 'node:crypto';
import type { SchemaRecord } from '../load/schema-record.ts';
import { pinHashes, pinnedParts } from '../lock/schema-pin.ts';
import { hashValue } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import { checkOutput } from '../schema/output/check-output.ts';
import type { Tool } from '../schema/schema.ts';
import type { AnswerCache, CacheUse } from './answer-cache.ts';
import type { CallContext } from './call-context.ts';
import type { CallOutcome } from './call-tool.ts';
import { type LoadedTool, serverParamsOf } from './callable-tool.ts';
import { type PagesRead, pagesFinding } from './gather-pages.ts';
import type { InputValues, SecretValues } from './request/template-value.ts';

export type CachedOutcome = CallOutcome & { cache?: CacheUse };

type CachedAnswer = { data: unknown; mimeType?: string; pages?: PagesRead; fetchedAt: string; expiresAt: string };

/** Increased when the format of entries changes; older entries are ignored. */
const form = 1;
/** Ten years, in seconds: the range of dates is limited. */
const longestTtl = 315_360_000;

/** Answers from the cache if possible; otherwise makes the call and stores its answer. */
export async function cachedCall(
  loaded: LoadedTool,
  { values, cache, refresh = false, upstream }: CallContext & { values: InputValues; cache: AnswerCache },
  call: () => Promise<CallOutcome>,
): Promise<CachedOutcome> {
  const { record, tool } = loaded;
  const start = performance.now();
  const keyed = await keyOf(loaded, values, cache).catch(() => undefined);
  if (keyed === undefined) return call();
  const { key, secrets } = keyed;
  const cached = refresh ? undefined : await readCached(cache, key);
  if (cached !== undefined) {
    const { data, mimeType, pages, fetchedAt, expiresAt } = cached;
    const schema = tool.output?.schema;
    const misfits = data === null || schema === undefined ? [] : checkOutput(data, schema);
    const findings = [...(pages ? pagesFinding(pages, tool) : []), ...misfits];
    const hit = { hit: true, fetchedAt, expiresAt } as const;
    const durationMs = performance.now() - start;
    upstream?.onUpstream?.({ origin: originOfRoot(record.schema.root), outcome: 'cached', waitedMs: 0, durationMs });
    return { status: true, findings, data, ...(mimeType !== undefined && { mimeType }), pages, cache: hit };
  }
  const outcome = await call();
  if (!outcome.status || outcome.pages?.failed !== undefined) return outcome;
  const expiresAt = new Date(Date.now() + Math.min(tool.ttlSeconds ?? 0, longestTtl) * 1000);
  const stored = await store(cache, key, { outcome, expiresAt, secrets });
  return {
    ...outcome,
    cache: { hit: false, ...(stored ? { stored, expiresAt: expiresAt.toISOString() } : { stored }) },
  };
}

/** The root may contain a placeholder, whose value may be a secret; then the text up to the path. */
function originOfRoot(root: string): string {
  return URL.parse(root)?.origin ?? /^https?:\/\/[^/?#]*/i.exec(root)?.[0] ?? '';
}

/**
 * The key of an answer: `<namespace>/<tool>/<digest>`. The digest covers the tool, the input with its defaults as canonical
 * JSON (RFC 8785), and the values of the secrets, so that callers with other permissions at the API get other answers. Undefined if
 * the answer must not be cached.
 */
async function keyOf(
  loaded: LoadedTool,
  values: InputValues,
  cache: AnswerCache,
): Promise<{ key: string; secrets: SecretValues } | undefined> {
  const { record, tool, serverParams } = loaded;
  const identity = toolIdentity(loaded);
  if (identity === undefined) return undefined;
  const names = serverParamsOf(record.schema, tool);
  const secrets = Object.fromEntries(names.map((name) => [name, String(serverParams[name])]));
  const digest = createHmac('sha256', await cache.salt())
    .update(hashValue({ identity, values: { ...values }, secrets }))
    .digest('hex');
  return { key: `${record.schema.namespace}/${tool.name}/${digest}`, secrets };
}

async function readCached(cache: AnswerCache, key: string): Promise<CachedAnswer | undefined> {
  try {
    const entry: unknown = JSON.parse((await cache.read(key)) ?? 'null');
    return isObject(entry) && isFresh(entry, key) ? entry : undefined;
  } catch {
    return undefined; // Damaged: fetch it again.
  }
}

function isFresh(entry: Record<string, unknown>, key: string): entry is Record<string, unknown> & CachedAnswer {
  const { fetchedAt, expiresAt, mimeType } = entry;
  if (entry.form !== form || entry.key !== key || !Object.hasOwn(entry, 'data')) return false;
  if (mimeType !== undefined && typeof mimeType !== 'string') return false;
  const [from, to] = [Date.parse(String(fetchedAt)), Date.parse(String(expiresAt))];
  // The first condition guards against a clock that was set back.
  return from <= Date.now() && Date.now() < to;
}

async function store(
  cache: AnswerCache,
  key: string,
  {
    outcome: { data, mimeType, pages },
    expiresAt,
    secrets,
  }: { outcome: CallOutcome; expiresAt: Date; secrets: SecretValues },
): Promise<boolean> {
  try {
    const fetchedAt = new Date().toISOString();
    const entry = {
      form,
      key,
      fetchedAt,
      expiresAt: expiresAt.toISOString(),
      ...(mimeType && { mimeType }),
      ...(pages && { pages }),
      data,
    };
    // Secrets are masked in answers, except short ones, which cannot be told from other text.
    const text = JSON.stringify(data);
    if (Object.values(secrets).some((value) => text.includes(value))) return false;
    return await cache.write(key, JSON.stringify(entry), expiresAt);
  } catch {
    return false; // Data that is not JSON, or a cache that cannot be written.
  }
}

const identities = new WeakMap<Tool, { record: SchemaRecord; identity: string | undefined }>();

/**
 * A hash of everything that defines a tool: its request, handlers, lists and grants. Undefined if its answers must not be
 * cached: it has no `preload`, it is not read-only (RFC 9110, 9.2.1), or its hooks are functions of the program.
 */
function toolIdentity(loaded: LoadedTool): string | undefined {
  const { record, tool, handlerMap } = loaded;
  if (tool.ttlSeconds === undefined || (tool.method !== 'GET' && tool.method !== 'HEAD')) return undefined;
  if (handlerMap !== record.handlerMap && hasHooks(loaded)) return undefined;
  const known = identities.get(tool);
  if (known?.record === record) return known.identity;
  const identity = makeIdentity(loaded);
  identities.set(tool, { record, identity });
  return identity;
}

function makeIdentity(loaded: LoadedTool): string | undefined {
  const { record, tool, main } = loaded;
  const { grants, approveRoot, schema } = record;
  const own = { namespace: schema.namespace, root: schema.root, tool, grants, approveRoot };
  if (!hasHooks(loaded)) return hashValue(own);
  const parts = typeof main === 'object' && main !== null ? pinnedParts(main) : undefined;
  if (parts === undefined) return undefined;
  const { handlers, lists } = pinHashes(parts);
  return hashValue({ ...own, handlers, lists, libraries: schema.requiredLibraries });
}

function hasHooks({ record, tool, handlerMap }: LoadedTool): boolean {
  if (record.program !== undefined) return true;
  const hooks = Object.hasOwn(handlerMap, tool.name) ? handlerMap[tool.name] : undefined;
  return Object.values(hooks ?? {}).some((hook) => hook !== null && hook !== undefined);
}
