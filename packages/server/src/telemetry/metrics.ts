import type { CallRecord } from '../tool-calls.ts';
import type { BreakerChange, CallObserver, UpstreamRecord } from '../upstream-options.ts';

interface Gauge {
  help: string;
  value: number;
}

/** The metrics of a server, for `/metrics`. */
export interface Metrics extends CallObserver {
  recordRefusal(status: number): void;
  /** The metrics in the text format of Prometheus (version 0.0.4). */
  text(gauges: Readonly<Record<string, Gauge>>): string;
}

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const breakerValues = { closed: 0, 'half-open': 1, open: 2 } as const;

/** Handlers choose origins: further ones are counted together. */
const maxOrigins = 100;
const others = 'other';

interface OriginCounts {
  outcomes: Map<UpstreamRecord['outcome'], number>;
  waits: number;
  waitedMs: number;
  breaker: BreakerChange['state'];
}

export function createMetrics(): Metrics {
  // Bounded: only names of tools in the catalog are counted.
  const calls = new Map<string, Map<CallRecord['outcome'], number>>();
  const tasks = new Map<string, number>();
  const refusals = new Map<number, number>();
  const origins = new Map<string, OriginCounts>();
  const buckets = bounds.map(() => 0);
  let count = 0;
  let sum = 0;

  function countsOf(origin: string): OriginCounts {
    const known = origins.get(origin);
    if (known !== undefined) return known;
    if (origins.size >= maxOrigins && origin !== others) return countsOf(others);
    const counts: OriginCounts = { outcomes: new Map(), waits: 0, waitedMs: 0, breaker: 'closed' };
    origins.set(origin, counts);
    return counts;
  }

  return {
    onCall({ tool, outcome, durationMs }) {
      const seconds = durationMs / 1000;
      const outcomes = calls.get(tool) ?? new Map();
      calls.set(tool, increment(outcomes, outcome));
      for (const [index, bound] of bounds.entries()) if (seconds <= bound) buckets[index] = (buckets[index] ?? 0) + 1;
      count += 1;
      sum += seconds;
    },
    onTask(tool) {
      increment(tasks, tool);
    },
    recordRefusal(status) {
      increment(refusals, status);
    },
    onUpstream({ origin, outcome, waitedMs }) {
      const counts = countsOf(origin);
      increment(counts.outcomes, outcome);
      if (waitedMs === 0) return;
      counts.waits += 1;
      counts.waitedMs += waitedMs;
    },
    onBreaker({ origin, state }) {
      const counts = countsOf(origin);
      // Origins that are counted together have no common state.
      if (counts !== origins.get(others)) counts.breaker = state;
    },
    text(gauges) {
      const duration = 'mcp_tool_call_duration_seconds';
      const lines = [
        ...head('mcp_tool_calls_total', 'counter', 'Tool calls.'),
        ...[...calls].flatMap(([tool, outcomes]) =>
          [...outcomes].map(([outcome, n]) => `mcp_tool_calls_total{${label({ tool, outcome })}} ${n}`),
        ),
        ...head(duration, 'histogram', 'Duration of tool calls.'),
        ...bounds.map((bound, index) => `${duration}_bucket{le="${bound}"} ${buckets[index]}`),
        `${duration}_bucket{le="+Inf"} ${count}`,
        `${duration}_sum ${sum}`,
        `${duration}_count ${count}`,
        ...(tasks.size > 0 ? head('mcp_tasks_total', 'counter', 'Tool calls that became tasks.') : []),
        ...[...tasks].map(([tool, n]) => `mcp_tasks_total{${label({ tool })}} ${n}`),
        ...head('mcp_refused_requests_total', 'counter', 'Refused requests.'),
        ...[...refusals].map(([status, n]) => `mcp_refused_requests_total{status="${status}"} ${n}`),
        ...upstreamLines(origins),
        ...Object.entries(gauges).flatMap(([name, { help, value }]) => [
          ...head(name, 'gauge', help),
          `${name} ${value}`,
        ]),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function upstreamLines(origins: ReadonlyMap<string, OriginCounts>): string[] {
  if (origins.size === 0) return [];
  const each = (line: (labels: string, counts: OriginCounts) => string) =>
    [...origins].map(([origin, counts]) => line(label({ origin }), counts));
  return [
    ...head('upstream_requests_total', 'counter', 'Requests to APIs.'),
    ...[...origins].flatMap(([origin, { outcomes }]) =>
      [...outcomes].map(([outcome, n]) => `upstream_requests_total{${label({ origin, outcome })}} ${n}`),
    ),
    ...head('upstream_waits_total', 'counter', 'Requests to APIs that waited in a queue.'),
    ...each((labels, { waits }) => `upstream_waits_total{${labels}} ${waits}`),
    ...head('upstream_wait_seconds_total', 'counter', 'Time that requests to APIs waited in a queue.'),
    ...each((labels, { waitedMs }) => `upstream_wait_seconds_total{${labels}} ${waitedMs / 1000}`),
    ...head('upstream_breaker_state', 'gauge', 'Circuit breaker of an API: 0 closed, 1 half-open, 2 open.'),
    ...each((labels, { breaker }) => `upstream_breaker_state{${labels}} ${breakerValues[breaker]}`),
  ];
}

function head(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

/** Labels with escaped values. */
function label(labels: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

function increment<Key>(counts: Map<Key, number>, key: Key): Map<Key, number> {
  return counts.set(key, (counts.get(key) ?? 0) + 1);
}
