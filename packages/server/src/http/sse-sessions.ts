import { randomUUID } from 'node:crypto';
import { type JSONRPCMessage, parseJSONRPCMessage, type Server, type Transport } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';
import type { RequestContext } from './request-context.ts';
import { createSessionTable, type SessionLimits } from './session-table.ts';
import { sessionNotFound, tooManySessions } from './streamable-sessions.ts';

/** Sessions of HTTP+SSE, the transport of MCP 2024-11-05 (docs/serving.md, "Over HTTP"). */
export interface SseSessions {
  /** `GET /sse`: begins a session and answers with its stream of events. */
  open(context: RequestContext): Promise<Response>;
  /** `POST /messages?sessionId=…`: receives a message of the client. */
  receive(context: RequestContext): Response;
  readonly size: number;
  close(): void;
}

/** The SDK's own transport needs a Node.js response, buffers without limit for clients that do not read, and sends no keep-alive. */
export function createSseSessions(
  connect: (url: URL) => Server,
  { messagesPath, ...limits }: SessionLimits & { messagesPath: string },
): SseSessions {
  const table = createSessionTable<Transport>({ ...limits, end: (transport) => void transport.close() });
  return {
    get size() {
      return table.size;
    },
    async open(context) {
      if (!table.makeRoom()) return tooManySessions();
      const sessionId = randomUUID();
      const { transport, response } = createSseTransport(`${messagesPath}?sessionId=${sessionId}`);
      transport.sessionId = sessionId;
      await connect(context.url).connect(transport);
      const { onclose } = transport;
      transport.onclose = () => {
        table.remove(sessionId);
        onclose?.();
      };
      table.add(sessionId, transport, context.authInfo);
      // Busy until its stream ends.
      table.use(sessionId, context);
      return response;
    },
    receive(context) {
      const sessionId = context.url.searchParams.get('sessionId');
      if (sessionId === null) return httpProblem(400, 'The URL lacks ?sessionId=…, which /sse sends.');
      const transport = table.use(sessionId, context);
      if (transport === undefined) return sessionNotFound();
      let message: JSONRPCMessage;
      try {
        message = parseJSONRPCMessage(context.parsedBody);
      } catch {
        return httpProblem(400, 'This is not a JSON-RPC message.', { code: -32600 });
      }
      const { request, authInfo } = context;
      transport.onmessage?.(message, { request, ...(authInfo && { authInfo }) });
      return new Response('Accepted', { status: 202 });
    },
    close: table.clear,
  };
}

// Bounds the memory for a client that does not read its stream.
const maxQueuedBytes = 16 * 1024 * 1024;
// Proxies end idle connections.
const keepAliveMs = 15_000;

/** @param endpoint The URL for the client's messages. */
function createSseTransport(endpoint: string): { transport: Transport; response: Response } {
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
  const transport: Transport = {
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
