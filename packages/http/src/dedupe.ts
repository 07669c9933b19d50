import type { Deadline } from './deadline.ts';
import { HttpError } from './http-error.ts';
import type { HttpSettings } from './http-options.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { ReceivedAnswer } from './received-answer.ts';
import { shownOrigin } from './request-watch.ts';

/** An exchange that ends when no caller waits for its answer any more. */
interface SharedExchange {
  answer: Promise<ReceivedAnswer>;
  deadline: Deadline;
  waiting: number;
}

/** Reading requests without a body (RFC 9110 9.2.1): sending one has the same effect as sending two. */
export function isShareable({ method, body }: PreparedRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined;
}

type Send = (request: PreparedRequest, settings: HttpSettings) => Promise<ReceivedAnswer>;

/** Makes a function that answers identical concurrent requests with one exchange: `begin` starts its clock, `run` makes it. */
export function createDedupe(
  begin: (request: PreparedRequest, limits: Pick<HttpSettings, 'timeoutMs'>) => Deadline,
  run: (request: PreparedRequest, settings: HttpSettings, deadline: Deadline) => Promise<ReceivedAnswer>,
): Send {
  const running = new Map<string, SharedExchange>();

  function start(key: string, request: PreparedRequest, settings: HttpSettings): SharedExchange {
    // Without a signal: one caller must not end the exchange for the others.
    const deadline = begin(request, { timeoutMs: settings.timeoutMs });
    const answer = run(request, settings, deadline).finally(() => forget(key, shared));
    answer.catch(() => {}); // All callers may have gone by then.
    const shared: SharedExchange = { answer, deadline, waiting: 0 };
    running.set(key, shared);
    return shared;
  }

  function forget(key: string, shared: SharedExchange): void {
    if (running.get(key) === shared) running.delete(key);
  }

  return async function send(request, settings) {
    const { signal, timeoutMs, limits, secretValues } = settings;
    const { url } = request;
    if (signal?.aborted) throw new HttpError('ABORTED', url, { cause: signal.reason });
    const key = keyOf(request, settings);
    const known = running.get(key);
    const shared = known ?? start(key, request, settings);
    const since = performance.now();
    shared.waiting += 1;
    try {
      const answer = await untilAborted(shared, signal, url);
      if (known === undefined) return answer;
      const origin = shownOrigin(url, secretValues);
      limits?.report({ origin, outcome: 'shared', waitedMs: 0, durationMs: performance.now() - since });
      return answer.copy();
    } catch (error) {
      // The exchange began before this call, so it timed out earlier.
      const leftMs = timeoutMs - (performance.now() - since);
      if (known === undefined || signal?.aborted || !shared.deadline.hasEnded() || leftMs < 1) throw error;
      return send(request, { ...settings, timeoutMs: leftMs });
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0 && signal?.aborted) {
        forget(key, shared);
        shared.deadline.cancel(signal.reason);
      }
    }
  };
}

function untilAborted(
  { answer, deadline }: SharedExchange,
  signal: AbortSignal | undefined,
  url: URL,
): Promise<ReceivedAnswer> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = () => reject(deadline.abortError(url, signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Requests with the same key are sent in the same way and under the same rules, except for their timeouts. */
function keyOf({ method, url, wireHeaders }: PreparedRequest, settings: HttpSettings): string {
  const { policy, limits, idleTimeoutMs, maxBytes, maxRedirects, redirect, retries } = settings;
  const { secretHeaders, secretValues } = settings;
  const rules = [idleTimeoutMs, maxBytes, maxRedirects, redirect, retries, secretHeaders, secretValues];
  return JSON.stringify([method, url.href, wireHeaders, idOf(policy), limits && idOf(limits), rules]);
}

const ids = new WeakMap<object, number>();
let lastId = 0;

function idOf(object: object): number {
  const id = ids.get(object) ?? ++lastId;
  ids.set(object, id);
  return id;
}
