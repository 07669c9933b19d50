import type { Finding } from '../schema/finding.ts';
import type { JsonValue } from '../schema/json.ts';
import type { Placement, Tool } from '../schema/schema.ts';
import type { Template } from '../schema/template.ts';
import type { CallContext } from './call-context.ts';
import { callFinding } from './call-findings.ts';

export interface RequestPlan {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Not encoded yet: see `encodeBody`. Undefined for a request without a body. */
  body?: JsonValue;
}

export type PlanResult = { ok: true; plan: RequestPlan } | { ok: false; findings: Finding[] };

export type InputValues = Readonly<Record<string, JsonValue>>;

export type SecretValues = Readonly<Record<string, string>>;

/**
 * Plans the request of a tool (docs/format.md, "How a request is built"). Pure: the same tool, values and secrets give the same request,
 * and no value of the caller can escape from its position in it. Values are never searched for placeholders.
 */
export function planRequest(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
  { idempotencyKey }: Pick<CallContext, 'idempotencyKey'> = {},
): PlanResult {
  const url = planUrl(tool, values, secrets);
  if (!url.ok) return url;
  const headers: Record<string, string> = {};
  for (const { name, value } of tool.headers) headers[name] = toText(evaluate(value, values, secrets) ?? '');
  if (tool.idempotencyHeader !== undefined && idempotencyKey !== undefined)
    headers[tool.idempotencyHeader] = idempotencyKey;
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

/** Every parameter's value by its key, fixed values and secrets included, for handlers that look values up there. */
export function allParameterValues(tool: Tool, values: InputValues, secrets: SecretValues): Record<string, JsonValue> {
  return Object.fromEntries([...Object.entries(values), ...placedValues(tool, values, secrets)]);
}

/** The values of parameters by their keys: of all, or of those with a location. Missing values are left out. */
function placedValues(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
  only?: Placement['location'],
): [key: string, value: JsonValue][] {
  const placed: [string, JsonValue][] = [];
  for (const { key, location, value } of tool.placements) {
    const result = only === undefined || location === only ? evaluate(value, values, secrets) : undefined;
    if (result !== undefined) placed.push([key, result]);
  }
  return placed;
}

function planUrl(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
): { ok: true; text: string } | { ok: false; findings: Finding[] } {
  const query = planQuery(tool, values, secrets);
  const fixed = fixedText(tool.url);
  if (fixed !== undefined) return { ok: true, text: withQuery(fixed, query) };
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
        : [evaluate(insertedValue(tool, part.key), values, secrets), part.key];
    if (value === undefined || value === null) {
      // A missing optional value removes its segment: `/a/{{x}}/b` becomes `/a/b`.
      const before = pieces.at(-1);
      if (before?.text.endsWith('/') && !isQuery && endsSegment(tool.url[index + 1])) {
        before.text = before.text.slice(0, -1);
      }
    } else pieces.push(isQuery ? { text: encodeQueryText(toText(value)) } : { text: toText(value), from });
  }
  const problem = findPathProblem(cutAtQuery(pieces));
  if (problem) {
    const message = `${problem.from}: a value for the path may not have ${problem.problem}.`;
    const hint = 'Give the identifier alone, without "." or ".." segments, double slashes or backslashes.';
    return { ok: false, findings: [callFinding('INP010', message, { path: problem.from, hint })] };
  }
  const base = pieces.map(({ text, from }) => (from === undefined ? text : encodePathValue(text))).join('');
  return { ok: true, text: withQuery(base, query) };
}

/** The text of a template without placeholders. */
function fixedText(template: Template): string | undefined {
  let text = '';
  for (const part of template) {
    if (part.kind !== 'text') return undefined;
    text += part.text;
  }
  return text;
}

function insertedValue(tool: Tool, name: string): Template {
  return tool.placements.findLast(({ key, location }) => location === 'insert' && key === name)?.value ?? [];
}

function endsSegment(next: Template[number] | undefined): boolean {
  return next === undefined || (next.kind === 'text' && /^[/?]/.test(next.text));
}

/** The pieces of the path, without a query that the author wrote after a question mark. */
function cutAtQuery(pieces: readonly PathPiece[]): readonly PathPiece[] {
  const index = pieces.findIndex(({ text, from }) => from === undefined && text.includes('?'));
  const cut = pieces[index];
  return cut === undefined ? pieces : [...pieces.slice(0, index), { text: cut.text.slice(0, cut.text.indexOf('?')) }];
}

/**
 * Encodes a value for a path (RFC 3986, 3.3). Slashes stay, since real identifiers have them (`10.1038/nature12373`), and so
 * do other characters that are allowed in a path; whatever could end the path or be read as an escape is encoded.
 */
function encodePathValue(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(?:2F|3A|2B|2C|40|3B|3D|24)/g, decodeURIComponent);
}

/** Decodes percent-encodings that could hide a dot, a slash, a backslash or another percent sign, repeatedly. */
function unhide(value: string): string {
  let before = value;
  for (;;) {
    const after = before.replace(/%(?:2e|2f|5c|25)/gi, decodeURIComponent);
    if (after === before) return after;
    before = after;
  }
}

/** A part of a path: written by the author of the schema, or given by the caller. */
interface PathPiece {
  text: string;
  /** The input that it comes from; undefined for the author's text. */
  from?: string;
}

/**
 * Finds a caller's value that would change the path: one that makes a segment `.`, `..` or empty in any encoding, or contains
 * a backslash, which some servers treat as a slash.
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
      // The value with the author's text around it, up to the next slashes.
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

function planQuery(tool: Tool, values: InputValues, secrets: SecretValues): string {
  const pairs: string[] = [];
  for (const [key, value] of placedValues(tool, values, secrets, 'query')) {
    if (value !== null) pairs.push(`${encodeQueryText(key)}=${encodeQueryText(toText(value))}`);
  }
  return pairs.join('&');
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  if (!url.includes('?')) return `${url}?${query}`;
  return /[?&]$/.test(url) ? `${url}${query}` : `${url}&${query}`;
}

/** Encodes as HTML forms and `URLSearchParams` do (WHATWG URL, application/x-www-form-urlencoded). */
export function encodeQueryText(text: string): string {
  if (/^[\w.* -]*$/.test(text)) return text.includes(' ') ? text.replaceAll(' ', '+') : text;
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

function planBody(tool: Tool, values: InputValues, secrets: SecretValues): JsonValue | undefined {
  const entries = placedValues(tool, values, secrets, 'body');
  // `Object.fromEntries` defines properties, so that `__proto__` is an ordinary key.
  return entries.length > 0 || methodsWithBody.has(tool.method) ? Object.fromEntries(entries) : undefined;
}

/** A template's value: of any type for a single part, text for several; undefined when an input is missing. */
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

/** A value as text: lists joined by commas, objects and nested lists as JSON. */
export function toText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    return value.filter((item) => item !== null).join(',');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether a header is present, in upper or lower case. */
export function hasHeader(headers: Readonly<Record<string, string>>, name: string): boolean {
  return Object.keys(headers).some((key) => key.toLowerCase() === name);
}

/**
 * Encodes a body: text stays as it is, everything else becomes JSON; with the content type
 * `application/x-www-form-urlencoded` it becomes a form, and with `text/…` a single text value is sent alone.
 */
export function encodeBody(body: JsonValue, headers: Readonly<Record<string, string>>): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return JSON.stringify(body);
  if (isForm(headers)) return encodeForm(body);
  const [only, ...others] = Object.values(body);
  const isLoneText = typeof only === 'string' && others.length === 0 && !Array.isArray(body);
  return isLoneText && contentType(headers).startsWith('text/') ? only : JSON.stringify(body);
}

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
