import { isObject, type JsonValue } from '../format/json.ts';
import type { HookContext, HookOutcome } from '../handlers/handler-call.ts';
import { encodeQueryText, type InputValues, type RequestPlan, type SecretValues } from './plan-request.ts';

/** What every hook is told about the call. */
export interface HookCallFacts {
  tool: string;
  values: InputValues;
  /** Every parameter by its key, fixed values and secrets too. */
  allParams: Readonly<Record<string, JsonValue>>;
  /** Tokens, or values where they were granted. */
  serverParams: SecretValues;
}

/** The state of a call that hooks of the older protocol read and write. */
export interface HookStruct {
  status: boolean;
  messages: string[];
  data: unknown;
}

/** Builds what `preRequest` and `preProcess` receive (specification 2.5, and the older `{ struct, payload }`). */
export function preRequestContext(plan: RequestPlan, facts: HookCallFacts): HookContext {
  const { tool, values, allParams, serverParams } = facts;
  return {
    visible: {
      struct: { ...plan },
      payload: { ...values },
      params: { ...values },
      userParams: { ...values },
      routeName: tool,
      phaseType: 'pre',
    },
    hidden: [
      { path: ['struct', 'serverParams'], value: serverParams, watched: true },
      { path: ['payload', '_allParams'], value: allParams },
      { path: ['userParams', '_allParams'], value: allParams },
      { path: ['serverParams'], value: serverParams, watched: true },
    ],
  };
}

/** Builds what `executeRequest` receives: it makes the request itself, with the planned one at hand. */
export function executeRequestContext(plan: RequestPlan, facts: HookCallFacts): HookContext {
  const { tool, values, allParams, serverParams } = facts;
  const { url, method, headers, body } = plan;
  const userParams = { ...values };
  return {
    visible: {
      struct: { status: true, messages: [], data: null, dataAsString: null },
      // Parameters stand beside the request as well; where the names meet, the request wins.
      payload: { ...values, url, method, headers, body: body ?? null, userParams, serverParams },
      params: { ...values },
      userParams,
      routeName: tool,
      phaseType: 'execute',
    },
    hidden: [
      { path: ['payload', '_allParams'], value: allParams },
      { path: ['payload', 'userParams', '_allParams'], value: allParams },
      { path: ['userParams', '_allParams'], value: allParams },
      { path: ['serverParams'], value: serverParams },
    ],
  };
}

/** Builds what `postRequest` (`response`) and `postProcess` (`data`, the raw answer as text) receive. */
export function postRequestContext(
  plan: RequestPlan,
  facts: HookCallFacts,
  answer: { data: unknown; raw?: string },
): HookContext {
  const { tool, values, allParams, serverParams } = facts;
  return {
    visible: {
      response: answer.data,
      ...(answer.raw !== undefined && { data: answer.raw }),
      struct: { ...plan, status: true, messages: [], data: answer.data },
      payload: { ...values },
      params: { ...values },
      userParams: { ...values },
      routeName: tool,
      phaseType: 'post',
    },
    hidden: [
      { path: ['struct', 'serverParams'], value: serverParams },
      { path: ['payload', '_allParams'], value: allParams },
      { path: ['userParams', '_allParams'], value: allParams },
    ],
  };
}

/** What a hook before the request changed. */
export interface PreRequestChange {
  plan: RequestPlan;
  /** New caller values for what follows. */
  values?: InputValues;
  /** True when the request has to be planned again from the new values (the `{ params }` protocol). */
  replan: boolean;
}

/**
 * Reads what `preRequest` did: `{ struct, payload }` in the older protocol, `{ params }` in that of specification 2.5. A
 * struct that was changed counts where none was returned.
 */
export function readPreRequest(
  { value, changes }: HookOutcome,
  plan: RequestPlan,
  { bare }: { bare: boolean },
): PreRequestChange {
  const result = isObject(value) ? value : {};
  const changed = applyStruct(plan, isObject(result.struct) ? result.struct : changes);
  if (isObject(result.params)) return { plan: changed, values: asValues(result.params), replan: true };
  if (isObject(result.payload)) return { plan: changed, values: asValues(result.payload), replan: false };
  // `preProcess` may return the parameters themselves.
  if (bare && isObject(value) && !isObject(result.struct))
    return { plan: changed, values: asValues(value), replan: true };
  return { plan: changed, replan: false };
}

function applyStruct(plan: RequestPlan, struct: Record<string, unknown>): RequestPlan {
  const changed: RequestPlan = { ...plan };
  if (typeof struct.url === 'string' && struct.url !== '') changed.url = struct.url;
  if (typeof struct.method === 'string' && struct.method !== '') changed.method = struct.method.toUpperCase();
  if (isObject(struct.headers)) changed.headers = textHeaders(struct.headers);
  if (struct.body === null) delete changed.body;
  else if (struct.body !== undefined) changed.body = struct.body as JsonValue;
  // Two spellings that some handlers use: a new query string as an object, and a body that is already text.
  if (isObject(struct.queryParams)) changed.url = replaceQuery(changed.url, struct.queryParams);
  if (typeof struct.requestBody === 'string') changed.body = struct.requestBody;
  return changed;
}

function textHeaders(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)] as const],
    ),
  );
}

function replaceQuery(url: string, query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [`${encodeQueryText(key)}=${encodeQueryText(String(value))}`],
  );
  const [base = ''] = url.split('?', 1);
  return pairs.length === 0 ? base : `${base}?${pairs.join('&')}`;
}

function asValues(value: Record<string, unknown>): InputValues {
  return value as Record<string, JsonValue>;
}

/** Reads what `executeRequest` did: the struct that it returned or changed, or a bare `{ response }`. */
export function readExecuteRequest({ value, changes }: HookOutcome): HookStruct {
  const result = isObject(value) ? value : {};
  const struct = isObject(result.struct) ? result.struct : changes;
  return readStruct(struct, result.response !== undefined ? result.response : (struct.data ?? null));
}

/**
 * Reads what `postRequest` or `postProcess` did; the latter may return the new data itself. A struct that says it failed
 * counts whether it was returned or only changed.
 */
export function readPostRequest(
  { value, changes }: HookOutcome,
  before: unknown,
  { bare }: { bare: boolean },
): HookStruct {
  const result = isObject(value) ? value : {};
  const struct = { ...changes, ...(isObject(result.struct) ? result.struct : {}) };
  if (Object.hasOwn(result, 'response')) return readStruct(struct, result.response ?? null);
  if (bare && value !== undefined && !isObject(result.struct)) return readStruct(struct, value);
  return readStruct(struct, struct.data !== undefined ? struct.data : before);
}

function readStruct(struct: Record<string, unknown>, data: unknown): HookStruct {
  const messages = Array.isArray(struct.messages) ? struct.messages.map(String) : [];
  return { status: struct.status !== false, messages, data };
}
