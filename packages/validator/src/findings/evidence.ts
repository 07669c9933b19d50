import type { HttpTrace } from '../network/exchange.ts';
import { shownUrl } from './mask-secrets.ts';
import { plainText } from './plain-text.ts';

/** The exchange that shows a finding. Sanitized, and cut to what matters. */
export interface Evidence {
  /** Such as `GET https://example.com/` or `tools/call forecast`. */
  request: string;
  /** Absent if there was no HTTP response. */
  status?: number;
  headers?: Record<string, string>;
  /** The start of the body, or of the part that the finding is about. */
  body?: string;
}

const MAX_BODY = 500;
const MAX_HEADER = 300;

/** Headers that say what an answer is. Layers add those that their finding is about. */
const TELLING = ['content-type', 'location', 'www-authenticate', 'retry-after'];

/** The evidence of an HTTP exchange. `headers` are further names of headers that matter. */
export function httpEvidence(
  { method, url, status, headers, body }: HttpTrace,
  { names = [] }: { names?: readonly string[] } = {},
): Evidence {
  const kept = [...TELLING, ...names].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, plainText(value, MAX_HEADER)] as const];
  });
  return {
    request: `${method} ${shownUrl(new URL(url))}`,
    status,
    headers: Object.fromEntries(kept),
    ...(body !== null && body !== '' && { body: plainText(body, MAX_BODY) }),
  };
}

/** The evidence of a part of an answer, such as the definition of a tool. */
export function partEvidence(request: string, part: unknown): Evidence {
  const text = typeof part === 'string' ? part : (JSON.stringify(part) ?? 'nothing');
  return { request: plainText(request, MAX_HEADER), body: plainText(text, MAX_BODY) };
}
