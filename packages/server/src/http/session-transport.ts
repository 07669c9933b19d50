import { randomUUID } from 'node:crypto';
import {
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Exchange } from './exchange.ts';
import { httpProblem, problemBody } from './http-problem.ts';

/** The transport of one session of Streamable HTTP. */
export interface SessionTransport extends Transport {
  /** Answers a request of the session, or the one that begins it. */
  answer(exchange: Exchange): Promise<Response>;
}

export interface SessionTransportOptions {
  onBegin: (id: string) => void;
  /** The client has ended the session. */
  onEnd: (id: string) => void;
  maxBodyBytes: number;
  /** Takes an answer that cannot be written as JSON; the client gets an error in its place. */
  onError: ((error: Error) => void) | undefined;
}

/** One request without an answer. */
interface Pending {
  transport: PerRequestHTTPServerTransport;
  fail: (response: Response) => void;
}

/**
 * The SDK's transport for sessions, and for single requests of a session, which nearly all are, its transport for one exchange:
 * that answers in plain JSON unless something is said before. The other one opens a stream of events for each request, which costs a
 * server that answers quickly a third more processor time.
 */
export function createSessionTransport({
  onBegin,
  onEnd,
  maxBodyBytes,
  onError,
}: SessionTransportOptions): SessionTransport {
  const session = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: onBegin,
    onsessionclosed: onEnd,
    maxRequestBodySize: maxBodyBytes,
  });
  const pending = new Map<RequestId, Pending>();
  let revisions: readonly string[] = [];

  async function answerOne(message: JSONRPCRequest, { request, authInfo }: Exchange): Promise<Response> {
    const { id } = message;
    const single = new PerRequestHTTPServerTransport({ classification: { era: 'legacy' } });
    // In a later turn: errors that are sent at once get another status than 200, as the stateless revision wants it.
    single.onmessage = () => queueMicrotask(() => transport.onmessage?.(message, { ...(authInfo && { authInfo }) }));
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
    async answer(exchange) {
      const { request, parsedBody, authInfo } = exchange;
      const message = singleRequest(parsedBody);
      if (message !== undefined && pending.has(message.id)) {
        return httpProblem(400, 'A request with this id has not been answered yet.', { code: -32600 });
      }
      if (message !== undefined && session.sessionId !== undefined && isPlain(request)) {
        return answerOne(message, exchange);
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
        known.fail(Response.json(problemBody('The answer cannot be written as JSON.', { code: -32603, id })));
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

/** The request that a body is; undefined for a batch, for what is no request, and for `initialize`. */
function singleRequest(body: unknown): JSONRPCRequest | undefined {
  try {
    const message = parseJSONRPCMessage(body);
    return 'method' in message && 'id' in message && message.method !== 'initialize' ? message : undefined;
  } catch {
    return undefined;
  }
}

const eventStream = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

/** For a request that was cancelled, or whose session has ended: a stream without events. */
function noAnswer(): Response {
  return new Response('', { headers: eventStream });
}

// Proxies end connections on which nothing is sent.
const keepAliveMs = 15_000;

/** The response that is coming, or one that begins before it: a stream of events with a comment now and then until it is there. */
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
