import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that must not be reached. */
export interface Listener {
  origin: string;
  /** Requests, and connections that make none, since the last reset. */
  arrived(): number;
  reset(): void;
  close(): Promise<void>;
}

/** Starts a listener on loopback. */
export async function startListener(): Promise<Listener> {
  let requests = 0;
  let connections = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: () => Math.max(requests, connections),
    reset: () => {
      requests = 0;
      connections = 0;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
