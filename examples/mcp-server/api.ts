// A weather API on 127.0.0.1 that wants a key.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts the API on any free port of 127.0.0.1. It answers only those who know the key. */
export async function startWeatherApi({ key }: { key: string }): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const isKnown = request.headers['x-api-key'] === key;
    const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { place: searchParams.get('place'), celsius: 11.5 } : { error: 'wrong key' }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
