// A tide-table API on 127.0.0.1. It stands for the API that you describe, so that the example runs offline.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Tide {
  time: string;
  kind: 'high' | 'low';
  metres: number;
}

const tables: Readonly<Record<string, readonly Tide[]>> = {
  brest: [
    { time: '04:52', kind: 'high', metres: 6.8 },
    { time: '11:03', kind: 'low', metres: 1.4 },
  ],
  cuxhaven: [
    { time: '00:31', kind: 'high', metres: 3.4 },
    { time: '07:12', kind: 'low', metres: 0.3 },
  ],
  dover: [
    { time: '11:20', kind: 'high', metres: 6.5 },
    { time: '18:41', kind: 'low', metres: 0.9 },
  ],
};

const notices = 'dover;fog until noon\nbrest;dredging at the west pier\n';

/** Starts the API on 127.0.0.1; port 0 takes any free one. */
export async function startTideApi({ port = 0 }: { port?: number } = {}): Promise<{
  url: string;
  close(): void;
}> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { status, body } = answer({
      url: new URL(request.url ?? '/', 'http://127.0.0.1'),
      key: request.headers.authorization,
      sent: Buffer.concat(chunks).toString(),
    });
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Call {
  url: URL;
  key: string | undefined;
  sent: string;
}

function answer({ url, key, sent }: Call): { status: number; body: unknown } {
  if (url.pathname === '/notices.txt') return { status: 200, body: notices };
  if (url.pathname === '/sightings') {
    // Any key will do here; a real API would look at it.
    return key === undefined
      ? { status: 401, body: { error: 'a key is needed' } }
      : { status: 201, body: { accepted: JSON.parse(sent) } };
  }
  const [, harbour = ''] = /^\/harbours\/([^/]+)\/tides$/.exec(url.pathname) ?? [];
  const table = Object.hasOwn(tables, harbour) ? tables[harbour] : undefined;
  if (table === undefined) return { status: 404, body: { error: 'there is no such harbour' } };
  const unit = url.searchParams.get('unit') ?? 'm';
  const tides = table.map(({ time, kind, metres }) => ({
    time,
    kind,
    height: unit === 'ft' ? Number((metres / 0.3048).toFixed(1)) : metres,
  }));
  return { status: 200, body: { harbour, unit, tides } };
}
