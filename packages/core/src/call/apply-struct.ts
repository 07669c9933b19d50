import { describeGiven } from '../schema/input/describe-input.ts';
import { isObject, type JsonValue } from '../schema/json.ts';
import { encodeQueryText, hasHeader, type RequestPlan, toText } from './plan-request.ts';

/** Something in the `struct` of a hook that no request can be made of. */
export interface StructProblem {
  /** Such as `struct.method`. */
  field: string;
  /** What is wrong with it, after its name. */
  problem: string;
  /** What to write. */
  hint: string;
}

/** A request after a hook, and what in the hook's `struct` could not be taken. */
export interface AppliedStruct {
  plan: RequestPlan;
  problems: StructProblem[];
}

/** Puts what a hook wrote in its `struct` in place of what was planned. What is absent or null stays, but for the body. */
export function applyStruct(planned: RequestPlan, struct: Record<string, unknown>): AppliedStruct {
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
    else problems.push({ field: 'struct.method', problem: `is ${method}, no method of HTTP`, hint });
  }

  const fields = pairsOf(headers);
  if (fields !== undefined) plan.headers = textHeaders(fields, refuse);
  else if (isThere(headers)) refuse('headers', headers, 'Write an object of names and values.');

  if (body === null) delete plan.body;
  else if (body !== undefined) plan.body = body as JsonValue;
  // Two spellings that some handlers use: a new query, and a body that is already text.
  const query = typeof queryParams === 'string' ? queryParams.replace(/^\?/, '') : queryText(pairsOf(queryParams));
  if (query !== undefined) plan.url = replaceQuery(plan.url, query);
  else if (isThere(queryParams)) refuse('queryParams', queryParams, 'Write an object of names and values.');
  if (typeof requestBody === 'string') plan.body = requestBody;
  if (typeof bodyContentType === 'string') plan.headers = withType(plan.headers, bodyContentType);
  return { plan, problems };
}

/** An import of `node:http` by its name would load the `fetch` of Node too, which takes as long as all the rest of a call. */
function isMethod(name: string): boolean {
  return process.getBuiltinModule('node:http').METHODS.includes(name);
}

/** Without the text itself, which may hold a secret and would be cut where no mask finds it any more. */
export function kindOf(value: unknown): string {
  return typeof value === 'string' ? 'text' : describeGiven(value);
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The fields of an object, or of a list of pairs; undefined for anything else. */
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

/** A form is never sent as the JSON that was planned, and a multipart form needs its own boundary. */
function withType(headers: Record<string, string>, type: string): Record<string, string> {
  const isPlanned = (name: string, value: string) =>
    name.toLowerCase() === 'content-type' && /^(?:application\/json|multipart\/)/i.test(value);
  const kept = Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isPlanned(name, value)));
  return hasHeader(kept, 'content-type') ? kept : { ...kept, 'Content-Type': type };
}
