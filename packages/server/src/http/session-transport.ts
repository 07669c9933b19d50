import { randomUUID } from 'node:crypto';
import {
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { httpProblem, problemBody } from './http-problem.ts';
import type { RequestContext } from './request-context.ts';

/** The transport of a Streamable HTTP session. */
export interface SessionTransport extends Transport {
  /** Answers a request of the session, or the `initialize` that begins it. */
  answer(context: RequestContext): Promise<Response>;
}

export interface SessionTransportOptions {
  /** The id of a session that goes on. Default: a new one. */
  id?: string;
  onBegin: (id: string) => void;
  /** Called when the client ends the session. */
  onEnd: (id: string) => void;
  maxBodyBytes: number;
  /** Receives the error of a result that is not JSON; the client gets a JSON-RPC error. */
  onError: ((error: Error) => void) | undefined;
}

/**
 * Combines two transports of the SDK. Nearly all requests of a session come alone; its transport for one request answers those as
 * plain JSON unless a notification comes first. The session transport opens an event stream for each, which takes a third more
 * processor time.
 */
export function createSessionTransport({
  id = randomUUID(),
  onBegin,
  onEnd,
  maxBodyBytes,
  onError,
}: SessionTransportOptions): SessionTransport {
  const session = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessioninitialized: onBegin,
    onsessionclosed: onEnd,
    maxRequestBodySize: maxBodyBytes,
  });
  /** Requests without an answer yet. */
  const pending = new Map<RequestId, { transport: Transport; fail: (response: Response) => void }>();
  let revisions: readonly string[] = [];

  async function answerOne(message: JSONRPCRequest, { request, authInfo }: RequestContext): Promise<Response> {
    const { id } = message;
    const single = new PerRequestHTTPServerTransport({ classification: { era: 'legacy' } });
    // Deferred: errors sent at once get the statuses of the stateless revision instead of 200.
    single.onmessage = () =>
      queueMicrotask(() => transport.onmessage?.(message, { request, ...(authInfo && { authInfo }) }));
    await single.start();
    const { promise: failed, resolve: fail } = Promise.withResolvers<Response>();
    pending.set(id, { transport: single, fail });
    const answered = Promise.race([single.handleMessage(message, { request }).catch(noAnswer), failed]);
    const response = await withKeepAlive(answered);
    if (session.sessionId !== undefined) response.headers.set('mcp-session-id', session.sessionId);
    return response;
  }

  function isPlain({ headers }: Request): boolean {
    const accept = headers.get('accept') ?? '';
    const revision = headers.get('mcp-protocol-version');
    return (
      accept.includes('application/json') &&
      accept.includes('text/event-stream') &&
      (revision === null || revisions.includes(revision))
    );
  }

  function end(id: RequestId): void {
    void pending.get(id)?.transport.close();
    pending.delete(id);
  }

  const transport: SessionTransport = {
    get sessionId() {
      return session.sessionId;
    },
    async answer(context) {
      const { request, parsedBody, authInfo } = context;
      const message = singleRequest(parsedBody);
      if (message !== undefined && pending.has(message.id)) {
        return httpProblem(400, 'A request with this id has not been answered yet.', { code: -32600 });
      }
      if (message !== undefined && session.sessionId !== undefined && isPlain(request)) {
        return answerOne(message, context);
      }
      return session.handleRequest(request, { parsedBody, ...(authInfo && { authInfo }) });
    },
    async send(message, options) {
      const isAnswer = !('method' in message);
      const id = isAnswer ? message.id : options?.relatedRequestId;
      if (id === undefined) return session.send(message);
      const known = pending.get(id);
      if (known === undefined) return session.send(message, { relatedRequestId: id });
      if (isAnswer) pending.delete(id);
      try {
        await known.transport.send(message, options);
      } catch (error) {
        onError?.(error instanceof Error ? error : new Error(String(error)));
        known.fail(Response.json(problemBody('The result cannot be written as JSON.', { code: -32603, id })));
        await known.transport.close();
      }
    },
    setSupportedProtocolVersions(versions) {
      revisions = versions;
      session.setSupportedProtocolVersions(versions);
    },
    start: () => session.start(),
    close: () => session.close(),
  };
  session.onmessage = (message, extra) => {
    // A request that is cancelled gets no answer.
    if ('method' in message && message.method === 'notifications/cancelled') {
      end(message.params?.requestId as RequestId);
    }
    transport.onmessage?.(message, extra);
  };
  session.onerror = (error) => transport.onerror?.(error);
  session.onclose = () => {
    for (const id of [...pending.keys()]) end(id);
    transport.onclose?.();
  };
  return transport;
}

/** The request in a body; undefined for a batch, for other messages, and for `initialize`. */
function singleRequest(body: unknown): JSONRPCRequest | undefined {
  try {
    const message = parseJSONRPCMessage(body);
    return 'method' in message && 'id' in message && message.method !== 'initialize' ? message : undefined;
  } catch {
    return undefined;
  }
}

const eventStream = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

/** For a cancelled request, or one whose session has ended: an empty event stream. */
function noAnswer(): Response {
  return new Response('', { headers: eventStream });
}

// Proxies end idle connections.
const keepAliveMs = 15_000;

/** The response, or if it takes long, an event stream with keep-alive comments that ends with it. */
async function withKeepAlive(coming: Promise<Response>): Promise<Response> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, keepAliveMs, undefined);
  const response = await Promise.race([coming, late]);
  clearTimeout(timer);
  if (response !== undefined) return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void sendWithKeepAlive(coming, writable.getWriter()).catch(() => {
    // The client has gone.
  });
  return new Response(readable, { headers: eventStream });
}

async function sendWithKeepAlive(coming: Promise<Response>, writer: WritableStreamDefaultWriter<Uint8Array>) {
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const comment = () => void write(': keepalive\n\n').catch(() => {});
  comment();
  const timer = setInterval(comment, keepAliveMs);
  const response = await coming.finally(() => clearInterval(timer));
  if (response.headers.get('content-type') === 'application/json') {
    await write(`event: message\ndata: ${await response.text()}\n\n`);
  } else {
    for await (const chunk of response.body ?? []) await writer.write(chunk);
  }
  await writer.close();
}
