import type { Deadline } from './deadline.ts';
import type { Hop } from './hop.ts';
import { HttpError } from './http-error.ts';
import type { HttpSettings } from './http-options.ts';
import type { ReceivedAnswer } from './received-answer.ts';
import { shownOrigin } from './request-watch.ts';

/** How a client makes an exchange. */
export interface ExchangeRunner {
  begin(hop: Hop, limits: Pick<HttpSettings, 'timeoutMs' | 'signal'>): Deadline;
  run(hop: Hop, settings: HttpSettings, deadline: Deadline): Promise<ReceivedAnswer>;
}

/** An exchange that ends when nobody waits for its answer any more. */
interface SharedExchange {
  answer: Promise<ReceivedAnswer>;
  deadline: Deadline;
  waiting: number;
}

/** Requests that read and have no body (RFC 9110 9.2.1): sending one of them has the same effect as sending two. */
export function isShareable({ method, body }: Hop): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined;
}

/** Makes the function that answers identical requests which run at the same time with one exchange. */
export function createDedupe({
  begin,
  run,
}: ExchangeRunner): (hop: Hop, settings: HttpSettings) => Promise<ReceivedAnswer> {
  const running = new Map<string, SharedExchange>();

  function start(key: string, hop: Hop, settings: HttpSettings): SharedExchange {
    // The signal of one caller must not end it for the others.
    const deadline = begin(hop, { timeoutMs: settings.timeoutMs });
    const forget = () => {
      if (running.get(key) === shared) running.delete(key);
    };
    const answer = run(hop, settings, deadline).finally(forget);
    answer.catch(() => {}); // Every caller may have gone by then.
    const shared: SharedExchange = { answer, deadline, waiting: 0 };
    running.set(key, shared);
    return shared;
  }

  return async function join(hop: Hop, settings: HttpSettings): Promise<ReceivedAnswer> {
    const { signal, timeoutMs, limits, secretValues } = settings;
    if (signal?.aborted) throw new HttpError('ABORTED', hop.url, { cause: signal.reason });
    const key = keyOf(hop, settings);
    const known = running.get(key);
    const shared = known ?? start(key, hop, settings);
    const since = performance.now();
    shared.waiting += 1;
    try {
      const answer = await untilAborted(shared, signal, hop.url);
      if (known === undefined) return answer;
      const origin = shownOrigin(hop.url, secretValues);
      limits?.report({ origin, outcome: 'shared', waitedMs: 0, durationMs: performance.now() - since });
      return answer.copy();
    } catch (error) {
      // The exchange began before this call, so its time was over earlier.
      const leftMs = timeoutMs - (performance.now() - since);
      if (known === undefined || signal?.aborted || !shared.deadline.hasEnded() || leftMs < 1) throw error;
      return join(hop, { ...settings, timeoutMs: leftMs });
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0 && signal?.aborted) {
        if (running.get(key) === shared) running.delete(key);
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
    const settle = () => signal.removeEventListener('abort', abort);
    answer.then(resolve, reject).finally(settle);
  });
}

/** Requests with the same key are sent in the same way and under the same rules. Their time is their own. */
function keyOf({ method, url, wireHeaders }: Hop, settings: HttpSettings): string {
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
