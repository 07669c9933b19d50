import type { ServerContext } from '@modelcontextprotocol/server';
import { httpProblem } from './http/http-problem.ts';

// A request that is refused for a while is answered with a JSON-RPC error whose `data.retryAfterMs` says when to send it again. Over HTTP,
// the status and `Retry-After` say so as well, for load balancers and clients that do not read the body.

/** By their HTTP requests: how many milliseconds clients are to wait. */
const refused = new WeakMap<Request, number>();

/** A handler of requests whose refusals {@link withRetryAfter} finds. */
export function notingRetryAfter<Params, Result>(handle: (params: Params, context: ServerContext) => Promise<Result>) {
  return async (params: Params, context: ServerContext): Promise<Result> => {
    try {
      return await handle(params, context);
    } catch (error) {
      const delayMs = retryAfterMs(error);
      if (delayMs !== undefined && context.http?.req !== undefined) refused.set(context.http.req, delayMs);
      throw error;
    }
  };
}

/** The response to a request: with 503 if it was refused for a while. A stream that has begun stays as it is. */
export function withRetryAfter(response: Response, request: Request): Response {
  const delayMs = refused.get(request);
  if (delayMs === undefined || response.headers.get('content-type') !== 'application/json') return response;
  const { body, headers } = response;
  headers.set('Retry-After', seconds(delayMs));
  return new Response(body, { status: 503, headers });
}

/** The response to a request whose handling threw a refusal; undefined for other errors. */
export function retryAfterResponse(error: unknown): Response | undefined {
  const delayMs = retryAfterMs(error);
  if (delayMs === undefined) return undefined;
  const { message, data } = error as Error & { data: unknown };
  return httpProblem(503, message, { headers: { 'Retry-After': seconds(delayMs) }, data });
}

function retryAfterMs(error: unknown): number | undefined {
  const { retryAfterMs } = Object(Object(error).data) as { retryAfterMs?: unknown };
  return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1000));
}
