import { randomUUID } from 'node:crypto';
import { type AuthInfo, type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';

/** A session of the transport of MCP 2024-11-05: one stream of events out, and a POST for each message in. */
export interface SseTransport extends Transport {
  readonly sessionId: string;
  /** The answer to the GET that begins the session. */
  readonly response: Response;
  /** Takes a message that was posted. */
  receive(body: unknown, authInfo: AuthInfo | undefined): Response;
}

// A client that does not read its stream must not fill our memory.
const maxQueuedBytes = 16 * 1024 * 1024;
// Proxies end connections on which nothing is said.
const keepAliveMs = 15_000;

/** @param endpoint Where the client is to post its messages, without the session. */
export function createSseTransport(endpoint: string): SseTransport {
  const sessionId = randomUUID();
  const encoder = new TextEncoder();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        stream = controller;
      },
      cancel: () => transport.close(),
    },
    { highWaterMark: maxQueuedBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const write = (text: string) => stream?.enqueue(encoder.encode(text));
  const keepAlive = setInterval(() => write(': still here\n\n'), keepAliveMs).unref();

  const transport: SseTransport = {
    sessionId,
    response: new Response(body, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' },
    }),
    async start() {
      write(`event: endpoint\ndata: ${endpoint}?sessionId=${sessionId}\n\n`);
    },
    async send(message) {
      if (stream === undefined) throw new Error('The session has ended');
      write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      if ((stream.desiredSize ?? 0) <= 0) await transport.close();
    },
    async close() {
      if (stream === undefined) return;
      clearInterval(keepAlive);
      const ended = stream;
      stream = undefined;
      try {
        ended.close();
      } catch {
        // The client has closed it.
      }
      transport.onclose?.();
    },
    receive(posted, authInfo) {
      let message: JSONRPCMessage;
      try {
        message = parseJSONRPCMessage(posted);
      } catch {
        return httpProblem(400, 'This is no JSON-RPC message.', { code: -32600 });
      }
      transport.onmessage?.(message, { ...(authInfo && { authInfo }) });
      return new Response('Accepted', { status: 202 });
    },
  };
  return transport;
}
