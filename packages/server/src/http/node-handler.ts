import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import type { AuthInfo } from '@modelcontextprotocol/server';

/** A listener of `node:http`. With `next` it is middleware: a body that was parsed already is taken from `request.body`. */
export type NodeHandler = (
  request: IncomingMessage & { auth?: AuthInfo; body?: unknown },
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/** Makes a handler for Node of one for `Request` and `Response`. */
export function createNodeHandler(
  fetch: (request: Request, options?: { authInfo?: AuthInfo; parsedBody?: unknown }) => Promise<Response>,
  { paths, maxBodyBytes }: { paths: readonly string[]; maxBodyBytes: number },
): NodeHandler {
  let handle: NodeMcpRequestHandler | undefined;
  const own = new Set(paths);
  return async (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (next !== undefined && !own.has(path)) return next();
    handle ??= (await import('@modelcontextprotocol/node')).toNodeHandler(
      { fetch },
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
