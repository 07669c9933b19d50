import type { Attributes, Histogram, Span } from '@opentelemetry/api';
import type { CallTool } from '../mcp/call-tool.ts';
import type { UpstreamSettings } from '../upstream/upstream-settings.ts';

type RequestWatch = NonNullable<UpstreamSettings['watch']>;
type RequestEnd = Parameters<NonNullable<ReturnType<RequestWatch>>['end']>[0];
type OpenTelemetry = typeof import('@opentelemetry/api');

// The API of OpenTelemetry keeps what a program has registered here. Where nothing is, it is not even loaded.
const registry = Symbol.for('opentelemetry.js.api.1');
let api: OpenTelemetry | undefined;
let isMissing = false;

/** Whether the program has set up OpenTelemetry. */
function isTracing(): boolean {
  return registry in globalThis && !isMissing;
}

/** A program may have a copy of its own that cannot be found from here: then there are no traces, and calls go on. */
async function openTelemetry(): Promise<OpenTelemetry | undefined> {
  try {
    api ??= await import('@opentelemetry/api');
  } catch {
    isMissing = true;
  }
  return api;
}

/** The API, where it is in use and was opened before. */
function knownTelemetry(): OpenTelemetry | undefined {
  return isTracing() ? api : undefined;
}

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

/**
 * Makes a span of each request to an API, in the words of the semantic conventions for HTTP clients, and sends the context of
 * the trace along. Calls have opened OpenTelemetry by then; where they have not, there is nothing to belong to.
 */
export const tracedRequests: RequestWatch = (read) => {
  const otel = knownTelemetry();
  if (otel === undefined) return undefined;
  const { method, url, host, port, resends } = read();
  const attributes: Attributes = {
    'http.request.method': method,
    'url.full': url,
    'server.address': host,
    'server.port': port,
    ...(resends > 0 && { 'http.request.resend_count': resends }),
  };
  const span = otel.trace.getTracer('schemakit').startSpan(method, { kind: otel.SpanKind.CLIENT, attributes });
  return { headers: contextHeaders(otel, span), end: (result) => endSpan(otel, span, result) };
};

/** Without baggage, which is for the callers' own services and not for the APIs of others. */
function contextHeaders({ context, propagation, trace }: OpenTelemetry, span: Span): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(context.active(), span), headers);
  delete headers.baggage;
  return headers;
}

function endSpan({ SpanStatusCode }: OpenTelemetry, span: Span, result: RequestEnd): void {
  if ('status' in result) span.setAttribute('http.response.status_code', result.status);
  const failure = 'error' in result ? result.error.code : result.status >= 400 ? String(result.status) : undefined;
  if (failure !== undefined) {
    span.setAttribute('error.type', failure);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
