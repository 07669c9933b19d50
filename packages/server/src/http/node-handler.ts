import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import type { AuthInfo } from '@modelcontextprotocol/server';
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
  { paths, maxBodyBytes }: { paths: readonly string[]; maxBodyBytes: number },
): NodeHandler {
  let adapter: typeof import('@modelcontextprotocol/node') | undefined;
  const own = new Set(paths);
  return async (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (next !== undefined && !own.has(path)) return next();
    adapter ??= await import('@modelcontextprotocol/node');
    const whenClosed = (done: () => void) => void response.once('close', done);
    const handle = adapter.toNodeHandler(
      { fetch: (made, given) => answer(made, { ...given, whenClosed }) },
      { maxRequestBodySize: maxBodyBytes },
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
