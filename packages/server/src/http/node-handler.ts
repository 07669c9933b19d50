import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { createExchange, type Exchange } from './exchange.ts';
import { httpProblem } from './http-problem.ts';

/** A listener of `node:http`. With `next` it is middleware: a body that was parsed already is taken from `request.body`. */
export type NodeHandler = (
  request: IncomingMessage & { auth?: AuthInfo; body?: unknown },
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/** @param options.paths As middleware, it answers these and leaves the others to the application. */
export function createNodeHandler(
  answer: (exchange: Exchange) => Promise<Response>,
  { paths, maxBodyBytes }: { paths: readonly string[]; maxBodyBytes: number },
): NodeHandler {
  const own = new Set(paths);
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { auth: authInfo, body: parsedBody } = incoming as Parameters<NodeHandler>[0];
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      outgoing.once('close', resolve);
      const { remoteAddress: address } = incoming.socket;
      const response = await answer(createExchange(request, { authInfo, parsedBody }, { address, maxBodyBytes, sent }));
      // Somebody else has answered meanwhile, such as a middleware with a time-out.
      return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response;
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => httpProblem(400, `Bad Request: ${error instanceof Error ? error.message : error}`),
    },
  );
  return async (incoming, outgoing, next) => {
    if (next !== undefined && !own.has(pathOf(incoming))) return next();
    await listener(incoming, outgoing);
  };
}

/** The path that a request asks for, which may be addressed in full (RFC 9112, 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/') && URL.canParse(url)) return new URL(url).pathname;
  return url.split('?', 1)[0] ?? '';
}
