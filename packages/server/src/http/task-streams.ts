import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { TaskOwner, TaskProvider } from '../tasks/task-provider.ts';
import { acceptedTasks, followTasks, type TaskSubscription, withAcceptedTasks } from '../tasks/task-subscriptions.ts';

/** Streams of `subscriptions/listen` with notifications of tasks. */
export interface TaskStreams {
  /** Adds the notifications to the stream of the SDK, which ends at once if nothing else was asked for. */
  add(response: Response, subscription: TaskSubscription, owner: TaskOwner): Promise<Response>;
  closeAll(): void;
}

// Proxies end idle connections.
const keepAliveMs = 15_000;

export function createTaskStreams(tasks: TaskProvider): TaskStreams {
  const open = new Set<() => void>();

  async function forward(
    body: ReadableStream<Uint8Array>,
    writer: WritableStreamDefaultWriter<Uint8Array>,
    { taskIds, ...subscription }: { subscriptionId: TaskSubscription['id']; taskIds: string[]; owner: TaskOwner },
  ): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const left = new AbortController();
    open.add(end);
    writer.closed.catch(() => {
      left.abort();
      end();
    });
    const write = (frame: Uint8Array) => void writer.write(frame).catch(end);
    const writeText = (text: string) => write(new TextEncoder().encode(text));
    const send = (message: JSONRPCMessage) => writeText(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    let stop: (() => void) | undefined;
    let keepAlive: NodeJS.Timeout | undefined;
    let result: Uint8Array | undefined;
    // The SDK writes each message as a chunk of its own, the acknowledgement first.
    const frames = new WritableStream<Uint8Array>({
      write(frame) {
        const message = messageOf(frame);
        if (stop === undefined) {
          send(withAcceptedTasks(message, taskIds));
          stop = followTasks(tasks, { ...subscription, taskIds, send, onEnd: end });
        } else if ('result' in message) result = frame;
        else write(frame);
      },
    });
    try {
      await body.pipeTo(frames, { signal: left.signal });
      keepAlive = setInterval(writeText, keepAliveMs, ': keepalive\n\n');
      if (taskIds.length > 0) await ended;
      if (result !== undefined) await writer.write(result);
      await writer.close();
    } catch {
      // The client has left.
    } finally {
      stop?.();
      clearInterval(keepAlive);
      open.delete(end);
    }
  }

  return {
    async add(response, subscription, owner) {
      const { body, headers } = response;
      if (body === null || headers.get('content-type') !== 'text/event-stream') return response;
      const taskIds = await acceptedTasks(tasks, subscription, owner);
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      void forward(body, writable.getWriter(), { subscriptionId: subscription.id, taskIds, owner });
      return new Response(readable, response);
    },
    closeAll() {
      for (const end of [...open]) end();
    },
  };
}

function messageOf(frame: Uint8Array): JSONRPCMessage {
  const [, data = '{}'] = /^data: (.*)$/m.exec(new TextDecoder().decode(frame)) ?? [];
  return JSON.parse(data) as JSONRPCMessage;
}
