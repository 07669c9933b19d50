import type { JsonValue } from '../format/json.ts';
import { encodeQueryText } from './plan-request.ts';

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
