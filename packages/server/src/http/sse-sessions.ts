import { randomUUID } from 'node:crypto';
import { type JSONRPCMessage, parseJSONRPCMessage, type Server, type Transport } from '@modelcontextprotocol/server';
import type { Exchange } from './exchange.ts';
import { httpProblem } from './http-problem.ts';
import { createSessionTable, type SessionLimits } from './session-table.ts';
import { sessionNotFound, tooManySessions } from './sessions.ts';

/** Sessions of the transport of MCP 2024-11-05 (specification 4.3). */
export interface SseSessions {
  /** `GET /sse`: begins a session. Its response is the stream of events. */
  open(exchange: Exchange): Promise<Response>;
  /** `POST /messages?sessionId=…`: takes a message of the client. */
  receive(exchange: Exchange): Response;
  readonly size: number;
  close(): void;
}

/**
 * The SDK's transport for it (`@modelcontextprotocol/server-legacy`) writes to a response of Node.js alone, knows no limit for what
 * a client does not read, and lets proxies end silent connections.
 */
export function createSseSessions(
  connect: (url: URL) => Server,
  { messagesPath, ...limits }: SessionLimits & { messagesPath: string },
): SseSessions {
  const table = createSessionTable<SseTransport>({ ...limits, end: (transport) => void transport.close() });
  return {
    get size() {
      return table.size;
    },
    async open(exchange) {
      if (!table.makeRoom()) return tooManySessions();
      const sessionId = randomUUID();
      const { transport, response } = createSseTransport(`${messagesPath}?sessionId=${sessionId}`);
      await connect(exchange.url).connect(transport);
      const { onclose } = transport;
      transport.onclose = () => {
        table.remove(sessionId);
        onclose?.();
      };
      table.add(sessionId, transport, exchange.authInfo);
      // It is never idle, since its stream is open until it ends.
      table.use(sessionId, exchange);
      return response;
    },
    receive(exchange) {
      const sessionId = exchange.url.searchParams.get('sessionId');
      if (sessionId === null) return httpProblem(400, 'The address lacks ?sessionId=…, as /sse gave it out.');
      const transport = table.use(sessionId, exchange);
      if (transport === undefined) return sessionNotFound();
      let message: JSONRPCMessage;
      try {
        message = parseJSONRPCMessage(exchange.parsedBody);
      } catch {
        return httpProblem(400, 'This is no JSON-RPC message.', { code: -32600 });
      }
      const { authInfo } = exchange;
      transport.onmessage?.(message, { ...(authInfo && { authInfo }) });
      return new Response('Accepted', { status: 202 });
    },
    close: table.clear,
  };
}

type SseTransport = Transport;

// A client that does not read its stream must not fill our memory.
const maxQueuedBytes = 16 * 1024 * 1024;
// Proxies end connections on which nothing is said.
const keepAliveMs = 15_000;

/** @param endpoint Where the client is to post its messages. */
function createSseTransport(endpoint: string): { transport: SseTransport; response: Response } {
  const encoder = new TextEncoder();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = controller;
      },
      cancel: () => transport.close(),
    },
    { highWaterMark: maxQueuedBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const write = (text: string) => stream?.enqueue(encoder.encode(text));
  const keepAlive = setInterval(() => write(': keepalive\n\n'), keepAliveMs).unref();
  const transport: SseTransport = {
    async start() {
      write(`event: endpoint\ndata: ${endpoint}\n\n`);
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
  };
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };
  return { transport, response: new Response(body, { headers }) };
}
