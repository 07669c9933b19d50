// A harbour office on 127.0.0.1 that answers as older APIs do: codes in place of names, lines of text, pages.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const berths: Readonly<Record<string, string>> = {
  FRBES: 'B1;free;120\nB2;taken;80\n',
  GBDVR: 'D1;taken;200\nD2;free;95\nD3;free;60\n',
};

const pages: readonly { ships: readonly string[]; next: number | null }[] = [
  { ships: ['Albatros', 'Boreas'], next: 1 },
  { ships: ['Cormoran'], next: null },
];

/** Starts the API on any free port of 127.0.0.1. */
export async function startHarbourApi(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, code = ''] = /^\/berths\/(\w+)$/.exec(url.pathname) ?? [];
    const isShips = url.pathname === '/ships';
    response.writeHead(isShips || code in berths ? 200 : 404, {
      'content-type': isShips ? 'application/json' : 'text/plain',
    });
    response.end(isShips ? JSON.stringify(pages[Number(url.searchParams.get('page'))]) : (berths[code] ?? 'unknown'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
