import type { HookOutcome } from '../sandbox/handler-call.ts';
import type { HookContext, HookName } from '../sandbox/hook-context.ts';
import type { Finding } from '../schema/finding.ts';
import { describeGiven } from '../schema/input/describe-input.ts';
import { isObject, type JsonValue } from '../schema/json.ts';
import { callFinding } from './call-findings.ts';
import type { RequestPlan } from './plan-request.ts';
import { hasHeader } from './request/encode-body.ts';
import { encodeQueryText } from './request/query-text.ts';
import { type InputValues, type SecretValues, toText } from './request/template-value.ts';

export interface HookCallFacts {
  tool: string;
  values: InputValues;
  /** Every parameter by its key, fixed values and secrets included. */
  allParams: Readonly<Record<string, JsonValue>>;
  /** Tokens, or the values of granted secrets. */
  serverParams: SecretValues;
}

/** The state of a call that hooks of the older protocol read and write. */
interface HookStruct {
  status: boolean;
  messages: string[];
  data: unknown;
}

/** The argument of a hook. See `HookContext` for `visible` and `hidden`. */
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

/** The argument of `preRequest` and `preProcess` (docs/format.md, "The hooks"). */
export function preRequestContext(plan: RequestPlan, facts: HookCallFacts): HookContext {
  const { serverParams } = facts;
  return contextOf('pre', facts, {
    visible: { struct: { ...plan } },
    hidden: [
      // A hook may report a failure as the later ones do.
      { path: ['struct', 'messages'], value: [] },
      { path: ['struct', 'serverParams'], value: serverParams, watched: true },
      { path: ['serverParams'], value: serverParams, watched: true },
    ],
  });
}

/** The argument of `executeRequest`, which makes the request itself. */
export function executeRequestContext(plan: RequestPlan, facts: HookCallFacts): HookContext {
  const { values, allParams, serverParams } = facts;
  const { url, method, headers, body = null } = plan;
  return contextOf('execute', facts, {
    visible: { struct: { status: true, messages: [], data: null, dataAsString: null } },
    // The payload has the parameters too; the request takes precedence.
    payload: { url, method, headers, body, userParams: { ...values } },
    hidden: [
      { path: ['payload', 'serverParams'], value: serverParams, watched: true, listed: true },
      { path: ['payload', 'userParams', '_allParams'], value: allParams, watched: true },
      { path: ['serverParams'], value: serverParams, watched: true },
    ],
  });
}

/** The argument of `postRequest` and `postProcess`. With `unparsed`, the answer is the data of that text, in place of `data`. */
export function postRequestContext(
  plan: RequestPlan,
  facts: HookCallFacts,
  { data, unparsed, raw }: { data: unknown; unparsed?: string | undefined; raw?: string },
): HookContext {
  const context = contextOf('post', facts, {
    visible: {
      response: data,
      ...(raw !== undefined && { data: raw }),
      struct: { ...plan, status: true, messages: [], data },
    },
    hidden: [{ path: ['struct', 'serverParams'], value: facts.serverParams, watched: true }],
  });
  return unparsed === undefined ? context : { ...context, answerText: unparsed };
}

interface PreRequestChange {
  plan: RequestPlan;
  /** New caller values for the next hooks. */
  values?: InputValues;
  /** True if the request has to be planned again from the new values (the `{ params }` protocol). */
  replan: boolean;
  /** False if the hook reported a failure; then nothing is sent. */
  status: boolean;
  messages: string[];
  problems: StructProblem[];
}

/**
 * Reads the result of `preRequest`: `{ params }`, or `{ struct, payload }` in the older protocol. Changes to the struct of the
 * argument count if no struct was returned; a failure reported in it always counts.
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
  if (isObject(result.params)) return { ...change, values: result.params as InputValues, replan: true };
  if (isObject(result.payload)) return { ...change, values: result.payload as InputValues };
  // `preProcess` may return the parameters themselves.
  if (bare && isObject(value) && !isObject(struct)) return { ...change, values: value as InputValues, replan: true };
  return change;
}

/** Reads the result of `executeRequest`: the struct that it returned or changed, or `{ response }`. */
export function readExecuteRequest({ value, changes }: HookOutcome): HookStruct {
  const result = isObject(value) ? value : {};
  const struct = isObject(result.struct) ? result.struct : changes;
  return readStruct(struct, result.response !== undefined ? result.response : (struct.data ?? null));
}

/**
 * Reads the result of `postRequest` or `postProcess`; the latter may return the new data itself. A failure reported in a struct
 * counts whether the struct was returned or only changed. `before` gives the data to use if the hook left it unchanged.
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

/** What hooks may return. Hooks with older names may return anything. */
const forms: Partial<Record<HookName, { keys: readonly string[]; write: string }>> = {
  preRequest: { keys: ['struct', 'params', 'payload'], write: '{ struct } or { params }' },
  executeRequest: { keys: ['struct', 'response'], write: '{ response }, or { struct } with the answer in struct.data' },
  postRequest: { keys: ['struct', 'response'], write: '{ response }, or { struct } with the answer in struct.data' },
};

/** The warning for a hook whose result has none of the expected keys. */
export function ignoredResult(hook: string, { value, changes }: HookOutcome, tool: string): Finding | undefined {
  const form = forms[hook as HookName];
  if (form === undefined || value === undefined || value === null || Object.keys(changes).length > 0) return undefined;
  const keys = isObject(value) ? Object.keys(value) : [];
  const isTaken = isObject(value) && (keys.length === 0 || form.keys.some((key) => isPart(key, value[key])));
  if (isTaken) return undefined;
  const listed = keys.filter((key) => key.length <= 40).slice(0, 5);
  const isAll = listed.length === keys.length;
  const what = isObject(value) ? `an object with ${[...listed, ...(isAll ? [] : ['…'])].join(', ')}` : kindOf(value);
  const message = `${hook} of ${tool} returned ${what}, which is ignored`;
  return callFinding('HANDLER_RESULT_IGNORED', message, {
    path: tool,
    severity: 'warning',
    hint: `Return ${form.write}.`,
  });
}

/** The response may be anything; the other parts are objects. */
function isPart(key: string, value: unknown): boolean {
  return key === 'response' ? value !== undefined : isObject(value);
}

interface StructProblem {
  field: string;
  /** Follows the name of the field in a message. */
  problem: string;
  hint: string;
}

/** Applies the `struct` of a hook to the planned request. Missing and null fields change nothing, except a null body. */
function applyStruct(
  planned: RequestPlan,
  struct: Record<string, unknown>,
): Pick<PreRequestChange, 'plan' | 'problems'> {
  const plan: RequestPlan = { ...planned };
  const problems: StructProblem[] = [];
  const refuse = (name: string, value: unknown, hint: string) =>
    problems.push({ field: `struct.${name}`, problem: `is ${kindOf(value)}`, hint });
  const { url, method, headers, body, queryParams, requestBody, bodyContentType } = struct;

  if (typeof url === 'string') plan.url = url || plan.url;
  else if (isThere(url)) refuse('url', url, 'Write the whole URL as text.');

  if (typeof method === 'string' && (method.toUpperCase() === plan.method || isMethod(method.toUpperCase()))) {
    plan.method = method.toUpperCase();
  } else if (isThere(method) && method !== '') {
    const hint = 'Write GET, POST, PUT, PATCH, DELETE or another method of HTTP.';
    if (typeof method !== 'string' || !/^[a-z]{1,20}$/i.test(method)) refuse('method', method, hint);
    else problems.push({ field: 'struct.method', problem: `is ${method}, which is not an HTTP method`, hint });
  }

  const fields = pairsOf(headers);
  if (fields !== undefined) plan.headers = textHeaders(fields, refuse);
  else if (isThere(headers)) refuse('headers', headers, 'Write an object of names and values.');

  if (body === null) delete plan.body;
  else if (body !== undefined) plan.body = body as JsonValue;
  // Names that some handlers use: a new query, and a body as text.
  const query = typeof queryParams === 'string' ? queryParams.replace(/^\?/, '') : queryText(pairsOf(queryParams));
  if (query !== undefined) plan.url = replaceQuery(plan.url, query);
  else if (isThere(queryParams)) refuse('queryParams', queryParams, 'Write an object of names and values.');
  if (typeof requestBody === 'string') plan.body = requestBody;
  if (typeof bodyContentType === 'string') plan.headers = withType(plan.headers, bodyContentType);
  return { plan, problems };
}

/** Importing the names of `node:http` would also load Node's `fetch`, which takes as long as the rest of a call. */
function isMethod(name: string): boolean {
  return process.getBuiltinModule('node:http').METHODS.includes(name);
}

/** Text is not quoted: it may contain a secret, which no mask would find once it is cut. */
function kindOf(value: unknown): string {
  return typeof value === 'string' ? 'text' : describeGiven(value);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The entries of an object or of a list of pairs; undefined for anything else. */
function pairsOf(value: unknown): (readonly [string, unknown])[] | undefined {
  if (isObject(value)) return Object.entries(value);
  if (!Array.isArray(value) || !value.every((pair) => Array.isArray(pair) && pair.length === 2)) return undefined;
  return value.map(([name, item]) => [String(name), item] as const);
}

function textHeaders(
  fields: readonly (readonly [string, unknown])[],
  refuse: (name: string, value: unknown, hint: string) => void,
): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of fields) {
    if (!isThere(value)) continue;
    if (isObject(value)) refuse(`headers.${name}`, value, 'Write the value of the header as text.');
    const before = headers.get(name);
    headers.set(name, before === undefined ? String(value) : `${before}, ${String(value)}`);
  }
  return Object.fromEntries(headers);
}

function queryText(pairs: readonly (readonly [string, unknown])[] | undefined): string | undefined {
  return pairs
    ?.filter(([, value]) => isThere(value))
    .map(([key, value]) => `${encodeQueryText(key)}=${encodeQueryText(toText(value as JsonValue))}`)
    .join('&');
}

function replaceQuery(url: string, query: string): string {
  const [base = ''] = url.split('?', 1);
  return query === '' ? base : `${base}?${query}`;
}

/** A form must not keep the planned content type of JSON, and a multipart form needs its own boundary. */
function withType(headers: Record<string, string>, type: string): Record<string, string> {
  const isPlanned = (name: string, value: string) =>
    name.toLowerCase() === 'content-type' && /^(?:application\/json|multipart\/)/i.test(value);
  const others = Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isPlanned(name, value)));
  return hasHeader(others, 'content-type') ? others : { ...others, 'Content-Type': type };
}
