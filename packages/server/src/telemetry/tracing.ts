import type { Attributes, Histogram, Span } from '@opentelemetry/api';
import type { ServedCallOptions } from '../catalog/tool-catalog.ts';
import type { ToolCaller } from '../tool-calls.ts';

type RequestWatch = NonNullable<NonNullable<ServedCallOptions['upstream']>['watch']>;
type RequestEnd = Parameters<NonNullable<ReturnType<RequestWatch>>['end']>[0];
type OpenTelemetry = typeof import('@opentelemetry/api');

// Set when the program registers a provider. Without one, the API is not loaded.
const registry = Symbol.for('opentelemetry.js.api.1');
/** Null if the API cannot be imported from here: then there are no traces. */
let loadedApi: OpenTelemetry | null | undefined;

/**
 * Records a span and the duration of each call by the semantic conventions for MCP, if the program has set up OpenTelemetry. The
 * context comes from `_meta` (MCP 2026-07-28: `traceparent`, `tracestate`, `baggage`) and is active during the call.
 */
export function tracedCalls(next: ToolCaller): ToolCaller {
  return async (...call) => {
    if (!(registry in globalThis)) return next(...call);
    loadedApi ??= await import('@opentelemetry/api').catch(() => null);
    return loadedApi ? traced(loadedApi, next, call) : next(...call);
  };
}

async function traced(otel: OpenTelemetry, next: ToolCaller, call: Parameters<ToolCaller>) {
  const [tool, , { client }] = call;
  const { name } = tool.listing;
  const attributes: Attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': name,
    'gen_ai.operation.name': 'execute_tool',
  };
  const parent = otel.propagation.extract(otel.context.active(), client?.meta ?? {});
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

/** Records a span of each request to an API by the conventions for HTTP clients, and propagates the trace. */
export const tracedRequests: RequestWatch = (read) => {
  const otel = loadedApi;
  if (!otel || !(registry in globalThis)) return undefined;
  const { method, url, host, port, resends } = read();
  const attributes: Attributes = {
    'http.request.method': method,
    'url.full': url,
    'server.address': host,
    'server.port': port,
    ...(resends > 0 && { 'http.request.resend_count': resends }),
  };
  const span = otel.trace.getTracer('schemakit').startSpan(method, { kind: otel.SpanKind.CLIENT, attributes });
  const headers: Record<string, string> = {};
  otel.propagation.inject(otel.trace.setSpan(otel.context.active(), span), headers);
  // Baggage is private to the callers' own services.
  delete headers.baggage;
  return { headers, end: (result) => endSpan(otel, span, result) };
};

function endSpan({ SpanStatusCode }: OpenTelemetry, span: Span, result: RequestEnd): void {
  if ('status' in result) span.setAttribute('http.response.status_code', result.status);
  const failure = 'error' in result ? result.error.code : result.status >= 400 ? String(result.status) : undefined;
  if (failure !== undefined) {
    span.setAttribute('error.type', failure);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
