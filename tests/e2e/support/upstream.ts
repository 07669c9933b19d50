import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface ArrivedRequest {
  method: string;
  /** With the query. */
  url: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An answer; a body that is neither text nor bytes is sent as JSON. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** An API on loopback that remembers what it was asked. */
export interface Upstream {
  origin: string;
  requests: ArrivedRequest[];
}

/** Starts an API that answers as it is told; it ends when the test is over. `count` is 1 for the first request. */
export async function startUpstream(
  answer: (request: ArrivedRequest, count: number) => Reply | Promise<Reply> = (request) => ({ body: request }),
): Promise<Upstream> {
  const requests: ArrivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    const { status = 200, headers = {}, body } = await answer(request, requests.length);
    const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, isPlain ? headers : { 'content-type': 'application/json', ...headers });
    response.end(isPlain ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function readRequest(incoming: IncomingMessage): Promise<ArrivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = '', url = '', headers } = incoming;
  const { pathname: path, searchParams } = new URL(url, 'http://upstream');
  const body = Buffer.concat(chunks).toString();
  return { method, url, path, query: Object.fromEntries(searchParams), headers, body };
}

/** An origin at which nobody listens. A port that was free a moment ago may be another test's by now; this one is reserved (IANA). */
export async function closedOrigin(): Promise<string> {
  return 'http://127.0.0.1:2';
}
