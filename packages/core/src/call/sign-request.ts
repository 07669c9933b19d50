import { createHmac, randomUUID } from 'node:crypto';
import type { Signature } from '../schema/schema.ts';
import { type Template, templateText } from '../schema/template.ts';
import { setHeader } from './request/plan-headers.ts';
import { encodeQueryText } from './request/query-text.ts';
import type { SecretValues } from './request/template-value.ts';

/** A request with its secrets in place. */
interface SignableRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

/** What a signature adds to a request. */
export type Sign = (request: SignableRequest) => Partial<Pick<SignableRequest, 'url' | 'headers'>>;

/**
 * Signs a request as `signature` of its schema says (docs/format.md, "`signature`"). Without `secrets` the parts that are known only
 * when it is sent are their placeholders, for a preview.
 */
export function signRequest(
  request: SignableRequest,
  signature: Signature,
  secrets: SecretValues | undefined,
): Pick<SignableRequest, 'url' | 'headers'> {
  const isShown = secrets === undefined;
  const now = new Date();
  const times = {
    timestamp: String(Math.floor(now.getTime() / 1000)),
    timestampMs: String(now.getTime()),
    timestampIso: now.toISOString(),
    nonce: randomUUID(),
  };
  const values: Readonly<Record<string, string>> = { ...secrets, ...times };
  const text = (template: Template) => templateText(template, (key) => (isShown ? `{{${key}}}` : (values[key] ?? '')));
  const encode = isShown ? (value: string) => value : encodeQueryText;
  const { name, prefix, in: place } = signature;
  const added = signature.query.map(([key, value]) => `${encode(key)}=${encode(text(value))}`);
  // A link to the next page may repeat those of the request before.
  const url = withQuery(withoutPairs(request.url, signatureKeys(signature)), added);
  const mac = isShown ? '{{signature}}' : macOf({ ...request, url }, signature, values);
  const signed = `${text(prefix)}${mac}`;
  const headers = { ...request.headers };
  for (const [key, value] of signature.headers) setHeader(headers, key, text(value));
  if (place === 'header') setHeader(headers, name, signed);
  return { url: place === 'query' ? withQuery(url, [`${encode(name)}=${encode(signed)}`]) : url, headers };
}

/** The query parameters that a signature adds. */
export function signatureKeys({ query, name, in: place }: Signature): string[] {
  return [...query.map(([key]) => key), ...(place === 'query' ? [name] : [])];
}

function macOf(
  { url: address, method, body = '' }: SignableRequest,
  { algorithm, encoding, secret, secretEncoding, message }: Signature,
  values: Readonly<Record<string, string>>,
): string {
  const url = new URL(address);
  const facts: Readonly<Record<string, string>> = {
    ...values,
    ...{ method, host: url.host, path: url.pathname, query: url.search.slice(1), target: url.pathname + url.search },
  };
  const hmac = createHmac(
    algorithm,
    Buffer.from(
      templateText(secret, (key) => values[key] ?? ''),
      secretEncoding,
    ),
  );
  for (const part of message) {
    const isBody = part.kind === 'input' && part.name === 'body';
    // The bytes of a binary body are signed as they are.
    hmac.update(isBody ? body : templateText([part], (key) => facts[key] ?? ''));
  }
  return hmac.digest(encoding);
}

/** The URL without the query parameters of these names; all others stay as they are written. */
function withoutPairs(url: string, names: readonly string[]): string {
  const [, base = '', query = ''] = /^([^?]*)\?(.*)$/s.exec(url) ?? [];
  const isOwn = (pair: string) => [...new URLSearchParams(pair).keys()].some((key) => names.includes(key));
  const kept = query.split('&').filter((pair) => !isOwn(pair));
  return names.length === 0 || query === '' ? url : withQuery(base, kept);
}

function withQuery(url: string, pairs: readonly string[]): string {
  if (pairs.length === 0) return url;
  return `${url}${!url.includes('?') ? '?' : /[?&]$/.test(url) ? '' : '&'}${pairs.join('&')}`;
}
