import { HttpError } from '@schemakit/http';
import type { Clock } from '../network/clock.ts';
import type { HttpTrace } from '../network/exchange.ts';
import { MAX_DOCUMENT_BYTES, type Network, readStart } from '../network/network.ts';

/** The answers to a GET of the URL. */
export interface Page {
  /** Redirects, then the last answer. Empty if there was no answer. Bodies are those of texts, at most 256 KiB. */
  hops: HttpTrace[];
  /** Why the last redirect, or the URL itself, has no answer. */
  error: HttpError | undefined;
  /** Until the headers of the last answer, in milliseconds. */
  ms: number;
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
      const answer = await network.stream(request, endsAt - performance.now());
      page.ms = Math.round(performance.now() - begin);
      const isText = TEXT.test(answer.headers['content-type'] ?? '');
      const body = isText ? await readStart(answer.body, MAX_DOCUMENT_BYTES) : null;
      if (!isText) answer.body.cancel().catch(() => {});
      page.hops.push({ method: 'GET', url: next.href, status: answer.status, headers: answer.headers, body });
      next = redirectOf(answer.status, answer.headers.location, next);
    }
  } catch (error) {
    page.error = error instanceof HttpError ? error : new HttpError('ABORTED', url, { detail: String(error) });
  }
  return page;
}

const ACCEPT = 'text/html,application/json;q=0.9,*/*;q=0.8';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectOf(status: number, location: string | undefined, base: URL): URL | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  const target = URL.parse(location, base.href);
  if (target !== null) target.hash = '';
  return target;
}
