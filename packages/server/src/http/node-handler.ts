import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { checkTarget, pathOf } from './check-target.ts';
import { problemBody } from './http-problem.ts';
import { NodeRequest } from './node-request.ts';
import { sendResponse } from './send-response.ts';

/** A listener of `node:http`. With `next` it is middleware: a body that was parsed already is taken from `request.body`. */
export type NodeHandler = (
  request: IncomingMessage & { auth?: AuthInfo; body?: unknown },
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/** Makes a handler for Node of one that knows what to answer. */
export function createNodeHandler(
  answer: (request: NodeRequest, given: { authInfo?: AuthInfo; parsedBody?: unknown }) => Promise<Response>,
  { paths }: { paths: readonly string[] },
): NodeHandler {
  const own = new Set(paths);
  return async (incoming, outgoing, next) => {
    if (next !== undefined && !own.has(pathOf(incoming))) return next();
    const problem = checkTarget(incoming);
    if (problem !== undefined) return refuse(outgoing, 400, problem);
    // No Request can hold it, and here it means nothing.
    if (incoming.method === 'TRACE') return refuse(outgoing, 405, 'Method not allowed.', { Allow: 'GET, POST' });
    const { auth: authInfo, body: parsedBody } = incoming;
    const request = new NodeRequest(incoming, outgoing, parsedBody);
    try {
      const response = await answer(request, { ...(authInfo && { authInfo }), parsedBody });
      await sendResponse(response, outgoing);
    } catch (error) {
      // Somebody else has answered meanwhile, such as a middleware with a time-out.
      if (next !== undefined) next(error);
      else outgoing.destroy();
    }
  };
}

function refuse(outgoing: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(problemBody(message)));
}
