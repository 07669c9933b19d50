import type { Attributes, Histogram } from '@opentelemetry/api';
import type { CallTool } from '../mcp/call-tool.ts';
import { isTracing, type OpenTelemetry, openTelemetry } from './open-telemetry.ts';

/**
 * Makes a span of each call and measures its duration, in the words of the semantic conventions for MCP, where the program has
 * set up OpenTelemetry. The context comes from `_meta` (MCP 2026-07-28: `traceparent`, `tracestate`, `baggage`) and is active
 * meanwhile, so that requests to APIs carry it on.
 */
export function tracedCalls(next: CallTool): CallTool {
  return (...call) => (isTracing() ? tracedIfOpen(next, call) : next(...call));
}

async function tracedIfOpen(next: CallTool, call: Parameters<CallTool>) {
  const otel = await openTelemetry();
  return otel === undefined ? next(...call) : traced(otel, next, call);
}

async function traced(otel: OpenTelemetry, next: CallTool, call: Parameters<CallTool>) {
  const [tool, , { meta = {} }] = call;
  const { name } = tool.listing;
  const attributes: Attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': name,
    'gen_ai.operation.name': 'execute_tool',
  };
  const parent = otel.propagation.extract(otel.context.active(), meta);
  const span = otel.trace
    .getTracer('schemakit')
    .startSpan(`tools/call ${name}`, { kind: otel.SpanKind.SERVER, attributes }, parent);
  const start = performance.now();
  try {
    const result = await otel.context.with(otel.trace.setSpan(parent, span), () => next(...call));
    if (result.isError === true) {
      attributes['error.type'] = 'tool_error';
      span.setAttribute('error.type', 'tool_error');
      span.setStatus({ code: otel.SpanStatusCode.ERROR });
    }
    return result;
  } finally {
    span.end();
    durations(otel).record((performance.now() - start) / 1000, attributes);
  }
}

let histogram: Histogram | undefined;

function durations({ metrics }: OpenTelemetry): Histogram {
  histogram ??= metrics.getMeter('schemakit').createHistogram('mcp.server.operation.duration', {
    unit: 's',
    description: 'Duration of MCP requests',
    advice: { explicitBucketBoundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] },
  });
  return histogram;
}
