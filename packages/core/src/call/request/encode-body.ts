import type { Finding } from '../../schema/finding.ts';
import { parseFileValue } from '../../schema/input/file-value.ts';
import type { JsonValue } from '../../schema/json.ts';
import type { Placement, Tool } from '../../schema/schema.ts';
import { callFinding } from '../call-findings.ts';
import { createMultipart, type Multipart, type Part } from './multipart.ts';
import { encodeQueryText } from './query-text.ts';
import { toText } from './template-value.ts';
import { otherKeys, styledPairs, styleFinding, styleProblem } from './value-style.ts';

/** A body that is ready for the wire, except that secrets are still tokens. */
export type OutgoingBody = string | Uint8Array | Multipart;

type EncodedBody = { ok: true; body: OutgoingBody; contentType?: string } | { ok: false; finding: Finding };

/** Bytes of a body with files. */
const maxBytes = 32 * 1024 * 1024;

/** The media type of each encoding. That of `binary` is the type of the file. */
export const encodingTypes: Readonly<Record<NonNullable<Tool['encoding']>, string | undefined>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain; charset=utf-8',
  binary: undefined,
};

/** Encodes a body as its tool says (docs/format.md, "Body"). Text that a handler wrote stays as it is. */
export function encodeToolBody(
  body: JsonValue,
  headers: Readonly<Record<string, string>>,
  { encoding, placements }: Pick<Tool, 'encoding' | 'placements'>,
): EncodedBody {
  const fields = placements.filter(({ location }) => location === 'body');
  if (encoding === 'binary') return encodeBinary(body, headers, fields[0]);
  if (encoding === 'text') return { ok: true, body: toText(body) };
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (encoding === 'form' && isObject) return encodeStyledForm(body, fields);
  if (encoding === 'multipart' && isObject) return encodeMultipart(body, fields);
  if (encoding === 'json') return { ok: true, body: typeof body === 'string' ? body : JSON.stringify(body) };
  return { ok: true, body: encodeBody(body, headers) };
}

function encodeBinary(
  body: JsonValue,
  headers: Readonly<Record<string, string>>,
  field: Placement | undefined,
): EncodedBody {
  const text = toText(body);
  const file = field?.isFile ? parseFileValue(text) : undefined;
  if (field?.isFile && file === undefined) return { ok: false, finding: notAFile(field.key) };
  const bytes = file === undefined ? Buffer.from(text) : Buffer.from(file.base64, 'base64');
  if (bytes.length > maxBytes) return { ok: false, finding: tooLarge(field?.key ?? '') };
  const contentType = file?.type ?? 'application/octet-stream';
  return { ok: true, body: bytes, ...(!hasHeader(headers, 'content-type') && { contentType }) };
}

function encodeStyledForm(body: Readonly<Record<string, JsonValue>>, fields: readonly Placement[]): EncodedBody {
  const pairs: string[] = [];
  for (const [key, value] of Object.entries(body)) {
    const field = fields.find((placement) => placement.key === key);
    if (field?.style === undefined) {
      pairs.push(encodeForm({ [key]: value }));
      continue;
    }
    if (value === null) continue;
    const problem = styleProblem(key, value, field.style, { taken: otherKeys(fields, field) });
    if (problem !== undefined) return { ok: false, finding: styleFinding(field, problem) };
    pairs.push(...styledPairs(key, value, field.style, encodeQueryText));
  }
  return { ok: true, body: pairs.filter((pair) => pair !== '').join('&') };
}

/** Lists become several parts, objects become JSON. */
function encodeMultipart(body: Readonly<Record<string, JsonValue>>, fields: readonly Placement[]): EncodedBody {
  const parts: Part[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(body)) {
    const isFile = fields.some((field) => field.key === name && field.isFile);
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue;
      const part = isFile && typeof item === 'string' ? filePart(name, item) : fieldPart(name, item);
      if (part === undefined) return { ok: false, finding: notAFile(name) };
      parts.push(part);
      bytes += part.content.length;
      if (bytes > maxBytes) return { ok: false, finding: tooLarge(name) };
    }
  }
  const multipart = createMultipart(parts);
  return { ok: true, body: multipart, contentType: `multipart/form-data; boundary=${multipart.boundary}` };
}

function filePart(name: string, text: string): Part | undefined {
  const file = parseFileValue(text);
  if (file === undefined) return undefined;
  const { base64, type = 'application/octet-stream', name: filename = name } = file;
  return { name, content: Buffer.from(base64, 'base64'), filename, type };
}

function fieldPart(name: string, value: JsonValue): Part {
  if (typeof value !== 'object') return { name, content: String(value) };
  return { name, content: JSON.stringify(value), type: 'application/json' };
}

function notAFile(key: string): Finding {
  const hint = 'Give the content as base64, or a URL such as data:image/png;name=x.png;base64,…';
  return callFinding('INP013', `${key}: expected a file, as base64 or as a data: URL.`, { path: key, hint });
}

function tooLarge(key: string): Finding {
  const message = `${key}: the body would have more than ${maxBytes / 1024 / 1024} MiB.`;
  return callFinding('INP014', message, { path: key, hint: 'Send a smaller file, or fewer at once.' });
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
