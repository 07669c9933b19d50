import { setTimeout as pause } from 'node:timers/promises';
import { formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';

/** Proxies end idle connections. */
const keepAliveMs = 15_000;

/** Sends what a JSON-RPC method answers: one response, or a stream of them (A2A 1.0, 9.4.2). An error before the first one is no stream. */
export async function rpcResponse(
  answered: object | AsyncGenerator<object, void>,
  errorOf: (error: unknown) => object,
): Promise<Response> {
  if (!(Symbol.asyncIterator in answered)) return Response.json(answered);
  const first = await answered.next();
  const frames = ReadableStream.from(framesOf(first, answered, errorOf)).pipeThrough(new TextEncoderStream());
  // The connection is the server's business.
  const { Connection: _, ...headers } = SSE_HEADERS;
  return new Response(frames, { headers });
}

async function* framesOf(
  first: IteratorResult<object, void>,
  responses: AsyncGenerator<object, void>,
  errorOf: (error: unknown) => object,
): AsyncGenerator<string> {
  let next = Promise.resolve(first);
  try {
    for (;;) {
      const result = await orQuiet(next);
      if (result === undefined) yield ': keepalive\n\n';
      else if (result.done) return;
      else {
        yield formatSSEEvent(result.value);
        next = responses.next();
      }
    }
  } catch (error) {
    yield formatSSEErrorEvent(errorOf(error));
  } finally {
    // Where one is awaited, it ends when the client has left.
    void responses.return();
  }
}

/** Undefined if it takes longer than connections may be idle. */
async function orQuiet<Value>(value: Promise<Value>): Promise<Value | undefined> {
  const settled = new AbortController();
  const quiet = pause(keepAliveMs, undefined, { ref: false, signal: settled.signal }).catch(() => undefined);
  return Promise.race([value, quiet]).finally(() => settled.abort());
}
