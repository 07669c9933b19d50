import type { CallRecord } from './call-record.ts';
import { labelText } from './label-text.ts';
import { createUpstreamMetrics, type UpstreamMetrics } from './upstream-metrics.ts';

/** Counts what a server does, for `/metrics`. */
export interface Metrics {
  record(call: CallRecord): void;
  /** Counts a request that was not let in or not read. */
  recordRefusal(status: number): void;
  upstream: Pick<UpstreamMetrics, 'record' | 'recordBreaker'>;
  /** Everything in the text format of Prometheus (version 0.0.4). `gauges` are values of this moment. */
  text(gauges: Readonly<Record<string, { help: string; value: number }>>): string;
}

const bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  // Names of tools are those of the offer, so that a caller cannot make this grow.
  const calls = new Map<string, Map<CallRecord['outcome'], number>>();
  const upstream = createUpstreamMetrics();
  const refusals = new Map<number, number>();
  const buckets = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    upstream,
    record({ tool, outcome, durationMs }) {
      const seconds = durationMs / 1000;
      const outcomes = calls.get(tool) ?? new Map();
      calls.set(tool, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
      for (const [index, bound] of bounds.entries()) if (seconds <= bound) buckets[index] = (buckets[index] ?? 0) + 1;
      count += 1;
      sum += seconds;
    },
    recordRefusal(status) {
      refusals.set(status, (refusals.get(status) ?? 0) + 1);
    },
    text(gauges) {
      const lines = ['# HELP mcp_tool_calls_total Calls of tools.', '# TYPE mcp_tool_calls_total counter'];
      for (const [tool, outcomes] of calls) {
        for (const [outcome, total] of outcomes) {
          lines.push(`mcp_tool_calls_total{tool="${labelText(tool)}",outcome="${outcome}"} ${total}`);
        }
      }
      const name = 'mcp_tool_call_duration_seconds';
      lines.push(`# HELP ${name} How long calls of tools take.`, `# TYPE ${name} histogram`);
      for (const [index, bound] of bounds.entries()) lines.push(`${name}_bucket{le="${bound}"} ${buckets[index]}`);
      lines.push(`${name}_bucket{le="+Inf"} ${count}`, `${name}_sum ${sum}`, `${name}_count ${count}`);
      const refused = 'mcp_refused_requests_total';
      lines.push(`# HELP ${refused} Requests that were not let in or not read.`, `# TYPE ${refused} counter`);
      for (const [status, total] of refusals) lines.push(`${refused}{status="${status}"} ${total}`);
      lines.push(...upstream.lines());
      for (const [gauge, { help, value }] of Object.entries(gauges)) {
        lines.push(`# HELP ${gauge} ${help}`, `# TYPE ${gauge} gauge`, `${gauge} ${value}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
