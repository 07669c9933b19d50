import { HttpError } from '@schemakit/http';
import type { Clock } from '../network/clock.ts';
import type { HttpTrace } from '../network/exchange.ts';
import { MAX_DOCUMENT_BYTES, type Network, readStart } from '../network/network.ts';

/** The answers to a GET of the URL. */
export interface Page {
  /** Redirects, then the last answer. Empty if there was no answer. Bodies are those of texts, at most 256 KiB. */
  hops: Hop[];
  /** Why the last redirect, or the URL itself, has no answer. */
  error: HttpError | undefined;
  /** Until the headers of the last answer, in milliseconds. */
  ms: number;
}

export interface Hop extends HttpTrace {
  /** From the request to the headers of its answer, without the time for the connection. In milliseconds. */
  firstByteMs: number;
}

const MAX_REDIRECTS = 10;

/** A page that hangs must leave time for the MCP server behind the same URL. */
const MAX_MS = 5000;

const TEXT = /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/i;

/** Gets the URL and follows its redirects. The user's headers are sent only to its origin. */
export async function getPage(
  url: URL,
  { headers, network, clock }: { headers: Record<string, string>; network: Network; clock: Clock },
): Promise<Page> {
  const begin = performance.now();
  const page: Page = { hops: [], error: undefined, ms: 0 };
  const endsAt = begin + Math.min(MAX_MS, clock.remaining() / 2);
  try {
    for (let next: URL | null = url; next !== null; ) {
      if (page.hops.length > MAX_REDIRECTS)
        throw new HttpError('TOO_MANY_REDIRECTS', next, { detail: `more than ${MAX_REDIRECTS}` });
      const own = next.origin === url.origin ? headers : {};
      const request = { url: next.href, method: 'GET', headers: { accept: ACCEPT, ...own } };
      const sent = performance.now();
      const answer = await network.stream(request, endsAt - sent);
      const firstByteMs = Math.round((performance.now() - sent - answer.setupMs) * 10) / 10;
      page.ms = Math.round(performance.now() - begin);
      const isText = TEXT.test(answer.headers['content-type'] ?? '');
      const body = isText ? await readStart(answer.body, MAX_DOCUMENT_BYTES) : null;
      if (!isText) answer.body.cancel().catch(() => {});
      const { status, headers: received } = answer;
      page.hops.push({ method: 'GET', url: next.href, status, headers: received, body, firstByteMs });
      next = redirectTarget({ url: next.href, status: answer.status, headers: answer.headers });
    }
  } catch (error) {
    page.error = error instanceof HttpError ? error : new HttpError('ABORTED', url, { detail: String(error) });
  }
  return page;
}

const ACCEPT = 'text/html,application/json;q=0.9,*/*;q=0.8';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where an answer redirects to; null for other answers, and targets that are no URL. */
export function redirectTarget({ url, status, headers }: Pick<HttpTrace, 'url' | 'status' | 'headers'>): URL | null {
  if (!REDIRECTS.has(status) || headers.location === undefined) return null;
  const target = URL.parse(headers.location, url);
  if (target !== null) target.hash = '';
  return target;
}

/** `api`: an endpoint for programs. `error`: a page that says so by its status. `other`: files, and what cannot be told. */
export type PageKind = 'website' | 'api' | 'error' | 'other';

/** Statuses of endpoints that want another method, type, or credentials. */
const API_STATUSES: ReadonlySet<number> = new Set([400, 401, 402, 403, 405, 406, 415, 426]);

/** What an answer to GET says about its URL. */
export function pageKind({ status, headers }: Pick<HttpTrace, 'status' | 'headers'>): PageKind {
  const type = mediaType(headers);
  const isSuccess = status >= 200 && status < 300;
  if (isHtml(type)) return isSuccess ? 'website' : 'error';
  const isData = /^(?:text\/event-stream|(?:application|text)\/(?:[\w.+-]*\+)?(?:json|xml))$/.test(type);
  if (API_STATUSES.has(status) || (isSuccess && isData)) return 'api';
  return isSuccess ? 'other' : 'error';
}

export function isHtml(type: string): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml';
}

/** The type of a body, such as `text/html`; empty if there is none. */
export function mediaType({ 'content-type': type = '' }: Record<string, string>): string {
  return type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
