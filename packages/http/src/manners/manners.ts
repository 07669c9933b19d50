import type { Hop } from '../hop.ts';
import { createGate, type Gate } from './gate.ts';
import { type MannersOptions, settleManners } from './manners-options.ts';
import { shownOrigin } from './shown-url.ts';
import { createSingleFlight, type SingleFlight } from './single-flight.ts';
import type { UpstreamRecord } from './upstream-record.ts';

/** How a program behaves towards APIs. All requests that are given the same object share limits and what is known of the APIs. */
export interface Manners {
  /** @internal */
  gateOf(hop: Hop, secretValues: readonly string[]): Gate;
  /** @internal Undefined where requests are not shared. */
  flights: SingleFlight | undefined;
  /** Tells the observer about a request that the client knows nothing of, or that was not sent. */
  tell(record: UpstreamRecord): void;
}

/** Origins that are remembered. Handlers choose theirs, so there must be an end; those with nothing to remember go first. */
const maxOrigins = 1000;

/**
 * Makes the limits that requests share: how many an origin gets at a time and in a second, what it has asked for by `Retry-After`, and
 * whether it is asked at all after it has failed again and again.
 *
 * @example
 * const manners = createManners({ concurrency: 4, requestsPerSecond: 10 });
 * await client.request({ url: 'https://example.com/', method: 'GET' }, { manners });
 */
export function createManners(options: MannersOptions = {}): Manners {
  const settings = settleManners(options);
  const onUpstream = options.onUpstream && unfailing(options.onUpstream);
  const onBreaker = options.onBreaker && unfailing(options.onBreaker);
  const gates = new Map<string, Gate>();

  function addGate({ url, origin }: Hop, secretValues: readonly string[]): Gate {
    if (gates.size >= maxOrigins) forgetSome(gates);
    const gate = createGate(shownOrigin(url, secretValues), settings, { onUpstream, onBreaker });
    gates.set(origin, gate);
    return gate;
  }

  return {
    gateOf: (hop, secretValues) => gates.get(hop.origin) ?? addGate(hop, secretValues),
    flights: settings.singleFlight ? createSingleFlight() : undefined,
    tell: (record) => onUpstream?.(record),
  };
}

/** An observer that fails must not stop requests, nor those that wait behind them. */
function unfailing<Event>(observe: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      observe(event);
    } catch {
      // There is nobody to tell: it is what would tell.
    }
  };
}

/** Requests that are under way keep their gate, even where another one takes its place. */
function forgetSome(gates: Map<string, Gate>): void {
  for (const [origin, gate] of gates) if (gate.isIdle()) gates.delete(origin);
  if (gates.size < maxOrigins) return;
  const [oldest] = gates.keys();
  if (oldest !== undefined) gates.delete(oldest);
}
