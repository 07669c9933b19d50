import { type Route, subjectOwner } from '@schemakit/server';
import type { RunEvent } from '../run/events.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';

export interface EventStream {
  /** `GET <routePath>/events`: server-sent events. With `?task=<id>` those of one task, from its first on or after `Last-Event-ID`. */
  route: Route;
  /** Sends an event to the streams of the caller whose run it is. */
  send(event: RunEvent, run: { tool: string; owner?: string }): void;
}

export interface EventStreamOptions {
  closing: AbortSignal;
  /** Whether the answers of a tool are paid for. What is said in its runs is not streamed: it would be had before the payment. */
  isPaid: (tool: string) => boolean;
  /** Reads the events of a task. */
  follow: TaskEngine['follow'] | undefined;
}

/** Streams the events of runs, to each caller those of its own. */
export function createEventStream({ closing, isPaid, follow }: EventStreamOptions): EventStream {
  const frameOf = (event: RunEvent, tool: string) => (isPaid(tool) ? frames(withoutWords(event)) : frames([event]));
  const streams = new Set<{ owner: string | undefined; write(text: string): void }>();
  return {
    async route(request, caller) {
      if (request.method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } });
      const task = new URL(request.url).searchParams.get('task');
      // The route is only there with `auth`.
      const owner = caller && subjectOwner(caller);
      const { readable, write, ended, end } = openStream([request.signal, closing]);
      if (task === null) {
        const stream = { owner, write };
        streams.add(stream);
        void ended.then(() => streams.delete(stream));
      } else {
        const send = (event: RunEvent, tool: string) => write(frameOf(event, tool));
        const stop = await follow?.(task, owner, send, { from: firstOf(request, task), onGone: end });
        if (stop === undefined) return new Response(`There is no task ${task}.\n`, { status: 404 });
        void ended.then(stop);
      }
      write(': connected\n\n');
      return new Response(readable, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
    },
    send(event, { tool, owner }) {
      for (const stream of streams) if (stream.owner === owner) stream.write(frameOf(event, tool));
    },
  };
}

/** Frames that wait for a client. */
const maxQueued = 1_000;

/** A stream that ends with one of the signals. */
function openStream(signals: readonly AbortSignal[]) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  let isOpen = true;
  let write = (_text: string) => {};
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      write = (text) => {
        // A client that does not read loses its stream, so that it does not fill the memory.
        if (text === '') return;
        if (isOpen && (controller.desiredSize ?? 0) < -maxQueued) end();
        else if (isOpen) controller.enqueue(encoder.encode(text));
      };
      void ended.then(() => {
        if (isOpen) controller.close();
        isOpen = false;
      });
      for (const signal of signals) signal.addEventListener('abort', () => end(), { once: true });
    },
    cancel() {
      isOpen = false;
      end();
    },
  });
  return { readable, write, ended, end };
}

function frames(events: readonly RunEvent[]): string {
  return events
    .map((event) => `id: ${event.runId}.${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** What happens in a run, without what the model and its tools said. */
export function withoutWords(event: RunEvent): RunEvent[] {
  if (event.type === 'run.ended') return [{ ...event, answer: null }];
  return /^(run|round)\./.test(event.type) ? [event] : [];
}

/** The number of the event after the last one that the client has. */
function firstOf({ headers }: Request, task: string): number {
  const [id, seq = ''] = (headers.get('last-event-id') ?? '').split('.');
  return id === task && /^\d{1,9}$/.test(seq) ? Number(seq) + 1 : 0;
}
