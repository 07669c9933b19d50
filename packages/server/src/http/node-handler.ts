import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { checkTarget, pathOf } from './check-target.ts';
import { problemBody } from './http-problem.ts';
import type { Outlet } from './once-sent.ts';

/** A listener of `node:http`. With `next` it is middleware: a body that was parsed already is taken from `request.body`. */
export type NodeHandler = (
  request: IncomingMessage & { auth?: AuthInfo; body?: unknown },
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/** Makes a handler for Node of one for `Request` and `Response`. */
export function createNodeHandler(
  answer: (
    request: Request,
    given: { authInfo?: AuthInfo; parsedBody?: unknown } & Pick<Outlet, 'whenClosed'>,
  ) => Promise<Response>,
  {
    paths,
    maxBodyBytes,
    onError,
  }: { paths: readonly string[]; maxBodyBytes: number; onError: ((error: Error) => void) | undefined },
): NodeHandler {
  let adapter: typeof import('@modelcontextprotocol/node') | undefined;
  const own = new Set(paths);
  const onerror = (error: NodeJS.ErrnoException) => {
    // A client that goes in the middle of its request is no error of ours.
    if (error.code !== 'ECONNRESET') onError?.(error);
  };
  return async (request, response, next) => {
    if (next !== undefined && !own.has(pathOf(request))) return next();
    const problem = checkTarget(request);
    if (problem !== undefined) return refuse(response, 400, problem);
    // No Request can hold it, and here it means nothing.
    if (request.method === 'TRACE') return refuse(response, 405, 'Method not allowed.', { Allow: 'GET, POST' });
    adapter ??= await import('@modelcontextprotocol/node');
    const whenClosed = (done: () => void) => void response.once('close', done);
    const handle = adapter.toNodeHandler(
      { fetch: (made, given) => answer(made, { ...given, whenClosed }) },
      { maxRequestBodySize: maxBodyBytes, onerror },
    );
    try {
      await handle(request as Parameters<NodeMcpRequestHandler>[0], response, request.body);
    } catch (error) {
      // Somebody else has answered meanwhile, such as a middleware with a time-out.
      if (next !== undefined) next(error);
      else response.destroy();
    }
  };
}

function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(problemBody(message)));
}
