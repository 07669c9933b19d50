/** Headers that a script of another origin may read or send (MCP specification, Transports; RFC 9728). */
const exposed = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate';
const accepted =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent, tracestate, baggage';

/** The answer to a browser that asks whether it may send a request; undefined for other requests. */
export function preflight(request: Request): Response | undefined {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined;
  return withCors(
    request,
    new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
        'Access-Control-Allow-Headers': accepted,
        'Access-Control-Max-Age': '600',
      },
    }),
  );
}

/** Lets the page that asked read the answer. Pages that may not ask have been refused before. */
export function withCors(request: Request, response: Response): Response {
  const origin = request.headers.get('origin');
  if (origin === null) return response;
  response.headers.set('Access-Control-Allow-Origin', origin);
  response.headers.set('Access-Control-Expose-Headers', exposed);
  response.headers.append('Vary', 'Origin');
  return response;
}
