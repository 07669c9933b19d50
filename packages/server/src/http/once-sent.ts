import type { IncomingRequest } from './incoming-request.ts';
import { NodeRequest } from './node-request.ts';

/** Who is told about answers that are being read already: to read one through another stream costs as much as a call. */
const waiting = new WeakMap<Response, Set<() => void>>();

/** Calls `done` once, when an answer has gone out to its end or nobody waits for it any more. */
export function onceSent(response: Response, request: IncomingRequest, done: () => void): Response {
  if (request instanceof NodeRequest) {
    request.whenClosed(done);
    return response;
  }
  const others = waiting.get(response);
  if (others !== undefined && others.size > 0) {
    others.add(done);
    return response;
  }
  const { body } = response;
  const gone = request.signal;
  if (body === null || gone.aborted) {
    done();
    return response;
  }
  const listeners = new Set([done]);
  const end = () => {
    for (const listener of listeners) listener();
    listeners.clear();
  };
  gone.addEventListener('abort', end, { once: true });
  const reader = body.getReader();
  const passedOn = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done: isRead, value } = await reader.read();
        if (!isRead) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const sent = new Response(passedOn, response);
  waiting.set(sent, listeners);
  return sent;
}
