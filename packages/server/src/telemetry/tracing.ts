import type { Attributes, Histogram, Span } from '@opentelemetry/api';
import type { ServedCallOptions } from '../catalog/offer.ts';
import type { CallTool } from '../mcp/call-tool.ts';

type RequestWatch = NonNullable<NonNullable<ServedCallOptions['upstream']>['watch']>;
type RequestEnd = Parameters<NonNullable<ReturnType<RequestWatch>>['end']>[0];
type OpenTelemetry = typeof import('@opentelemetry/api');

// The API of OpenTelemetry keeps what a program has registered here. Where nothing is, it is not even loaded.
const registry = Symbol.for('opentelemetry.js.api.1');
/** Null where the program has a copy of the API that cannot be imported from here: then there are no traces. */
let api: OpenTelemetry | null | undefined;

/** The API, where the program has set up OpenTelemetry and a call has loaded it. */
function loadedApi(): OpenTelemetry | null | undefined {
  return registry in globalThis ? api : undefined;
}

/**
 * Makes a span of each call and measures its duration, in the words of the semantic conventions for MCP, where the program has
 * set up OpenTelemetry. The context comes from `_meta` (MCP 2026-07-28: `traceparent`, `tracestate`, `baggage`) and is active
 * meanwhile, so that requests to APIs carry it on.
 */
export function tracedCalls(next: CallTool): CallTool {
  return async (...call) => {
    if (registry in globalThis && api === undefined) api = await import('@opentelemetry/api').catch(() => null);
    const otel = loadedApi();
    return otel ? traced(otel, next, call) : next(...call);
  };
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

/**
 * Makes a span of each request to an API, in the words of the semantic conventions for HTTP clients, and sends the context of
 * the trace along. A call has loaded OpenTelemetry by then.
 */
export const tracedRequests: RequestWatch = (read) => {
  const otel = loadedApi();
  if (!otel) return undefined;
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
  // Baggage is for the callers' own services and not for the APIs of others.
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
