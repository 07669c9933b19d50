import { lookup as dnsLookup } from 'node:dns';
import { Agent, type Dispatcher } from 'undici';
import { type Deadline, pause, startDeadline } from './deadline.ts';
import { exchange, type Outcome, type Reply } from './exchange.ts';
import { createGuardedLookup, type Lookup } from './guarded-lookup.ts';
import { createHop, type Hop } from './hop.ts';
import { HttpError } from './http-error.ts';
import type { HttpAnswer, HttpRequest, Redirection } from './http-message.ts';
import { type HttpOptions, type HttpSettings, settle } from './http-options.ts';
import { policyJudge } from './network-policy.ts';
import { isRedirect, redirectedHop } from './redirect.ts';
import { isWorthRetrying, retryDelay } from './retry.ts';

/** What a client is made with: defaults for its requests, and what concerns its connections. */
export interface HttpClientOptions extends HttpOptions {
  /** Resolves host names in place of `dns.lookup`; what it answers is checked like any other answer. */
  lookup?: Lookup;
  /** Certificates (PEM) of authorities to trust in place of the well-known ones. */
  ca?: string | readonly string[];
}

/** Makes requests over connections that it keeps. */
export interface HttpClient {
  /** Resolves to the answer, whatever its status; rejects with an {@link HttpError} and nothing else. */
  request(request: HttpRequest, options?: HttpOptions): Promise<HttpAnswer>;
  /** Waits for the requests that are going on, then closes all connections; requests made later fail with `CLOSED`. */
  close(): Promise<void>;
}

/**
 * Creates a client with connections of its own.
 *
 * @example
 * const client = createHttpClient({ timeoutMs: 5000 });
 * const { status, body } = await client.request({ url: 'https://example.com/', method: 'GET' });
 * await client.close();
 */
export function createHttpClient({ lookup = dnsLookup, ca, ...defaults }: HttpClientOptions = {}): HttpClient {
  const defaultSettings = settle(defaults);
  const hasDefaults = Object.keys(defaults).length > 0;
  const trust = ca === undefined ? {} : { ca: [ca].flat() };
  // Two agents because undici shares connections by origin alone: one that was made to an approved private address must never serve a request that has no
  // such approval. Literal addresses never reach a look-up; the policy has judged them.
  const publicAgent = createAgent({ ...trust, lookup: createGuardedLookup(lookup) });
  const anyAgent = createAgent({ ...trust, lookup: createGuardedLookup(lookup, () => true) });

  let active = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  function dispatcherFor(hop: Hop, { policy }: HttpSettings): Dispatcher {
    const verdict = policyJudge(policy)(hop.url, hop.origin);
    if (verdict === 'public-addresses') return publicAgent;
    if (verdict === 'any-address') return anyAgent;
    throw new HttpError(verdict, hop.url);
  }

  // Not undici's own `close`: that would also wait for connections which nobody waits for any more.
  async function closeWhenIdle(): Promise<void> {
    if (active > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    await Promise.all([publicAgent.destroy(), anyAgent.destroy()]);
  }

  return {
    async request(request, options) {
      const settings =
        options === undefined ? defaultSettings : settle(hasDefaults ? { ...defaults, ...options } : options);
      const hop = createHop(request);
      if (closing !== undefined) throw new HttpError('CLOSED', hop.url);
      const deadline = startDeadline(settings);
      active++;
      try {
        return await follow(hop, settings, deadline, dispatcherFor);
      } finally {
        deadline.release();
        if (--active === 0) onIdle?.();
      }
    },
    close() {
      closing ??= closeWhenIdle();
      return closing;
    },
  };
}

/** More connections to one server only cost: at 256 requests at a time, 128 of them are faster than 256. */
const CONNECTIONS_PER_ORIGIN = 128;

/** HTTP/1.1 only: its time-outs and limits are the ones this package relies on. */
function createAgent(connect: NonNullable<Agent.Options['connect']>): Agent {
  return new Agent({ allowH2: false, connections: CONNECTIONS_PER_ORIGIN, connect });
}

type ChooseDispatcher = (hop: Hop, settings: HttpSettings) => Dispatcher;

async function follow(
  first: Hop,
  settings: HttpSettings,
  deadline: Deadline,
  choose: ChooseDispatcher,
): Promise<HttpAnswer> {
  const { maxRedirects, redirect, secretHeaders, secretValues } = settings;
  const redirects: Redirection[] = [];
  let hop = first;
  let attempts = 0;
  for (;;) {
    const dispatcher = choose(hop, settings);
    const sent = await sendWithRetries(dispatcher, hop, settings, deadline, attempts - redirects.length);
    attempts += sent.attempts;
    const { reply } = sent;
    if (redirect === 'manual' || !isRedirect(reply)) return { url: hop.url.href, ...reply, redirects, attempts };
    if (redirects.length >= maxRedirects) {
      throw new HttpError('TOO_MANY_REDIRECTS', hop.url, { detail: `more than ${maxRedirects}` });
    }
    const next = redirectedHop(hop, reply, { firstOrigin: first.origin, secretHeaders, secretValues });
    redirects.push({ from: hop.url.href, to: next.url.href, status: reply.status });
    hop = next;
  }
}

/** `used` retries were spent on earlier hops: the number allowed is for the whole exchange. */
async function sendWithRetries(
  dispatcher: Dispatcher,
  hop: Hop,
  settings: HttpSettings,
  deadline: Deadline,
  used: number,
): Promise<{ reply: Reply; attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const outcome = await exchange(dispatcher, hop, settings, deadline);
    const retry = used + attempts - 1;
    const delay =
      retry < settings.retries && isWorthRetrying(outcome, hop.method) ? retryDelay(outcome, retry) : undefined;
    if (delay === undefined || delay >= deadline.remainingMs()) return { reply: replyOf(outcome), attempts };
    await pause(delay, deadline);
  }
}

function replyOf({ reply, error }: Outcome): Reply {
  if (error !== undefined) throw error;
  return reply;
}
