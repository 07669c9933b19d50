import { type HttpRequest, scrubJson } from '@schemakit/http';
import { mask, type RecordedBody, type RecordedRequest, recordBody } from './recording.ts';

type Scrub = (text: string) => string;

/** Headers with credentials. They are always masked, because a signature does not contain the secret itself. */
const credentials = /^(proxy-)?authorization$|^cookie$|key|token|secret|signature|password|auth/;

/** Masks any part with a secret as a whole: in base64, the characters around a secret depend on it. */
export function maskRequest({ url, method, headers = {}, body }: HttpRequest, scrub: Scrub): RecordedRequest {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)
    .map(([key, text]) => [key.toLowerCase(), text] as const)
    .sort()) {
    masked[name] = credentials.test(name) ? mask : maskPart(value, scrub);
  }
  return {
    method: method.toUpperCase(),
    url: maskUrl(url, scrub),
    headers: masked,
    ...(body !== undefined && { body: maskBody(Buffer.from(body), masked['content-type'] ?? '', scrub) }),
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
  // A secret may contain the separator.
  return maskPart(masked, scrub);
}

function maskBody(bytes: Uint8Array, contentType: string, scrub: Scrub): RecordedBody {
  const plain = recordBody(bytes, contentType, (text) => text);
  if ('json' in plain) return { json: scrubJson(plain.json, (text) => maskPart(text, scrub)) };
  if ('text' in plain && /x-www-form-urlencoded/i.test(contentType)) {
    return { text: [splitKeeping(plain.text.join('\n'), /([&=])/, scrub)] };
  }
  return recordBody(bytes, contentType, scrub);
}
