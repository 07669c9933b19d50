import type { HookOutcome } from '../sandbox/handler-call.ts';
import type { HookContext, HookName } from '../sandbox/hook-context.ts';
import type { Finding } from '../schema/finding.ts';
import { isObject, type JsonValue } from '../schema/json.ts';
import { applyStruct, kindOf, type StructProblem } from './apply-struct.ts';
import { callFinding } from './call-finding.ts';
import type { InputValues, RequestPlan, SecretValues } from './plan-request.ts';

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

/** What all hooks receive, with what belongs to one of them. `visible` and `hidden` are explained at `HookContext`. */
function contextOf(
  phaseType: 'pre' | 'execute' | 'post',
  { tool, values, allParams, serverParams }: HookCallFacts,
  { visible, hidden, payload = {} }: Pick<HookContext, 'visible' | 'hidden'> & { payload?: Record<string, unknown> },
): HookContext {
  return {
    visible: {
      ...visible,
      payload: { ...values, ...payload },
      params: { ...values },
      userParams: { ...values },
      routeName: tool,
      phaseType,
    },
    secrets: serverParams,
    hidden: [
      ...hidden,
      { path: ['payload', '_allParams'], value: allParams, watched: true },
      { path: ['userParams', '_allParams'], value: allParams, watched: true },
    ],
  };
}

/** Builds what `preRequest` and `preProcess` receive (specification 2.5, and the older `{ struct, payload }`). */
export function preRequestContext(plan: RequestPlan, facts: HookCallFacts): HookContext {
  const { serverParams } = facts;
  return contextOf('pre', facts, {
    visible: { struct: { ...plan } },
    hidden: [
      // A hook may say that it failed as the later ones do, and with reasons.
      { path: ['struct', 'messages'], value: [] },
      { path: ['struct', 'serverParams'], value: serverParams, watched: true },
      { path: ['serverParams'], value: serverParams, watched: true },
    ],
  });
}

/** Builds what `executeRequest` receives: it makes the request itself, with the planned one at hand. */
export function executeRequestContext(plan: RequestPlan, facts: HookCallFacts): HookContext {
  const { values, allParams, serverParams } = facts;
  const { url, method, headers, body = null } = plan;
  return contextOf('execute', facts, {
    visible: { struct: { status: true, messages: [], data: null, dataAsString: null } },
    // Parameters stand beside the request as well; where the names meet, the request wins.
    payload: { url, method, headers, body, userParams: { ...values } },
    hidden: [
      { path: ['payload', 'serverParams'], value: serverParams, watched: true, listed: true },
      { path: ['payload', 'userParams', '_allParams'], value: allParams, watched: true },
      { path: ['serverParams'], value: serverParams, watched: true },
    ],
  });
}

/**
 * Builds what `postRequest` (`response`) and `postProcess` (`data`, the raw answer as text) receive. With `unread`, the answer
 * is the data of that text, in place of `data`.
 */
export function postRequestContext(
  plan: RequestPlan,
  facts: HookCallFacts,
  { data, unread, raw }: { data: unknown; unread?: string | undefined; raw?: string },
): HookContext {
  const context = contextOf('post', facts, {
    visible: {
      response: data,
      ...(raw !== undefined && { data: raw }),
      struct: { ...plan, status: true, messages: [], data },
    },
    hidden: [{ path: ['struct', 'serverParams'], value: facts.serverParams, watched: true }],
  });
  return unread === undefined ? context : { ...context, answerText: unread };
}

/** What a hook before the request changed. */
export interface PreRequestChange {
  plan: RequestPlan;
  /** New caller values for what follows. */
  values?: InputValues;
  /** True when the request has to be planned again from the new values (the `{ params }` protocol). */
  replan: boolean;
  /** False when the hook said that it failed; nothing is to be sent then. */
  status: boolean;
  /** Why it failed. */
  messages: string[];
  /** What it wrote that no request can be made of. */
  problems: StructProblem[];
}

/**
 * Reads what `preRequest` did: `{ struct, payload }` in the older protocol, `{ params }` in that of specification 2.5. A
 * struct that was changed counts where none was returned; one that says it failed counts in any case.
 */
export function readPreRequest(
  { value, changes }: HookOutcome,
  plan: RequestPlan,
  { bare }: { bare: boolean },
): PreRequestChange {
  const result = isObject(value) ? value : {};
  const { struct } = result;
  const { status, messages } = readStruct({ ...changes, ...(isObject(struct) ? struct : {}) }, null);
  const applied = applyStruct(plan, isObject(struct) ? struct : changes);
  const change = { ...applied, status, messages, replan: false };
  if (isObject(result.params)) return { ...change, values: asValues(result.params), replan: true };
  if (isObject(result.payload)) return { ...change, values: asValues(result.payload) };
  // `preProcess` may return the parameters themselves.
  if (bare && isObject(value) && !isObject(struct)) return { ...change, values: asValues(value), replan: true };
  return change;
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
 * counts whether it was returned or only changed. `before` gives the data that is left as it was.
 */
export function readPostRequest(
  { value, changes }: HookOutcome,
  before: () => unknown,
  { bare }: { bare: boolean },
): HookStruct {
  const result = isObject(value) ? value : {};
  const struct = { ...changes, ...(isObject(result.struct) ? result.struct : {}) };
  if (Object.hasOwn(result, 'response')) return readStruct(struct, result.response ?? null);
  if (bare && value !== undefined && !isObject(result.struct)) return readStruct(struct, value);
  return readStruct(struct, struct.data !== undefined ? struct.data : before());
}

function readStruct(struct: Record<string, unknown>, data: unknown): HookStruct {
  const messages = Array.isArray(struct.messages) ? struct.messages.map(String) : [];
  return { status: struct.status !== false, messages, data };
}

/** What each hook may return; of the hooks with older names anything is the new value. */
const forms: Partial<Record<HookName, { keys: readonly string[]; write: string }>> = {
  preRequest: { keys: ['struct', 'params', 'payload'], write: '{ struct } or { params }' },
  executeRequest: { keys: ['struct', 'response'], write: '{ response }, or { struct } with the answer in struct.data' },
  postRequest: { keys: ['struct', 'response'], write: '{ response }, or { struct } with the answer in struct.data' },
};

/** The warning for a hook that returned something in which nobody looks for its work. */
export function ignoredResult(hook: string, { value, changes }: HookOutcome, tool: string): Finding | undefined {
  const form = forms[hook as HookName];
  if (form === undefined || value === undefined || value === null || Object.keys(changes).length > 0) return undefined;
  const keys = isObject(value) ? Object.keys(value) : [];
  const isTaken = isObject(value) && (keys.length === 0 || form.keys.some((key) => isPart(key, value[key])));
  if (isTaken) return undefined;
  const listed = keys.filter((key) => key.length <= 40).slice(0, 5);
  const isAll = listed.length === keys.length;
  const what = isObject(value) ? `an object with ${[...listed, ...(isAll ? [] : ['…'])].join(', ')}` : kindOf(value);
  const message = `${hook} of ${tool} returned ${what}, which is not used`;
  return callFinding('HANDLER_RESULT_IGNORED', message, {
    path: tool,
    severity: 'warning',
    hint: `Return ${form.write}.`,
  });
}

/** The answer may be anything; the other parts are objects. */
function isPart(key: string, value: unknown): boolean {
  return key === 'response' ? value !== undefined : isObject(value);
}
