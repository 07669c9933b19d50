import { randomUUID } from 'node:crypto';
import {
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { MessageWriter } from '../mcp/message-writer.ts';
import { httpProblem, problemBody } from './http-problem.ts';
import { asRequest, type IncomingRequest } from './incoming-request.ts';
import { createSessionExchange, type SessionExchange } from './session-exchange.ts';
import type { SessionRequest } from './sessions.ts';

/** The transport of one session of Streamable HTTP. */
export interface SessionTransport extends Transport {
  /** Answers a request of the session, or the one that begins it. */
  handle(request: SessionRequest): Promise<Response>;
}

export interface SessionTransportOptions {
  writer: MessageWriter;
  onBegin: (id: string) => void;
  /** The client has ended the session. */
  onEnd: (id: string) => void;
  maxBodyBytes: number;
  /** An answer that could not be written; the client gets an error in its place. */
  onError?: ((error: Error) => void) | undefined;
}

/**
 * The transport of the SDK, but for what nearly all requests are: a single request of a session that has begun. The SDK makes a
 * stream of events for each, which costs more than the answer that is written to it.
 */
export function createSessionTransport({
  writer,
  onBegin,
  onEnd,
  maxBodyBytes,
  onError,
}: SessionTransportOptions): SessionTransport {
  const rest = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: onBegin,
    onsessionclosed: onEnd,
    maxRequestBodySize: maxBodyBytes,
  });
  const exchanges = new Map<RequestId, SessionExchange>();
  let revisions: readonly string[] = [];

  function isPlain({ headers }: IncomingRequest): boolean {
    const accept = headers.get('accept') ?? '';
    const revision = headers.get('mcp-protocol-version');
    return (
      accept.includes('application/json') &&
      accept.includes('text/event-stream') &&
      (revision === null || revisions.includes(revision))
    );
  }

  function ask(sessionId: string, message: JSONRPCRequest, authInfo: SessionRequest['authInfo']): Promise<Response> {
    const exchange = createSessionExchange(sessionId);
    exchanges.set(message.id, exchange);
    transport.onmessage?.(message, { ...(authInfo && { authInfo }) });
    return exchange.response;
  }

  /** What a tool of a program answers may be no data. */
  function write(message: object, id: RequestId): string | Buffer {
    try {
      return writer.write(message);
    } catch (error) {
      onError?.(error instanceof Error ? error : new Error(String(error)));
      return JSON.stringify(problemBody('The answer cannot be written as JSON.', { code: -32603, id }));
    }
  }

  function end(id: RequestId): void {
    exchanges.get(id)?.end();
    exchanges.delete(id);
  }

  const transport: SessionTransport = {
    get sessionId() {
      return rest.sessionId;
    },
    async handle({ request, parsedBody, message, authInfo }) {
      const { sessionId } = rest;
      if (message !== undefined && exchanges.has(message.id)) {
        return httpProblem(400, 'A request with this id has not been answered yet.', { code: -32600 });
      }
      const isUsual = message !== undefined && message.method !== 'initialize' && isPlain(request);
      if (sessionId !== undefined && isUsual) return ask(sessionId, message, authInfo);
      return rest.handleRequest(asRequest(request), { parsedBody, ...(authInfo && { authInfo }) });
    },
    async send(message, options) {
      const id = 'method' in message ? options?.relatedRequestId : message.id;
      const exchange = id === undefined ? undefined : exchanges.get(id);
      if (id === undefined) return rest.send(message);
      if (exchange === undefined) {
        writer.forget(id);
        return rest.send(message, { relatedRequestId: id });
      }
      if ('method' in message) return exchange.tell(writer.write(message));
      exchanges.delete(id);
      exchange.answer(write(message, id));
    },
    setSupportedProtocolVersions(versions) {
      revisions = versions;
      rest.setSupportedProtocolVersions(versions);
    },
    start: () => rest.start(),
    close: () => rest.close(),
  };
  rest.onmessage = (message, extra) => {
    // What is cancelled gets no answer.
    if ('method' in message && message.method === 'notifications/cancelled')
      end(message.params?.requestId as RequestId);
    transport.onmessage?.(message, extra);
  };
  rest.onerror = (error) => transport.onerror?.(error);
  rest.onclose = () => {
    for (const id of [...exchanges.keys()]) end(id);
    transport.onclose?.();
  };
  return transport;
}
