import { createInputCheck, type InputCheck } from '../format/input/check-input.ts';
import { isObject } from '../format/json.ts';
import { checkOutput } from '../format/output/check-output.ts';
import type { Tool } from '../format/tool.ts';
import type { AnswerCache, CacheUse } from './answer-cache.ts';
import { answerKey, type KeyedCall, toolIdentity } from './answer-key.ts';
import type { SecretValues } from './plan-request.ts';
import type { CallOutcome } from './running-call.ts';
import type { UpstreamOptions } from './upstream-options.ts';

export interface CachedOutcome extends CallOutcome {
  cache?: CacheUse;
}

/** A call of a tool, with the cache that it may be answered from. */
export interface CachedCall extends KeyedCall {
  userParams: unknown;
  serverParams: SecretValues;
  cache: AnswerCache;
  /** Asks the API in any case, and keeps its answer. */
  refresh: boolean;
  /** Told about answers from the cache. */
  upstream?: UpstreamOptions | undefined;
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
export async function cachedCall(options: CachedCall, call: () => Promise<CallOutcome>): Promise<CachedOutcome> {
  const { record, tool, cache, refresh, upstream } = options;
  const start = performance.now();
  const keyed = await keyOf(options).catch(() => undefined);
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

/** Undefined where the answer is not to be kept, and where the call itself will say what is wrong with it. */
async function keyOf(call: CachedCall): Promise<{ key: string; secrets: SecretValues } | undefined> {
  const { record, tool, userParams, serverParams, cache } = call;
  const identity = toolIdentity(call);
  if (identity === undefined) return undefined;
  const names = [...new Set([...record.schema.requiredServerParams, ...tool.secrets])];
  if (names.some((name) => (serverParams[name] ?? '') === '')) return undefined;
  const checked = inputCheckOf(tool)(userParams);
  if (!checked.ok) return undefined;
  const secrets = Object.fromEntries(names.map((name) => [name, String(serverParams[name])]));
  const key = answerKey(call, { identity, values: checked.values, secrets, salt: await cache.salt() });
  return { key, secrets };
}

const inputChecks = new WeakMap<Tool, InputCheck>();

function inputCheckOf(tool: Tool): InputCheck {
  const check = inputChecks.get(tool) ?? createInputCheck(tool.inputs);
  inputChecks.set(tool, check);
  return check;
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
