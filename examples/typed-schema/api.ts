// A water-level API on 127.0.0.1. It stands for the API that you describe, so that the example runs offline.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const levels: Readonly<Record<string, number>> = { elbe: 212, rhine: 348, weser: 166 };

/** Starts the API on any free port of 127.0.0.1. */
export async function startRiverApi(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const [, river = ''] = /^\/rivers\/(\w+)\/level$/.exec(request.url ?? '') ?? [];
    const cm = Object.hasOwn(levels, river) ? levels[river] : undefined;
    const rivers = request.url === '/rivers' ? Object.keys(levels) : undefined;
    response.writeHead(cm === undefined && rivers === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(rivers ?? { cm }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
