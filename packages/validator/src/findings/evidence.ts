import type { Exchange, HttpTrace } from '../network/exchange.ts';
import { shownUrl } from './mask-secrets.ts';
import { isDeeperThan } from './plain-object.ts';
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
/** Deeper values could overflow the stack. */
const MAX_DEPTH = 100;
const TOO_DEEP = '[nested too deeply to be shown]';

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
export function partEvidence(request: string, part: unknown): Evidence & { body: string } {
  const text = typeof part === 'string' ? part : isDeeperThan(part, MAX_DEPTH) ? TOO_DEEP : JSON.stringify(part);
  return { request: plainText(request, MAX_HEADER), body: plainText(text ?? 'nothing', MAX_BODY) };
}

/** The evidence of a document at a URL. */
export function documentEvidence(url: string, document: unknown): Evidence {
  return partEvidence(`GET ${shownUrl(new URL(url))}`, document);
}

/** The evidence of a JSON-RPC request: its HTTP refusal, else its response. */
export function rpcEvidence(request: string, { http, messages }: Exchange): Evidence {
  const refusal = http.findLast(({ status }) => status >= 300);
  return refusal === undefined ? partEvidence(request, messages.at(-1) ?? '') : httpEvidence(refusal);
}
