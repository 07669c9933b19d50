import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Garden, openGarden } from './garden.ts';
import { type Answer, type Endpoint, gardenEndpoints, problem } from './garden-endpoints.ts';

const MAX_BODY_BYTES = 10_000;

/**
 * Starts the little REST API that the demo's schema describes: a kitchen garden, kept in memory, on 127.0.0.1 only.
 *
 * @param options.port Port to listen on; 0, the default, takes any free one.
 * @param options.apiKey Key that writing needs; a random one by default.
 * @param options.onRequest Told the method and the address of each request, such as `GET /plants?limit=10`.
 * @returns Its address without a trailing slash, its key, and `close()`, which ends open requests too.
 *   Rejects with the system's error (`EADDRINUSE`) when the port is taken.
 */
export async function startDemoApi(
  options: { port?: number; apiKey?: string; onRequest?: (line: string) => void } = {},
): Promise<{ url: string; apiKey: string; close(): Promise<void> }> {
  const { port = 0, apiKey = randomBytes(12).toString('base64url'), onRequest } = options;
  const garden = openGarden();
  const server = createServer((request, response) => {
    onRequest?.(`${request.method} ${request.url}`);
    void respond(request, response, { garden, apiKey });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: listening } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${listening}`, apiKey, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

interface Service {
  garden: Garden;
  apiKey: string;
}

async function respond(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const hangUp = new AbortController();
  response.on('close', () => hangUp.abort());
  const answer = await answerTo(request, service, hangUp.signal).catch(() =>
    problem(500, 'internal', 'the garden has a problem of its own'),
  );
  if (hangUp.signal.aborted) return;
  const [type, body] = 'xml' in answer ? ['xml', answer.xml] : ['json', JSON.stringify(answer.json)];
  response.writeHead(answer.status ?? 200, { 'content-type': `application/${type}; charset=utf-8`, ...answer.headers });
  response.end(body);
}

async function answerTo(request: IncomingMessage, service: Service, signal: AbortSignal): Promise<Answer> {
  const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
  if (!url) return problem(400, 'bad_url', 'the address cannot be read');
  const here = gardenEndpoints.flatMap((endpoint) => {
    const path = matchPath(endpoint.path, url.pathname);
    return path ? [{ endpoint, path }] : [];
  });
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const match = here.find(({ endpoint }) => endpoint.method === method);
  if (here.length === 0) return problem(404, 'not_found', 'GET / lists what there is');
  if (!match) {
    const allow = allowed(here.map(({ endpoint }) => endpoint));
    return problem(405, 'method_not_allowed', `this address takes ${allow}`, { allow });
  }

  const body = method === 'POST' ? await readJson(request) : { value: undefined };
  if ('refusal' in body) return body.refusal;
  return match.endpoint.answer({
    garden: service.garden,
    path: match.path,
    query: url.searchParams,
    body: body.value,
    hasKey: request.headers.authorization === `Bearer ${service.apiKey}`,
    signal,
  });
}

function allowed(endpoints: readonly Endpoint[]): string {
  return endpoints.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}

/** The values of the template's `:names` when the path fits it. */
function matchPath(template: string, pathname: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? '';
    if (segment.startsWith(':') && text !== '') values[segment.slice(1)] = decodeSegment(text);
    else if (segment !== text) return undefined;
  }
  return values;
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not valid percent-encoding, so it names nothing that exists; as plain text it leads to a 404.
    return text;
  }
}

/** Reads a JSON body, or says why it cannot. */
async function readJson(request: IncomingMessage): Promise<{ value: unknown } | { refusal: Answer }> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return { refusal: problem(415, 'json_needed', 'send `Content-Type: application/json`') };
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Read to the end even when it is too much: leaving the loop early would close the connection before the answer.
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES) return { refusal: problem(413, 'too_large', `at most ${MAX_BODY_BYTES} bytes`) };
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { refusal: problem(400, 'bad_json', 'the body is not JSON') };
  }
}
