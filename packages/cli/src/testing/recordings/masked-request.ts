import type { HttpRequest } from '@schemakit/http';
import { recordBody } from './recorded-body.ts';
import { mask, type RecordedBody, type RecordedRequest } from './recording.ts';

type Scrub = (text: string) => string;

/** Names of headers that carry credentials, whatever they are made of: a signature holds no secret that could be found. */
const credentials = /^(proxy-)?authorization$|^cookie$|key|token|secret|signature|password|auth/;

/**
 * A request as a recording has it. A part that holds a secret, in whatever form, is masked as a whole: what stands beside a
 * secret in base64 depends on it, and the same request must look the same whatever the secret is.
 */
export function maskRequest({ url, method, headers = {}, body }: HttpRequest, scrub: Scrub): RecordedRequest {
  const masked = Object.entries(headers).map(([name, value]): [string, string] => {
    const lower = name.toLowerCase();
    return [lower, credentials.test(lower) ? mask : maskPart(value, scrub)];
  });
  const own = Object.fromEntries(masked.sort(([left], [right]) => (left < right ? -1 : 1)));
  return {
    method: method.toUpperCase(),
    url: maskUrl(url, scrub),
    headers: own,
    ...(body !== undefined && { body: maskBody(Buffer.from(body), own['content-type'] ?? '', scrub) }),
  };
}

function maskPart(text: string, scrub: Scrub): string {
  return scrub(text) === text ? text : mask;
}

function maskUrl(url: string, scrub: Scrub): string {
  const [, origin = '', path = '', query = ''] = /^([a-z]+:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/is.exec(url) ?? [];
  const host = splitKeeping(origin, /([/.:@])/, scrub);
  return `${host}${splitKeeping(path, /(\/)/, scrub)}${splitKeeping(query, /([?&=])/, scrub)}`;
}

function splitKeeping(text: string, separator: RegExp, scrub: Scrub): string {
  const masked = text
    .split(separator)
    .map((part) => maskPart(part, scrub))
    .join('');
  // A secret may hold the separator itself.
  return maskPart(masked, scrub);
}

function maskBody(bytes: Uint8Array, contentType: string, scrub: Scrub): RecordedBody {
  const plain = recordBody(bytes, contentType, (text) => text);
  if ('json' in plain) return { json: maskLeaves(plain.json, scrub) };
  if ('text' in plain && /x-www-form-urlencoded/i.test(contentType)) {
    return { text: [splitKeeping(plain.text.join('\n'), /([&=])/, scrub)] };
  }
  return recordBody(bytes, contentType, scrub);
}

function maskLeaves(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return maskPart(value, scrub);
  if (typeof value === 'number') return scrub(String(value)) === String(value) ? value : mask;
  if (Array.isArray(value)) return value.map((item) => maskLeaves(item, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskPart(key, scrub), maskLeaves(item, scrub)]),
  );
}
