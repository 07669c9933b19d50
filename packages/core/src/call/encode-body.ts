import type { JsonValue } from '../format/json.ts';
import { encodeQueryText } from './plan-request.ts';

/**
 * A body as it is sent: text as it is, everything else as JSON, or as a form where the headers say
 * `application/x-www-form-urlencoded`.
 */
export function encodeBody(body: JsonValue, headers: Readonly<Record<string, string>>): string {
  if (typeof body === 'string') return body;
  return isForm(headers) && typeof body === 'object' && body !== null ? encodeForm(body) : JSON.stringify(body);
}

/** Tells whether the headers announce a form. */
export function isForm(headers: Readonly<Record<string, string>>): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return type.toLowerCase().startsWith('application/x-www-form-urlencoded');
}

function encodeForm(body: object): string {
  const fields = Object.entries(body).flatMap(([key, value]: [string, JsonValue | undefined]): [string, string][] => {
    if (value === undefined || value === null) return [];
    const values = Array.isArray(value) ? value : [value];
    return values.map((item) => [key, typeof item === 'object' ? JSON.stringify(item) : String(item)]);
  });
  return fields.map(([key, value]) => `${encodeQueryText(key)}=${encodeQueryText(value)}`).join('&');
}
