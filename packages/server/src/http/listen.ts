import { createServer as createPlainServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import type { NodeHandler } from './node-handler.ts';

export interface ListenOptions {
  /** Default 127.0.0.1: this machine alone. */
  host?: string;
  /** Default 0: one that is free. */
  port?: number;
  /** Certificate and key (PEM), for https. */
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** Says that everyone who reaches the address may call, on purpose. Default false. */
  isOpen?: boolean;
}

/** A server that listens. */
export interface Listening {
  url: string;
  port: number;
  /**
   * Takes no more connections, ends those that there are, and resolves when the last one has. What is being answered is answered
   * first, for at most `graceMs` milliseconds (default 10,000).
   */
  stop(options?: { graceMs?: number }): Promise<void>;
}

/** An address cannot be listened on. */
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

/** Lets a handler listen. Rejects with a {@link ListenError}. */
export async function listen(
  handle: NodeHandler,
  { host = '127.0.0.1', port = 0, tls, isOpen = false, isProtected }: ListenOptions & { isProtected: boolean },
): Promise<Listening> {
  if (!isProtected && !isOpen && !isLoopback(host)) {
    throw new ListenError(
      'NOT_PROTECTED',
      `${host} can be reached from other machines, and this server asks nobody who they are.`,
      'Set a token, or listen on 127.0.0.1. If everyone may call: isOpen, or --open.',
    );
  }
  const listener = (...args: Parameters<NodeHandler>) => void handle(args[0], args[1]);
  const server: Server = tls ? createTlsServer(tls, listener) : createPlainServer(listener);
  // Calls may take long; requests must not.
  server.requestTimeout = 60_000;
  const endConnections = connectionEnder(server, tls ? 'secureConnection' : 'connection');
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, { host, port })));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `${tls ? 'https' : 'http'}://${name}:${address.port}`,
    port: address.port,
    stop: ({ graceMs = 10_000 } = {}) => endConnections(graceMs),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host);
}

function listenError(error: Error & { code?: string }, { host, port }: { host: string; port: number }): ListenError {
  if (error.code === 'EADDRINUSE') {
    return new ListenError(
      'PORT_IN_USE',
      `Port ${port} of ${host} is taken.`,
      'Choose another one: --port 0 takes any that is free.',
      error,
    );
  }
  const hint =
    error.code === 'EACCES'
      ? 'Ports below 1024 need rights: choose a higher one.'
      : 'Choose an address of this machine.';
  return new ListenError('CANNOT_LISTEN', `Cannot listen on port ${port} of ${host}: ${error.message}`, hint, error);
}

/**
 * Knows the connections of a server, so that it can be ended: those on which a request is being answered end after the answer,
 * the others at once. Returns what does that; after `graceMs` milliseconds it ends what is left.
 *
 * @param opened The event of a connection that is ready for requests.
 */
function connectionEnder(
  server: Server,
  opened: 'connection' | 'secureConnection',
): (graceMs: number) => Promise<void> {
  // With TLS, a connection may not even have come as far as its handshake.
  const sockets = openOn(server, 'connection');
  const connections = opened === 'connection' ? sockets : openOn(server, opened);
  // Answers of a connection go out in order: when the newest has, all have.
  const newest = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request, response) => void newest.set(request.socket, response));
  return async (graceMs) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    for (const socket of connections) {
      const response = newest.get(socket);
      // Who has not said yet what is wanted waits for no answer.
      const isAnswering = response?.req.complete === true && !response.writableFinished;
      if (isAnswering) response.once('finish', () => socket.destroySoon());
      else socket.destroy();
    }
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    await closed.finally(() => clearTimeout(timer));
  };
}

function openOn(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
