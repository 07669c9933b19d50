import type { BreakerChange, UpstreamRecord } from '../upstream/upstream-settings.ts';
import { labelText } from './label-text.ts';

/** Counts what happens to requests to APIs, in the text format of Prometheus. */
export interface UpstreamMetrics {
  record(request: UpstreamRecord): void;
  recordBreaker(change: BreakerChange): void;
  lines(): string[];
}

interface OriginCounts {
  outcomes: Map<UpstreamRecord['outcome'], number>;
  waits: number;
  waitedMs: number;
  breaker: BreakerChange['state'];
}

const breakerValues = { closed: 0, 'half-open': 1, open: 2 } as const;

/** Handlers choose the origins that they ask: those beyond this number are counted together. */
const maxOrigins = 100;
const others = 'other';

export function createUpstreamMetrics(): UpstreamMetrics {
  const origins = new Map<string, OriginCounts>();

  function countsOf(origin: string): OriginCounts {
    const known = origins.get(origin);
    if (known !== undefined) return known;
    if (origins.size >= maxOrigins && origin !== others) return countsOf(others);
    const counts: OriginCounts = { outcomes: new Map(), waits: 0, waitedMs: 0, breaker: 'closed' };
    origins.set(origin, counts);
    return counts;
  }

  return {
    record({ origin, outcome, waitedMs }) {
      const counts = countsOf(origin);
      counts.outcomes.set(outcome, (counts.outcomes.get(outcome) ?? 0) + 1);
      if (waitedMs === 0) return;
      counts.waits += 1;
      counts.waitedMs += waitedMs;
    },
    recordBreaker({ origin, state }) {
      const counts = countsOf(origin);
      // The states of several APIs are none together.
      if (counts !== origins.get(others)) counts.breaker = state;
    },
    lines() {
      if (origins.size === 0) return [];
      const labelled = [...origins].map(([origin, counts]) => ({ label: `origin="${labelText(origin)}"`, counts }));
      return [
        ...head('upstream_requests_total', 'counter', 'Requests to APIs.'),
        ...labelled.flatMap(({ label, counts }) =>
          [...counts.outcomes].map(([outcome, n]) => `upstream_requests_total{${label},outcome="${outcome}"} ${n}`),
        ),
        ...head('upstream_waits_total', 'counter', 'Requests to APIs that stood in line.'),
        ...labelled.map(({ label, counts }) => `upstream_waits_total{${label}} ${counts.waits}`),
        ...head('upstream_wait_seconds_total', 'counter', 'How long requests to APIs stood in line.'),
        ...labelled.map(({ label, counts }) => `upstream_wait_seconds_total{${label}} ${counts.waitedMs / 1000}`),
        ...head('upstream_breaker_state', 'gauge', 'Whether an API is asked: 0 always, 1 for a trial, 2 not at all.'),
        ...labelled.map(({ label, counts }) => `upstream_breaker_state{${label}} ${breakerValues[counts.breaker]}`),
      ];
    },
  };
}

function head(name: string, type: 'counter' | 'gauge', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
