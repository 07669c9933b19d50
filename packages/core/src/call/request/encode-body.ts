import type { JsonValue } from '../../schema/json.ts';
import { encodeQueryText } from './query-text.ts';

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
