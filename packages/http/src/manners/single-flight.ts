import type { Deadline } from '../deadline.ts';
import type { Hop } from '../hop.ts';
import { HttpError } from '../http-error.ts';
import type { HttpSettings } from '../http-options.ts';
import type { ReceivedAnswer } from '../received-answer.ts';
import { createFlightTable } from './flight-table.ts';

/** How a client makes an exchange. */
export interface ExchangeRunner {
  begin(hop: Hop, limits: Pick<HttpSettings, 'timeoutMs' | 'signal'>): Deadline;
  follow(hop: Hop, settings: HttpSettings, deadline: Deadline): Promise<ReceivedAnswer>;
  end(deadline: Deadline): void;
  /** Told when a request was answered by one that was under way already, and how long that took. */
  onShared(hop: Hop, settings: HttpSettings, durationMs: number): void;
}

/** Requests that are under way, so that others like them can wait for the same answer. */
export interface SingleFlight {
  /** Waits for the answer to a request: one that is under way already, or one that is sent now. */
  join(hop: Hop, settings: HttpSettings, runner: ExchangeRunner): Promise<ReceivedAnswer>;
}

/** An exchange that belongs to all who wait for its answer: no single caller's signal ends it. */
interface Flight {
  hop: Hop;
  settings: HttpSettings;
  deadline: Deadline;
  callers: Caller[];
  /** Lets nobody join any more. */
  forget(): void;
}

interface Caller {
  resolve(answer: ReceivedAnswer): void;
  reject(error: unknown): void;
}

/** Requests that read and have no body (RFC 9110 9.2.1): to send one of them has the same effect as to send two. */
export function isShareable({ method, body }: Hop): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined;
}

export function createSingleFlight(): SingleFlight {
  const flights = createFlightTable<Flight>();

  function takeOff(hop: Hop, settings: HttpSettings, runner: ExchangeRunner): Promise<ReceivedAnswer> {
    const { timeoutMs, signal } = settings;
    const deadline = runner.begin(hop, { timeoutMs, signal: undefined });
    const flight: Flight = { hop, settings, deadline, callers: [], forget };
    const entry = flights.add(hop.path, flight);
    function forget(): void {
      flights.remove(entry);
    }
    const land = () => {
      runner.end(deadline);
      forget();
    };
    runner.follow(hop, settings, deadline).then(
      (answer) => {
        land();
        for (const { resolve } of flight.callers) resolve(answer);
      },
      (error) => {
        land();
        for (const { reject } of flight.callers) reject(error);
      },
    );
    return board(flight, signal);
  }

  /** Waits as one of the callers of a flight, which ends when all of them have gone. */
  function board(flight: Flight, signal: AbortSignal | undefined): Promise<ReceivedAnswer> {
    const { callers, deadline, hop } = flight;
    return new Promise((resolve, reject) => {
      const stopListening = () => signal?.removeEventListener('abort', onAbort);
      const caller: Caller = {
        resolve(answer) {
          stopListening();
          resolve(answer);
        },
        reject(error) {
          stopListening();
          reject(error);
        },
      };
      const onAbort = () => {
        const error = deadline.abortError(hop.url, signal?.reason);
        callers.splice(callers.indexOf(caller), 1);
        if (callers.length === 0) {
          flight.forget();
          deadline.cancel(signal?.reason);
        }
        reject(error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      callers.push(caller);
    });
  }

  async function share(flight: Flight, settings: HttpSettings, runner: ExchangeRunner): Promise<ReceivedAnswer> {
    const { hop, deadline } = flight;
    const { signal, timeoutMs } = settings;
    const since = performance.now();
    try {
      const answer = await board(flight, signal);
      runner.onShared(hop, settings, performance.now() - since);
      return answer.copy();
    } catch (error) {
      // The other request began earlier, and its time ended earlier than that of this one.
      const leftMs = timeoutMs - (performance.now() - since);
      if (!deadline.hasEnded() || signal?.aborted || leftMs < 1) throw error;
      return join(hop, { ...settings, timeoutMs: leftMs }, runner);
    }
  }

  function join(hop: Hop, settings: HttpSettings, runner: ExchangeRunner): Promise<ReceivedAnswer> {
    const { signal } = settings;
    if (signal?.aborted) throw new HttpError('ABORTED', hop.url, { cause: signal.reason });
    const known = flights.find(hop.path, (flight) => areAlike(flight, { hop, settings }));
    return known === undefined ? takeOff(hop, settings, runner) : share(known, settings, runner);
  }

  return { join };
}

/** Whether two requests with the same path would be sent in the same way, and under the same rules. */
function areAlike(one: Pick<Flight, 'hop' | 'settings'>, other: Pick<Flight, 'hop' | 'settings'>): boolean {
  const { settings: a } = one;
  const { settings: b } = other;
  return (
    one.hop.method === other.hop.method &&
    one.hop.origin === other.hop.origin &&
    areSame(one.hop.wireHeaders, other.hop.wireHeaders) &&
    a.policy === b.policy &&
    a.idleTimeoutMs === b.idleTimeoutMs &&
    a.maxBytes === b.maxBytes &&
    a.maxRedirects === b.maxRedirects &&
    a.redirect === b.redirect &&
    a.retries === b.retries &&
    areSame(a.secretHeaders, b.secretHeaders) &&
    areSame(a.secretValues, b.secretValues)
  );
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((text, index) => text === other[index]));
}
