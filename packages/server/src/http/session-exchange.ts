/** One request of a session and what is said about it. */
export interface SessionExchange {
  /** Resolves with the first that there is to say. */
  readonly response: Promise<Response>;
  /** Says something before the answer: the JSON of a message. */
  tell(json: string | Buffer): void;
  /** Says the answer, which is the last. */
  answer(json: string | Buffer): void;
  /** Ends without an answer. */
  end(): void;
}

// Proxies end connections on which nothing is said.
const keepAliveMs = 15_000;

/**
 * The answer to a request alone is plain JSON. It becomes a stream of events when something is to be said before it, or when it
 * takes long (MCP specification, Streamable HTTP, Sending Messages).
 */
export function createSessionExchange(sessionId: string): SessionExchange {
  const { promise: response, resolve } = Promise.withResolvers<Response>();
  const session = { 'mcp-session-id': sessionId };
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOpen = true;
  const keepAlive = setInterval(() => write(': still here\n\n'), keepAliveMs).unref();

  function write(text: string): void {
    if (isOpen) opened().enqueue(new TextEncoder().encode(text));
  }

  function opened(): ReadableStreamDefaultController<Uint8Array> {
    if (stream !== undefined) return stream;
    let opening: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        opening = controller;
      },
      cancel: close,
    });
    resolve(new Response(body, { headers: { ...eventStream, ...session } }));
    stream = opening as ReadableStreamDefaultController<Uint8Array>;
    return stream;
  }

  function close(): void {
    isOpen = false;
    clearInterval(keepAlive);
  }

  const tell = (json: string | Buffer) => write(`event: message\ndata: ${json}\n\n`);
  const end = () => {
    if (!isOpen) return;
    opened().close();
    close();
  };
  return {
    response,
    tell,
    answer(json) {
      if (stream !== undefined) {
        tell(json);
        return end();
      }
      close();
      resolve(new Response(json, { headers: { 'Content-Type': 'application/json', ...session } }));
    },
    end,
  };
}

const eventStream = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
