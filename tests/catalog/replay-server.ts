import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exchange } from './recorded-answer.ts';
import { type ArrivedRequest, requestDifferences } from './request-differences.ts';

/** An API on loopback that answers recorded requests and refuses all others. */
export interface ReplayServer {
  origin: string;
  /** Sets what may be asked from now on, each exchange once. */
  expect(exchanges: readonly Exchange[]): void;
  /** What was asked beyond that, with the differences, and what was not asked. Empty when all went as recorded. */
  complaints(): string[];
  close(): Promise<void>;
}

/** Starts the server on a free port. */
export async function startReplayServer(): Promise<ReplayServer> {
  let open: Exchange[] = [];
  let refused: string[] = [];
  const server = createServer(async (incoming, response) => {
    const arrived = await readRequest(incoming);
    const rivals = open.map((exchange) => ({ exchange, differences: requestDifferences(arrived, exchange.request) }));
    const found = rivals.find(({ differences }) => differences.length === 0);
    if (found) {
      open = open.filter((exchange) => exchange !== found.exchange);
      return answer(response, found.exchange.answer);
    }
    const [nearest] = rivals.sort((left, right) => left.differences.length - right.differences.length);
    const differences = nearest?.differences ?? [`${arrived.method} ${arrived.path}: nothing more is documented`];
    refused.push(...differences);
    answer(response, { status: 404, headers: { 'content-type': 'application/json' }, body: { differences } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expect: (exchanges) => {
      open = [...exchanges];
      refused = [];
    },
    complaints: () => [...refused, ...open.map(({ request: { method, path } }) => `${method} ${path} was not asked`)],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ArrivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = '', url = '', headers } = incoming;
  const [path = '', query = ''] = url.split('?', 2);
  return { method, path, query: [...new URLSearchParams(query)], headers, body: Buffer.concat(chunks).toString() };
}

function answer(response: ServerResponse, { status, headers, body }: Exchange['answer']): void {
  response.writeHead(status, headers);
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
