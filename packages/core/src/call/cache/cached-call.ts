import { createHmac } from 'node:crypto';
import type { SchemaRecord } from '../../load/schema-record.ts';
import { pinHashes, pinnedParts } from '../../lock/schema-pin.ts';
import { hashValue } from '../../schema/hash.ts';
import { isObject } from '../../schema/json.ts';
import { checkOutput } from '../../schema/output/check-output.ts';
import type { Tool } from '../../schema/schema.ts';
import type { CallContext } from '../call-context.ts';
import { type LoadedTool, serverParamsOf } from '../callable-tool.ts';
import type { InputValues, SecretValues } from '../plan-request.ts';
import type { CallOutcome } from '../running-call.ts';
import type { AnswerCache, CacheUse } from './answer-cache.ts';

export interface CachedOutcome extends CallOutcome {
  cache?: CacheUse;
}

interface KeptAnswer {
  data: unknown;
  mimeType?: string;
  fetchedAt: string;
  expiresAt: string;
}

// Changed with the form of what is kept: entries of another form are not found.
const form = 1;
/** The longest that an answer is kept, in seconds: ten years. Dates end. */
const longestTtl = 315_360_000;

/** Answers from the cache where it can; otherwise makes the call, and keeps its answer where it may. */
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
  const kept = refresh ? undefined : await readKept(cache, key);
  if (kept !== undefined) {
    const { data, mimeType, fetchedAt, expiresAt } = kept;
    const schema = tool.output?.schema;
    const findings = data === null || schema === undefined ? [] : checkOutput(data, schema);
    const hit = { hit: true, fetchedAt, expiresAt } as const;
    const durationMs = performance.now() - start;
    upstream?.onUpstream?.({ origin: originOfRoot(record.schema.root), outcome: 'cached', waitedMs: 0, durationMs });
    return { status: true, findings, data, ...(mimeType !== undefined && { mimeType }), cache: hit };
  }
  const outcome = await call();
  if (!outcome.status) return outcome;
  const expiresAt = new Date(Date.now() + Math.min(tool.ttlSeconds ?? 0, longestTtl) * 1000);
  const stored = await keep(cache, key, { outcome, expiresAt, secrets });
  return {
    ...outcome,
    cache: stored ? { hit: false, stored, expiresAt: expiresAt.toISOString() } : { hit: false, stored },
  };
}

/** As it is written, where a server parameter is in it: its value may be a secret. */
function originOfRoot(root: string): string {
  return URL.parse(root)?.origin ?? /^https?:\/\/[^/?#]*/i.exec(root)?.[0] ?? '';
}

/**
 * The key of an answer: `<namespace>/<tool>/<digest>`. The digest covers what the answer depends on beside the tool: the input
 * as canonical JSON (RFC 8785) with its defaults, and the values of the secrets, so that those who have other rights at the API
 * get other answers. Undefined where the answer is not to be kept.
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

async function readKept(cache: AnswerCache, key: string): Promise<KeptAnswer | undefined> {
  try {
    const entry: unknown = JSON.parse((await cache.read(key)) ?? 'null');
    return isObject(entry) && isFresh(entry, key) ? entry : undefined;
  } catch {
    return undefined; // Damaged: it is fetched again.
  }
}

function isFresh(entry: Record<string, unknown>, key: string): entry is Record<string, unknown> & KeptAnswer {
  const { fetchedAt, expiresAt, mimeType } = entry;
  if (entry.form !== form || entry.key !== key || !Object.hasOwn(entry, 'data')) return false;
  if (mimeType !== undefined && typeof mimeType !== 'string') return false;
  const [from, to] = [Date.parse(String(fetchedAt)), Date.parse(String(expiresAt))];
  // A clock that was set back would make old answers last.
  return from <= Date.now() && Date.now() < to;
}

async function keep(
  cache: AnswerCache,
  key: string,
  { outcome: { data, mimeType }, expiresAt, secrets }: { outcome: CallOutcome; expiresAt: Date; secrets: SecretValues },
): Promise<boolean> {
  try {
    const fetchedAt = new Date().toISOString();
    const entry = { form, key, fetchedAt, expiresAt: expiresAt.toISOString(), ...(mimeType && { mimeType }), data };
    // Secrets are masked in answers, but for those that are too short to be told from other text.
    const text = JSON.stringify(data);
    if (Object.values(secrets).some((value) => text.includes(value))) return false;
    return await cache.write(key, JSON.stringify(entry), expiresAt);
  } catch {
    return false; // What JSON cannot carry, and a cache that cannot be written.
  }
}

const identities = new WeakMap<Tool, { record: SchemaRecord; identity: string | undefined }>();

/**
 * A hash of all that makes a tool what it is: its request, its handlers, its lists, its grants. Undefined where its answers are
 * not to be kept: it does not ask for it, it is not for reading (RFC 9110, 9.2.1), or its hooks are functions of the program.
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
