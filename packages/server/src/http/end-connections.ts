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
  const answers = new Set<ServerResponse>();
  server.on('request', (_request, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
  });
  return async (graceMs) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    const answering = new Set<Socket>();
    for (const response of answers) {
      const { req: request, socket } = response;
      // Who has not said yet what is wanted waits for no answer.
      if (!request.complete || socket === null) continue;
      answering.add(socket);
      response.once('finish', () => socket.destroySoon());
    }
    for (const socket of connections) if (!answering.has(socket)) socket.destroy();
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
