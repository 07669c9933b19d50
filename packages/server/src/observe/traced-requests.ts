import type { Attributes, Span } from '@opentelemetry/api';
import type { ServedCallOptions } from '../offer/offer.ts';
import { knownTelemetry, type OpenTelemetry } from './open-telemetry.ts';

type RequestWatch = NonNullable<NonNullable<ServedCallOptions['upstream']>['watch']>;
type RequestEnd = Parameters<NonNullable<ReturnType<RequestWatch>>['end']>[0];

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

/** All but baggage: it is what callers say to one another, and APIs of others are none of them. */
function contextHeaders({ context, propagation, trace }: OpenTelemetry, span: Span): Record<string, string> {
  const { baggage: _, ...headers } = injected();
  return headers;

  function injected(): Record<string, string> {
    const carrier: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), carrier);
    return carrier;
  }
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
