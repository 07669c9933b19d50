import type { Route } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';

type Caller = Parameters<Route>[1];

export interface EventStream {
  /** `GET <routePath>/events`: server-sent events. */
  route: Route;
  /** Sends an event to the streams of the caller whose run it is. */
  send(event: RunEvent, caller: Caller): void;
}

/** Streams the events of runs, to each caller those of its own. */
export function createEventStream(closing: AbortSignal): EventStream {
  const streams = new Set<{ owner: string; write(text: string): void }>();
  return {
    route(request, caller) {
      if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } });
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const encoder = new TextEncoder();
          const stream = {
            owner: ownerOf(caller),
            write(text: string) {
              // A client that does not read loses its stream, so that it does not fill the memory.
              if ((controller.desiredSize ?? 0) < -maxQueued) end();
              else controller.enqueue(encoder.encode(text));
            },
          };
          const end = () => {
            if (!streams.delete(stream)) return;
            controller.close();
          };
          streams.add(stream);
          stream.write(': connected\n\n');
          for (const signal of [request.signal, closing]) signal.addEventListener('abort', end, { once: true });
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
    },
    send(event, caller) {
      const owner = ownerOf(caller);
      const frame = `id: ${event.runId}.${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      for (const stream of streams) if (stream.owner === owner) stream.write(frame);
    },
  };
}

/** Frames that wait for a client. */
const maxQueued = 1_000;

/** Identifies a caller without the token, which may be renewed. */
function ownerOf(caller: Caller): string {
  return JSON.stringify([caller?.clientId, caller?.extra?.sub]);
}
