import { createServer as createPlainServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, Server as NetServer, type Socket } from 'node:net';
import type { SharedServer } from '../shared-server.ts';
import { createHttpHandlers, type HttpOptions, type NodeHandler } from './http-handlers.ts';

export interface ListenOptions extends HttpOptions {
  /** Default 127.0.0.1: reachable from this machine only. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Certificate and key (PEM), for https. */
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** Allows a host that other machines can reach without `auth`. Default false. */
  isOpen?: boolean;
}

export interface HttpServer {
  /** Without a path. MCP is at `<url>/mcp`. */
  url: string;
  port: number;
  /** Answers new requests with 503, waits at most `graceMs` (10,000) for running calls, and ends all connections. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** The server cannot listen on an address. */
export class ListenError extends Error {
  readonly code: 'NOT_PROTECTED' | 'PORT_IN_USE' | 'CANNOT_LISTEN';
  readonly hint: string;

  constructor(code: ListenError['code'], message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ListenError';
    this.code = code;
    this.hint = hint;
  }
}

/** Time to send the last responses, even if all of `graceMs` is used up. */
const minSendMs = 500;

/** Time for requests on their way when the server stops listening: their connections are open already. */
const lastRequestsMs = 250;

/** Serves over HTTP. Rejects with a {@link ListenError}. */
export async function openHttpServer(
  shared: SharedServer,
  { host = '127.0.0.1', port = 0, tls, isOpen = false, ...options }: ListenOptions,
): Promise<HttpServer> {
  if (options.auth === undefined && !isOpen && !isLoopback(host)) {
    throw new ListenError(
      'NOT_PROTECTED',
      `${host} is reachable from other machines, and no authentication is configured.`,
      'Set a token, or listen on 127.0.0.1. To allow unauthenticated access: isOpen, or --open.',
    );
  }
  const handlers = createHttpHandlers(shared, { ...options, isWholeHost: true });
  const { server, stop } = createNodeServer(handlers.handle, tls);
  try {
    await listen(server, { host, port });
  } catch (error) {
    await handlers.close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `${tls ? 'https' : 'http'}://${name}:${address.port}`,
    port: address.port,
    async close({ graceMs = 10_000 } = {}) {
      const end = performance.now() + graceMs;
      await handlers.close({ graceMs });
      await stop(Math.max(minSendMs, end - performance.now()));
    },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host);
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, { host, port })));
    server.listen(port, host, resolve);
  });
}

function listenError(error: Error & { code?: string }, { host, port }: { host: string; port: number }): ListenError {
  if (error.code === 'EADDRINUSE') {
    const hint = 'Choose another one: --port 0 takes any that is free.';
    return new ListenError('PORT_IN_USE', `Port ${port} of ${host} is taken.`, hint, error);
  }
  const hint =
    error.code === 'EACCES'
      ? 'Ports below 1024 need privileges: choose a higher one.'
      : 'Choose an address of this machine.';
  return new ListenError('CANNOT_LISTEN', `Cannot listen on port ${port} of ${host}: ${error.message}`, hint, error);
}

/** A server, and a function that stops it. Responses in progress are sent first, for at most `graceMs` milliseconds. */
function createNodeServer(
  handle: NodeHandler,
  tls: ListenOptions['tls'],
): { server: Server; stop(graceMs: number): Promise<void> } {
  const listener = (...args: Parameters<NodeHandler>) => void handle(args[0], args[1]);
  const server: Server = tls ? createTlsServer(tls, listener) : createPlainServer(listener);
  // Limits how long a request takes to arrive. Calls may take longer.
  server.requestTimeout = 60_000;
  // A connection may not have completed its TLS handshake.
  const sockets = openSockets(server, 'connection');
  const connections = tls ? openSockets(server, 'secureConnection') : sockets;
  // Responses of a connection go out in order: when the last one was sent, all were.
  const lastResponses = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request, response) => void lastResponses.set(request.socket, response));
  async function stop(graceMs: number): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // Stops listening. That of `node:http` would also cut idle connections, on which a request may be on its way.
    NetServer.prototype.close.call(server, () => resolve());
    const timers = [
      setTimeout(() => {
        for (const socket of connections) {
          const response = lastResponses.get(socket);
          // An incomplete request gets no response.
          const isAnswering = response?.req.complete === true && !response.writableFinished;
          if (isAnswering) response.once('finish', () => socket.destroySoon());
          else socket.destroy();
        }
      }, lastRequestsMs),
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs),
    ];
    await closed.finally(() => timers.forEach(clearTimeout));
  }
  return { server, stop };
}

function openSockets(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
