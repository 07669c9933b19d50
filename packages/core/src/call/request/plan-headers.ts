import type { Finding } from '../../schema/finding.ts';
import type { JsonValue } from '../../schema/json.ts';
import type { Placement, Tool } from '../../schema/schema.ts';
import { callFinding } from '../call-findings.ts';
import { evaluate, type InputValues, placedValues, type SecretValues, toText } from './template-value.ts';
import { otherKeys, styledHeader, styledPairs, styleProblem } from './value-style.ts';

export type PlannedHeaders = { ok: true; headers: Record<string, string> } | { ok: false; findings: Finding[] };

/** The headers of a request: those of the schema and the tool, then header parameters in their place, then cookies. */
export function planHeaders(tool: Tool, values: InputValues, secrets: SecretValues): PlannedHeaders {
  const headers: Record<string, string> = {};
  for (const { name, value } of tool.headers) headers[name] = toText(evaluate(value, values, secrets) ?? '');
  const findings: Finding[] = [];
  for (const [placement, value] of placedValues(tool, values, secrets, 'header')) {
    if (value === null) continue;
    const { key, style } = placement;
    const text = style === undefined ? toText(value) : styledHeader(value, style);
    const problem = headerProblem(text) ?? (style && styleProblem(key, value, style, { isHeader: true }));
    if (problem !== undefined) findings.push(refused(placement, 'header', problem));
    setHeader(headers, key, text);
  }
  const own = Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie')?.[1];
  const cookies: string[] = own ? [own] : [];
  for (const [placement, value] of placedValues(tool, values, secrets, 'cookie')) {
    if (value === null) continue;
    const { key, style } = placement;
    const taken = [...otherKeys(tool.placements, placement), ...cookieNames(own)];
    const problem = style && (styleProblem(key, value, style, { taken }) ?? cookieNameProblem(value, style));
    if (problem !== undefined) findings.push(refused(placement, 'cookie', problem));
    cookies.push(...cookiesOf(placement, value));
  }
  if (findings.length > 0) return { ok: false, findings };
  if (cookies.length > (own ? 1 : 0)) setHeader(headers, 'Cookie', cookies.join('; '));
  return { ok: true, headers };
}

/** Sets a header in place of one with the same name in another case. */
export function setHeader(headers: Record<string, string>, name: string, value: string): void {
  for (const other of Object.keys(headers)) if (other.toLowerCase() === name.toLowerCase()) delete headers[other];
  headers[name] = value;
}

/** RFC 9110, 5.5: no control characters but the tab, and one byte for each character. */
function headerProblem(text: string): string | undefined {
  if (/(?!\t)\p{Cc}/u.test(text)) return 'line breaks or other control characters';
  return /[^\0-\xff]/.test(text) ? 'characters outside of ISO 8859-1' : undefined;
}

function cookiesOf({ key, value: template, style }: Placement, value: JsonValue): string[] {
  if (style !== undefined) return styledPairs(key, value, style, encodeCookie);
  // A session that the author wrote, or that is a secret, is sent as it is; `checkServerParams` has looked at it.
  const isFromCaller = template.some(({ kind }) => kind === 'input');
  return [`${key}=${isFromCaller ? encodeCookie(toText(value)) : toText(value)}`];
}

function cookieNames(header = ''): string[] {
  return header.split(';').map((cookie) => cookie.replace(/=.*/s, '').trim());
}

/** Percent-encodes what a cookie cannot contain (RFC 6265, 4.1.1, cookie-octet), and the percent sign. */
function encodeCookie(text: string): string {
  return text.toWellFormed().replace(/[^!#$&-+\--:<-[\]-~]/gu, encodeURIComponent);
}

/** Members of an exploded object become the names of cookies, which cannot be encoded. */
function cookieNameProblem(value: JsonValue, { explode }: NonNullable<Placement['style']>): string | undefined {
  if (!explode || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const name = Object.keys(value).find((member) => !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(member));
  return name === undefined ? undefined : `the member ${JSON.stringify(name)}, which cannot be the name of a cookie`;
}

function refused({ key }: Placement, place: 'header' | 'cookie', problem: string): Finding {
  const hint = 'Give a single line of text, without characters that separate values.';
  return callFinding('INP011', `${key}: a value for a ${place} may not have ${problem}.`, { path: key, hint });
}
