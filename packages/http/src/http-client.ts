import { lookup as dnsLookup } from 'node:dns';
import type { Agent, Dispatcher } from 'undici';
import { Deadline, pause } from './deadline.ts';
import { createDedupe, isShareable } from './dedupe.ts';
import { exchange, type Outcome, streamedExchange } from './exchange.ts';
import { createAgent, createGuardedLookup, type Lookup } from './guarded-agent.ts';
import { createHop, type Hop } from './hop.ts';
import { HttpError } from './http-error.ts';
import type { HttpAnswer, HttpRequest, HttpStream, Redirection } from './http-message.ts';
import { type HttpOptions, type HttpSettings, withDefaults } from './http-options.ts';
import { currentInterceptor } from './intercept-requests.ts';
import { policyJudge } from './network-policy.ts';
import { ReceivedAnswer } from './received-answer.ts';
import { isRedirect, redirectedHop } from './redirect.ts';
import { addHeaders, watchedRequest } from './request-watch.ts';
import { retryDelay } from './retry.ts';

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
  /**
   * Resolves when the head of the answer has come, to a body that is read as it comes; for answers that may go on for long, such as event streams. Sent once:
   * redirects are answers, and nothing is retried. `timeoutMs` and `maxBytes` are for the whole body. The body has to be read to its end or cancelled.
   */
  stream(request: HttpRequest, options?: HttpOptions): Promise<HttpStream>;
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
  const trust = ca === undefined ? {} : { ca: [ca].flat() };
  // Two agents because undici shares connections by origin alone: one that was made to an approved private address must never serve a request that has no
  // such approval. Literal addresses never reach a look-up; the policy has judged them.
  let publicAgent: Agent | undefined;
  let anyAgent: Agent | undefined;

  let active = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  function dispatcherFor(hop: Hop, { policy }: HttpSettings): Dispatcher {
    const verdict = policyJudge(policy)(hop.url, hop.origin);
    if (verdict === 'public-addresses') {
      publicAgent ??= createAgent({ ...trust, lookup: createGuardedLookup(lookup) });
      return publicAgent;
    }
    if (verdict === 'any-address') {
      anyAgent ??= createAgent({ ...trust, lookup: createGuardedLookup(lookup, () => true) });
      return anyAgent;
    }
    throw new HttpError(verdict, hop.url);
  }

  // Not undici's own `close`: that would also wait for abandoned connections.
  async function closeWhenIdle(): Promise<void> {
    if (active > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    await Promise.all([publicAgent?.destroy(), anyAgent?.destroy()]);
  }

  function begin(hop: Hop, limits: Pick<HttpSettings, 'timeoutMs' | 'signal'>): Deadline {
    if (closing !== undefined) throw new HttpError('CLOSED', hop.url);
    active++;
    return new Deadline(limits);
  }

  function end(deadline: Deadline): void {
    deadline.release();
    if (--active === 0) onIdle?.();
  }

  async function run(hop: Hop, settings: HttpSettings, deadline: Deadline): Promise<ReceivedAnswer> {
    try {
      return await follow(hop, settings, deadline, dispatcherFor);
    } finally {
      end(deadline);
    }
  }

  const dedupe = createDedupe({ begin, run });

  async function send(request: HttpRequest, options: HttpOptions | undefined): Promise<HttpAnswer> {
    const settings = withDefaults({ ...defaults, ...options });
    const hop = createHop(request);
    if (settings.limits?.singleFlight && isShareable(hop)) return dedupe(hop, settings);
    return run(hop, settings, begin(hop, settings));
  }

  return {
    request(request, options) {
      const intercept = currentInterceptor();
      return intercept === undefined ? send(request, options) : intercept(request, () => send(request, options));
    },
    async stream(request, options) {
      const settings = withDefaults({ ...defaults, ...options });
      const hop = createHop(request);
      const dispatcher = dispatcherFor(hop, settings);
      const deadline = begin(hop, settings);
      return await streamedExchange(dispatcher, hop, settings, { deadline, onDone: () => end(deadline) });
    },
    close() {
      closing ??= closeWhenIdle();
      return closing;
    },
  };
}

async function follow(
  first: Hop,
  settings: HttpSettings,
  deadline: Deadline,
  choose: (hop: Hop, settings: HttpSettings) => Dispatcher,
): Promise<ReceivedAnswer> {
  const { maxRedirects, redirect, secretHeaders, secretValues, limits } = settings;
  const redirects: Redirection[] = [];
  let hop = first;
  let attempts = 0;
  let waitedMs = 0;
  for (;;) {
    // Chosen first: where a request may not go, it does not wait either.
    const dispatcher = choose(hop, settings);
    const limiter = limits?.limiterFor(hop, secretValues);
    const permit = await limiter?.acquire(hop.url, deadline, settings.onWait);
    waitedMs += permit?.waitedMs ?? 0;
    let outcome: Outcome | undefined;
    try {
      outcome = await sendOnce(dispatcher, hop, { settings, deadline, resends: attempts - redirects.length });
    } finally {
      if (permit !== undefined) limiter?.release(permit, outcome);
    }
    attempts++;
    // The retries that are allowed are for the whole exchange, redirects included.
    const retry = attempts - redirects.length - 1;
    const delay = retry < settings.retries ? retryDelay(outcome, hop.method, retry) : undefined;
    if (delay !== undefined && delay < deadline.remainingMs() && !limiter?.isOpen()) {
      await pause(delay, deadline);
      continue;
    }
    if (outcome.error !== undefined) throw outcome.error;
    const { reply } = outcome;
    if (redirect === 'manual' || !isRedirect(reply)) {
      return new ReceivedAnswer(hop.url.href, reply, redirects, { attempts, waitedMs });
    }
    if (redirects.length >= maxRedirects) {
      throw new HttpError('TOO_MANY_REDIRECTS', hop.url, { detail: `more than ${maxRedirects}` });
    }
    const next = redirectedHop(hop, reply, { firstOrigin: first.origin, secretHeaders, secretValues });
    redirects.push({ from: hop.url.href, to: next.url.href, status: reply.status });
    hop = next;
  }
}

async function sendOnce(
  dispatcher: Dispatcher,
  hop: Hop,
  { settings, deadline, resends }: { settings: HttpSettings; deadline: Deadline; resends: number },
): Promise<Outcome> {
  const follower = settings.watch?.(() => watchedRequest(hop, settings.secretValues, resends));
  const added = follower?.headers;
  const sent = added === undefined ? hop : { ...hop, wireHeaders: addHeaders(hop.wireHeaders, added) };
  const outcome = await exchange(dispatcher, sent, settings, deadline);
  follower?.end(outcome.reply ? { status: outcome.reply.status } : { error: outcome.error });
  return outcome;
}
