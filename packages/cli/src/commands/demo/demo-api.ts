import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Answer, firstHarvests, gardenEndpoints, type Harvest, problem } from './garden-endpoints.ts';

const maxBodyBytes = 10_000;

/** Starts the REST API of the demo on 127.0.0.1: a kitchen garden, in memory. Rejects with `EADDRINUSE` if the port is taken. */
export async function startDemoApi({
  port = 0,
  apiKey = randomBytes(12).toString('base64url'),
  onRequest,
}: {
  port?: number;
  apiKey?: string;
  onRequest?: (line: string) => void;
} = {}): Promise<{ url: string; apiKey: string; close(): Promise<void> }> {
  const harvests = [...firstHarvests];
  const server = createServer(async (request, response) => {
    onRequest?.(`${request.method} ${request.url}`);
    const hangUp = new AbortController();
    response.on('close', () => hangUp.abort());
    const answer = await answerTo(request, { apiKey, harvests, signal: hangUp.signal }).catch(() =>
      problem(500, 'internal', 'internal error'),
    );
    if (hangUp.signal.aborted) return;
    const { status = 200, headers, json, xml } = answer;
    const type = xml === undefined ? 'json' : 'xml';
    response.writeHead(status, { 'content-type': `application/${type}; charset=utf-8`, ...headers });
    response.end(xml ?? JSON.stringify(json));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey, close };
}

async function answerTo(
  request: IncomingMessage,
  { apiKey, harvests, signal }: { apiKey: string; harvests: Harvest[]; signal: AbortSignal },
): Promise<Answer> {
  const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
  if (!url) return problem(400, 'bad_url', 'invalid URL');
  const here = gardenEndpoints.flatMap((endpoint) => {
    const match = new RegExp(`^${endpoint.path.replace(/:\w+/, '([^/]+)')}$`).exec(url.pathname);
    return match ? [{ endpoint, name: decoded(match[1] ?? '') }] : [];
  });
  if (here.length === 0) return problem(404, 'not_found', 'GET / lists all endpoints');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const found = here.find(({ endpoint }) => endpoint.method === method);
  if (!found) {
    const allow = here.map(({ endpoint }) => (endpoint.method === 'GET' ? 'GET, HEAD' : endpoint.method)).join(', ');
    return problem(405, 'method_not_allowed', `allowed methods: ${allow}`, { allow });
  }
  const hasKey = request.headers.authorization === `Bearer ${apiKey}`;
  const asked = { name: found.name, query: url.searchParams, body: undefined, hasKey, harvests, signal };
  if (method !== 'POST') return found.endpoint.answer(asked);
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return problem(415, 'json_needed', 'send `Content-Type: application/json`');
  }
  const json = await text(request);
  if (json.length > maxBodyBytes) return problem(413, 'too_large', `at most ${maxBodyBytes} bytes`);
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    return problem(400, 'bad_json', 'the body is not JSON');
  }
  return found.endpoint.answer({ ...asked, body });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // No valid percent-encoding: as plain text it leads to a 404.
  }
}
