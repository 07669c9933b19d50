import { AsyncLocalStorage } from 'node:async_hooks';
import { lookup as dnsLookup } from 'node:dns';
import type { Agent, Dispatcher } from 'undici';
import { Deadline, pause } from './deadline.ts';
import { createDedupe, isShareable } from './dedupe.ts';
import { dispatchRequest, dispatchStream, type Outcome } from './dispatch-request.ts';
import { createAgent, createGuardedLookup, type Lookup } from './guarded-agent.ts';
import { HttpError } from './http-error.ts';
import type { HttpAnswer, HttpRequest, HttpStream, Redirection } from './http-message.ts';
import { type HttpOptions, type HttpSettings, withDefaults } from './http-options.ts';
import { policyJudge } from './network-policy.ts';
import { isRedirect, type PreparedRequest, prepareRequest, redirectedRequest } from './prepare-request.ts';
import { ReceivedAnswer } from './received-answer.ts';
import { watchRequest, withAddedHeaders } from './request-watch.ts';
import { retryDelay } from './retry.ts';

/** Defaults for the requests of a client, and settings of its connections. */
export interface HttpClientOptions extends HttpOptions {
  /** Resolves host names instead of `dns.lookup`. The addresses are checked in the same way. */
  lookup?: Lookup;
  /** Certificates (PEM) of the authorities to trust, instead of the default ones. */
  ca?: string | readonly string[];
}

/** Makes requests over a pool of connections. */
export interface HttpClient {
  /** Resolves to the answer, whatever its status. Rejects only with {@link HttpError}. */
  request(request: HttpRequest, options?: HttpOptions): Promise<HttpAnswer>;
  /**
   * Resolves when the headers have arrived, with the body as a stream; for long answers such as event streams. Redirects are not
   * followed and nothing is retried. `timeoutMs` and `maxBytes` apply to the whole body. Read the body to its end, or cancel it.
   */
  stream(request: HttpRequest, options?: HttpOptions): Promise<HttpStream>;
  /** Waits for running requests, then closes all connections. Later requests fail with `CLOSED`. */
  close(): Promise<void>;
}

/**
 * Creates a client with its own connections.
 *
 * @example
 * const client = createHttpClient({ timeoutMs: 5000 });
 * const { status, body } = await client.request({ url: 'https://example.com/', method: 'GET' });
 * await client.close();
 */
export function createHttpClient({ lookup = dnsLookup, ca, ...defaults }: HttpClientOptions = {}): HttpClient {
  const trust = ca === undefined ? {} : { ca: [ca].flat() };
  // Two agents, because undici shares connections by origin alone: a connection to an approved private address must never serve
  // a request without that approval. Literal addresses need no lookup; the policy checks them.
  let publicAgent: Agent | undefined;
  let anyAgent: Agent | undefined;

  let active = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  function dispatcherFor({ url, origin }: PreparedRequest, { policy }: HttpSettings): Dispatcher {
    const verdict = policyJudge(policy)(url, origin);
    if (verdict === 'public-addresses') {
      publicAgent ??= createAgent({ ...trust, lookup: createGuardedLookup(lookup) });
      return publicAgent;
    }
    if (verdict === 'any-address') {
      anyAgent ??= createAgent({ ...trust, lookup: createGuardedLookup(lookup, () => true) });
      return anyAgent;
    }
    throw new HttpError(verdict, url);
  }

  // undici's own `close` would also wait for abandoned connections.
  async function closeWhenIdle(): Promise<void> {
    if (active > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    await Promise.all([publicAgent?.destroy(), anyAgent?.destroy()]);
  }

  function begin({ url }: PreparedRequest, limits: Pick<HttpSettings, 'timeoutMs' | 'signal'>): Deadline {
    if (closing !== undefined) throw new HttpError('CLOSED', url);
    active++;
    return new Deadline(limits);
  }

  function end(deadline: Deadline): void {
    deadline.release();
    if (--active === 0) onIdle?.();
  }

  const connections: Connections = { dispatcherFor, end };
  const dedupe = createDedupe(begin, (request, settings, deadline) => run(request, settings, deadline, connections));

  async function send(request: HttpRequest, options: HttpOptions | undefined): Promise<HttpAnswer> {
    const settings = withDefaults(options ?? {}, defaults);
    const prepared = prepareRequest(request);
    if (settings.limits?.singleFlight && isShareable(prepared)) return await dedupe(prepared, settings);
    return await run(prepared, settings, begin(prepared, settings), connections);
  }

  return {
    request(request, options) {
      const intercept = interceptors.getStore();
      return intercept === undefined
        ? send(request, options)
        : intercept(request, () => send(request, options), options ?? {});
    },
    async stream(request, options) {
      const settings = withDefaults(options ?? {}, defaults);
      const prepared = prepareRequest(request);
      const dispatcher = dispatcherFor(prepared, settings);
      const deadline = begin(prepared, settings);
      return await dispatchStream(dispatcher, prepared, settings, { deadline, onDone: () => end(deadline) });
    },
    close() {
      closing ??= closeWhenIdle();
      return closing;
    },
  };
}

interface Connections {
  dispatcherFor(request: PreparedRequest, settings: HttpSettings): Dispatcher;
  end(deadline: Deadline): void;
}

async function run(
  first: PreparedRequest,
  settings: HttpSettings,
  deadline: Deadline,
  connections: Connections,
): Promise<ReceivedAnswer> {
  const { maxRedirects, redirect, secretHeaders, secretValues, limits, watch } = settings;
  const redirects: Redirection[] = [];
  let request = first;
  let attempts = 0;
  let waitedMs = 0;
  try {
    for (;;) {
      const { url, method } = request;
      // Before the queue: a request that is not allowed must not wait either.
      const dispatcher = connections.dispatcherFor(request, settings);
      const limiter = limits?.limiterFor(request, secretValues);
      const permit = limiter && (await limiter.acquire(url, deadline, settings.onWait));
      waitedMs += permit?.waitedMs ?? 0;
      // Retries are counted for the whole exchange, redirects included.
      const retry = attempts - redirects.length;
      let outcome: Outcome | undefined;
      try {
        const follower = watch && watchRequest(request, watch, { secretValues, resends: retry });
        const sent = follower?.headers ? withAddedHeaders(request, follower.headers) : request;
        outcome = await dispatchRequest(dispatcher, sent, settings, deadline);
        follower?.end(outcome.reply ? { status: outcome.reply.status } : { error: outcome.error });
      } finally {
        if (permit !== undefined) limiter?.release(permit, outcome);
      }
      attempts++;
      const delay = retry < settings.retries ? retryDelay(outcome, method, retry) : undefined;
      if (delay !== undefined && delay < deadline.remainingMs() && !limiter?.isOpen()) {
        await pause(delay, deadline);
        continue;
      }
      if (outcome.error !== undefined) throw outcome.error;
      const { reply } = outcome;
      if (redirect === 'manual' || !isRedirect(reply)) {
        return new ReceivedAnswer(reply, { url: url.href, redirects, attempts, waitedMs });
      }
      if (redirects.length >= maxRedirects) {
        throw new HttpError('TOO_MANY_REDIRECTS', url, { detail: `more than ${maxRedirects}` });
      }
      request = redirectedRequest(request, reply, { firstOrigin: first.origin, secretHeaders, secretValues });
      redirects.push({ from: url.href, to: request.url.href, status: reply.status });
    }
  } finally {
    connections.end(deadline);
  }
}

/** Stands between requests and the network. `send` makes the request; an interceptor that does not call it sends nothing. */
export type Interceptor = (
  request: HttpRequest,
  send: () => Promise<HttpAnswer>,
  options: Pick<HttpOptions, 'secretValues' | 'purpose'>,
) => Promise<HttpAnswer>;

const interceptors = new AsyncLocalStorage<Interceptor>();

/**
 * Passes every request that `work` makes, directly or in what it starts, to a function: to record answers, or to replay recorded
 * ones. Requests made elsewhere at the same time are not affected.
 *
 * @example
 * await interceptRequests(async (request, send) => {
 *   const answer = await send();
 *   console.log(request.url, answer.status);
 *   return answer;
 * }, () => client.request({ url: 'https://example.com/', method: 'GET' }));
 */
export function interceptRequests<T>(intercept: Interceptor, work: () => T): T {
  return interceptors.run(intercept, work);
}
