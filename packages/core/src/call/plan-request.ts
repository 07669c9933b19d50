import type { Finding } from '../schema/finding.ts';
import type { JsonValue } from '../schema/json.ts';
import type { Placement, Tool } from '../schema/schema.ts';
import type { Template } from '../schema/template.ts';
import { callFinding } from './call-finding.ts';

/** The one request that a call makes. */
export interface RequestPlan {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Still a value; `encodeBody` turns it into bytes. Undefined for a request without a body. */
  body?: JsonValue;
}

export type PlanResult = { ok: true; plan: RequestPlan } | { ok: false; findings: Finding[] };

/** Values by the names of inputs, as the input check gives them. */
export type InputValues = Readonly<Record<string, JsonValue>>;

/** Values by the names of server parameters. */
export type SecretValues = Readonly<Record<string, string>>;

/**
 * Plans the request of a tool (specification 1, step 3). Pure: the same tool, values and secrets give the same request,
 * and no value of the caller leaves its place in it. Text that looks like a placeholder is text.
 */
export function planRequest(tool: Tool, values: InputValues, secrets: SecretValues): PlanResult {
  const url = planUrl(tool, values, secrets);
  if (!url.ok) return url;
  const headers: Record<string, string> = {};
  for (const { name, value } of tool.headers) headers[name] = toText(evaluate(value, values, secrets) ?? '');
  const plan: RequestPlan = { url: url.text, method: tool.method, headers };
  const body = planBody(tool, values, secrets);
  if (body !== undefined) {
    plan.body = body;
    if (methodsWithBody.has(tool.method) && !hasHeader(headers, 'content-type')) {
      headers['Content-Type'] = 'application/json';
    }
  }
  return { ok: true, plan };
}

/** Every parameter's value by its key, fixed values and secrets too; some handlers look values up there. */
export function allParameterValues(tool: Tool, values: InputValues, secrets: SecretValues): Record<string, JsonValue> {
  const entries = tool.placements.flatMap(({ key, value }): [string, JsonValue][] => {
    const result = evaluate(value, values, secrets);
    return result === undefined ? [] : [[key, result]];
  });
  return Object.fromEntries([...Object.entries(values), ...entries]);
}

function planUrl(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
): { ok: true; text: string } | { ok: false; findings: Finding[] } {
  const inserts = new Map<string, Placement>();
  for (const placement of tool.placements) if (placement.location === 'insert') inserts.set(placement.key, placement);
  const pieces: PathPiece[] = [];
  let isQuery = false;
  for (const [index, part] of tool.url.entries()) {
    if (part.kind === 'text') {
      pieces.push({ text: part.text });
      isQuery ||= part.text.includes('?');
      continue;
    }
    if (part.kind === 'secret') {
      pieces.push({ text: encodeURIComponent(secrets[part.name] ?? '') });
      continue;
    }
    const [value, from] =
      part.kind === 'input'
        ? [values[part.name], part.name]
        : [evaluate(inserts.get(part.key)?.value ?? [], values, secrets), part.key];
    if (value === undefined || value === null) {
      // An optional value that is absent takes its segment with it: `/a/{{x}}/b` becomes `/a/b`.
      const before = pieces.at(-1);
      if (before?.text.endsWith('/') && !isQuery && endsSegment(tool.url[index + 1])) {
        before.text = before.text.slice(0, -1);
      }
    } else if (isQuery) {
      pieces.push({ text: encodeQueryText(toText(value)) });
    } else {
      pieces.push({ text: toText(value), from });
    }
  }
  const problem = findPathProblem(cutAtQuery(pieces));
  if (problem) return { ok: false, findings: [refusedPath(problem.from, problem.problem)] };
  const base = pieces.map(({ text, from }) => (from === undefined ? text : encodePathValue(text))).join('');
  return { ok: true, text: withQuery(base, planQuery(tool, values, secrets)) };
}

function endsSegment(next: Template[number] | undefined): boolean {
  return next === undefined || (next.kind === 'text' && /^[/?]/.test(next.text));
}

/** Only the pieces of the path: what the author wrote after a question mark is the query. */
function cutAtQuery(pieces: readonly PathPiece[]): readonly PathPiece[] {
  const index = pieces.findIndex(({ text, from }) => from === undefined && text.includes('?'));
  const cut = pieces[index];
  return cut === undefined ? pieces : [...pieces.slice(0, index), { text: cut.text.slice(0, cut.text.indexOf('?')) }];
}

/**
 * Encodes a value for a path (RFC 3986, 3.3). Slashes stay, since real identifiers have them (`10.1038/nature12373`), as
 * do the other characters that a path may hold; what could end the path or be read as an escape is encoded.
 */
function encodePathValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(2F|3A|2B|2C|40|3B|3D|24)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Undoes the percent-encodings that could hide a dot, a slash, a backslash or another percent sign, however deep. */
function unhide(value: string): string {
  let before = value;
  for (;;) {
    const after = before.replace(/%(2e|2f|5c|25)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (after === before) return after;
    before = after;
  }
}

/** A stretch of a path: written by the author of the schema, or given by the caller. */
interface PathPiece {
  text: string;
  /** Name of the input that gave it; undefined for the author's text. */
  from?: string;
}

/**
 * Finds a caller's value that would leave its place: one that makes a segment `.`, `..` or empty in any encoding, or has a
 * backslash, which some servers read as a slash.
 */
function findPathProblem(pieces: readonly PathPiece[]): { from: string; problem: string } | undefined {
  if (!pieces.some(({ from }) => from !== undefined)) return undefined;
  const plain = pieces.map((piece) => (piece.from === undefined ? piece.text : unhide(piece.text)));
  const whole = plain.join('');
  let start = 0;
  for (const [index, piece] of pieces.entries()) {
    const length = plain[index]?.length ?? 0;
    const end = start + length;
    if (piece.from !== undefined) {
      if (plain[index]?.includes('\\')) return { from: piece.from, problem: 'a backslash' };
      // The value together with what the author wrote around it, out to the next slashes.
      const left = whole.lastIndexOf('/', start - 1) + 1;
      const next = whole.indexOf('/', end);
      const segments = whole.slice(left, next === -1 ? undefined : next).split('/');
      if (segments.includes('')) return { from: piece.from, problem: 'an empty segment' };
      const dots = segments.find((segment) => segment === '.' || segment === '..');
      if (dots !== undefined) return { from: piece.from, problem: `the segment "${dots}"` };
    }
    start = end;
  }
  return undefined;
}

function refusedPath(input: string, problem: string): Finding {
  const hint = 'Give the identifier alone, without "." or ".." segments, double slashes or backslashes.';
  return callFinding('INP010', `${input}: a value for the path may not have ${problem}.`, { path: input, hint });
}

function planQuery(tool: Tool, values: InputValues, secrets: SecretValues): string {
  let query = '';
  for (const { key, location, value } of tool.placements) {
    if (location !== 'query') continue;
    const result = evaluate(value, values, secrets);
    if (result === undefined || result === null) continue;
    query += `${query === '' ? '' : '&'}${encodeQueryText(key)}=${encodeQueryText(toText(result))}`;
  }
  return query;
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  if (!url.includes('?')) return `${url}?${query}`;
  return /[?&]$/.test(url) ? `${url}${query}` : `${url}&${query}`;
}

/** Encodes as HTML forms do (WHATWG URL, application/x-www-form-urlencoded), like `URLSearchParams`. */
export function encodeQueryText(text: string): string {
  if (/^[\w.* -]*$/.test(text)) return text.includes(' ') ? text.replaceAll(' ', '+') : text;
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, percentEncoded);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

function planBody(tool: Tool, values: InputValues, secrets: SecretValues): JsonValue | undefined {
  const entries: [string, JsonValue][] = [];
  for (const { key, location, value } of tool.placements) {
    if (location !== 'body') continue;
    const result = evaluate(value, values, secrets);
    if (result !== undefined) entries.push([key, result]);
  }
  // `Object.fromEntries` defines properties, so a key such as `__proto__` is a key and nothing else.
  return entries.length > 0 || methodsWithBody.has(tool.method) ? Object.fromEntries(entries) : undefined;
}

/** A template's value: native when it is one part, text when it is put together; undefined when an input is absent. */
function evaluate(template: Template, values: InputValues, secrets: SecretValues): JsonValue | undefined {
  const [first] = template;
  if (first === undefined) return undefined;
  if (template.length === 1) return evaluatePart(first, values, secrets);
  let text = '';
  for (const part of template) {
    const value = evaluatePart(part, values, secrets);
    if (value === undefined || value === null) return undefined;
    text += toText(value);
  }
  return text;
}

function evaluatePart(part: Template[number], values: InputValues, secrets: SecretValues): JsonValue | undefined {
  switch (part.kind) {
    case 'text':
      return part.json ? parseLiteral(part.text) : part.text;
    case 'input':
      return Object.hasOwn(values, part.name) ? values[part.name] : undefined;
    case 'secret':
      return secrets[part.name] ?? '';
    case 'insert':
      return undefined;
  }
}

function parseLiteral(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text; // A literal that is not JSON is the text itself.
  }
}

/** A value as text: arrays comma-joined, as APIs expect lists; objects and nested arrays as JSON. */
export function toText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    return value.filter((item) => item !== null).join(',');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Tells whether a header is there, whatever its spelling. */
export function hasHeader(headers: Readonly<Record<string, string>>, name: string): boolean {
  return Object.keys(headers).some((key) => key.toLowerCase() === name);
}

/**
 * A body as it is sent: text as it is, everything else as JSON; as a form where the headers say
 * `application/x-www-form-urlencoded`, and as the one text that there is where they say `text/…`.
 */
export function encodeBody(body: JsonValue, headers: Readonly<Record<string, string>>): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return JSON.stringify(body);
  if (isForm(headers)) return encodeForm(body);
  const [only, ...others] = Object.values(body);
  const isLoneText = typeof only === 'string' && others.length === 0 && !Array.isArray(body);
  return isLoneText && contentType(headers).startsWith('text/') ? only : JSON.stringify(body);
}

/** Tells whether the headers announce a form. */
export function isForm(headers: Readonly<Record<string, string>>): boolean {
  return contentType(headers).startsWith('application/x-www-form-urlencoded');
}

function contentType(headers: Readonly<Record<string, string>>): string {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return (found?.[1] ?? '').toLowerCase();
}

function encodeForm(body: object): string {
  const fields = Object.entries(body).flatMap(([key, value]: [string, JsonValue | undefined]): [string, string][] => {
    if (value === undefined || value === null) return [];
    const values = Array.isArray(value) ? value : [value];
    return values.map((item) => [key, typeof item === 'object' ? JSON.stringify(item) : String(item)]);
  });
  return fields.map(([key, value]) => `${encodeQueryText(key)}=${encodeQueryText(value)}`).join('&');
}
