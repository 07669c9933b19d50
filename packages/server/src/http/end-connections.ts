import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows the connections of a server, so that it can be ended: those on which a request is being answered end after the answer,
 * the others at once. Returns what does that; after `graceMs` milliseconds it ends what is left.
 *
 * @param opened The event of a connection that is ready for requests.
 */
export function connectionEnder(
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
