import { createServer, type Socket } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import { createCertificate } from '../../../fixtures/certificates.ts';
import { allows, answers, redirects, toLoopback } from '../../../fixtures/http-cases.ts';
import { listen } from '../../../fixtures/loopback.ts';
import { serveSdk1, serveSdk2 } from '../../../fixtures/sdk-servers.ts';
import { authority, bind, listenTls, trustedCertificate } from '../../../fixtures/tls-servers.ts';
import { type AssessOptions, assess } from '../../assess/assess.ts';
import type { LayerResult } from '../../assess/layer-result.ts';

type Says = Record<string, unknown>;
type Peer = () => Promise<{ endpoint: string; privateOrigins?: string[] }>;

async function httpOf(url: string, options: Partial<AssessOptions> = {}): Promise<LayerResult> {
  const { layers } = await assess({ url, layers: ['http'], ca: authority.cert, timeout: 8000, ...options });
  return layers.http;
}

const codesOf = (layer: LayerResult): string[] => (layer.detected ? layer.findings.map(({ code }) => code) : []);

const mcpHeaders = 'content-type, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name';
const page = answers(200, { 'content-type': 'text/html' }, '<title>Hi</title>');
const ms = expect.any(Number);

test.each<[peer: string, serve: Peer, says: Says]>([
  [
    'a server of the second SDK over http',
    serveSdk2,
    {
      state: 'passed',
      categories: {
        isHttpReachable: true,
        isHttps: false,
        hasSslCertificate: false,
        hasValidSsl: false,
        hasRedirects: false,
        isWebsite: false,
        isApiEndpoint: true,
        hasServerHeader: false,
        supportsCors: false,
        supportsHttp2: false,
        supportsHttp3: false,
      },
      entries: {
        protocol: 'http',
        statusCode: 405,
        redirectCount: 0,
        sslProtocol: null,
        ipAddress: '127.0.0.1',
        certificate: null,
        timing: { dnsMs: null, connectMs: ms, tlsMs: null, firstByteMs: ms },
      },
    },
  ],
  ['a server of the first SDK', serveSdk1, { state: 'passed', categories: { isApiEndpoint: true } }],
  [
    'an https server with HTTP/2 and HTTP/3',
    () => listenTls(answers(200, { 'alt-svc': 'h3=":443"', server: 'caddy' }), { http2: true }),
    {
      state: 'passed',
      categories: {
        isHttps: true,
        hasSslCertificate: true,
        hasValidSsl: true,
        supportsHttp2: true,
        supportsHttp3: true,
        hasServerHeader: true,
      },
      entries: {
        sslProtocol: 'TLSv1.3',
        sslIssuer: 'CN=Authority of the tests',
        alpn: 'h2',
        serverHeader: 'caddy',
        sslExpiresInDays: 89,
        certificate: { subject: 'CN=localhost', names: ['127.0.0.1', 'localhost'], faults: [] },
        timing: { dnsMs: null, connectMs: ms, tlsMs: ms, firstByteMs: ms },
      },
    },
  ],
  [
    'a certificate with all faults',
    () => listenTls(page, { certificate: createCertificate({ names: ['example.com'], from: -9, to: -1 }) }),
    {
      state: 'failed',
      categories: { isHttpReachable: false, hasSslCertificate: true, hasValidSsl: false },
      entries: { sslExpiresInDays: -1, certificate: { faults: ['expired', 'self-signed', 'wrong-host'] } },
      findings: [{ code: 'HTTP-002' }, { code: 'HTTP-005' }, { code: 'HTTP-006' }, { code: 'HTTP-016' }],
    },
  ],
  [
    'a self-signed certificate that the user trusts',
    () => listenTls(page, { certificate: ownAuthority }),
    { state: 'passed', categories: { hasValidSsl: true } },
  ],
  [
    'a website that redirects to https',
    async () => {
      const { endpoint, origin } = await listenTls(page);
      return { ...(await listen(answers(301, { location: endpoint }))), privateOrigins: [origin] };
    },
    {
      state: 'passed',
      categories: { isHttps: false, hasSslCertificate: true, hasValidSsl: true, hasRedirects: true, isWebsite: true },
      entries: {
        redirectCount: 1,
        redirectChain: [
          { from: expect.stringMatching(/^http:/), to: expect.stringMatching(/^https:/), statusCode: 301 },
        ],
        connections: [{ sslProtocol: null }, { sslProtocol: 'TLSv1.3', certificateFaults: [], error: null }],
      },
    },
  ],
  [
    'a redirect to a host with a bad certificate',
    async () => {
      const certificate = trustedCertificate({ names: ['example.com'] });
      const { endpoint, origin } = await listenTls(page, { certificate });
      return { ...(await listen(answers(301, { location: endpoint }))), privateOrigins: [origin] };
    },
    {
      state: 'failed',
      entries: { redirectCount: 1, statusCode: 301 },
      findings: [
        { code: 'HTTP-002' },
        { code: 'HTTP-016' },
        { code: 'HTTP-007' },
        { code: 'HTTP-025' },
        { code: 'HTTP-022' },
      ],
    },
  ],
  [
    'a page that is missing',
    () => listen(answers(404, { 'content-type': 'text/html' })),
    { categories: { isWebsite: false, isApiEndpoint: false } },
  ],
  ['JSON that is missing', () => listen(answers(404)), { categories: { isApiEndpoint: false } }],
  [
    'a file',
    () => listen(answers(200, { 'content-type': 'image/png' })),
    { categories: { isWebsite: false, isApiEndpoint: false } },
  ],
  [
    'a redirect in a circle',
    () => listen(redirects(99)),
    { state: 'failed', findings: [{ code: 'HTTP-002' }, { code: 'HTTP-008' }, {}, {}] },
  ],
  [
    'a server for browsers',
    () => listen(allows({ 'access-control-allow-headers': mcpHeaders.toUpperCase(), 'access-control-max-age': '600' })),
    {
      categories: { supportsCors: true },
      entries: { cors: { status: 204, allowOrigin: '*', missingHeaders: [], maxAgeSeconds: 600 } },
    },
  ],
  [
    'a server for browsers without credentials',
    () => listen(allows({ 'access-control-allow-headers': '*' })),
    { categories: { supportsCors: true }, entries: { cors: { missingHeaders: ['authorization'] } } },
  ],
  [
    'a server for browsers of another origin',
    () => listen(allows({ 'access-control-allow-origin': 'https://example.com', 'access-control-allow-headers': '*' })),
    { categories: { supportsCors: false }, entries: { cors: { allowOrigin: 'https://example.com' } } },
  ],
  [
    'a preflight that wants to be authorized',
    () =>
      listen((_, response) =>
        response.writeHead(401, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end(),
      ),
    { categories: { supportsCors: false }, entries: { cors: { status: 401 } } },
  ],
])('on %s', async (_peer, serve, says) => {
  const { endpoint, privateOrigins = [] } = await serve();
  const options = { ca: [authority.cert, ownAuthority.cert], privateOrigins };
  expect(await httpOf(endpoint, options)).toMatchObject(says);
});

const ownAuthority = createCertificate({ subject: 'localhost', names: ['127.0.0.1'], isAuthority: true });

test('the preflight is that of a browser, and carries no credentials', async () => {
  const seen: Record<string, unknown>[] = [];
  const { endpoint, requests } = await listen(({ method, headers }, response) => {
    if (method === 'OPTIONS') seen.push(headers);
    response.writeHead(204).end();
  });
  await httpOf(endpoint, { headers: { authorization: 'Bearer secret' } });
  expect(requests.sort()).toEqual(['GET /mcp', 'OPTIONS /mcp']);
  expect(seen).toMatchObject([
    {
      origin: 'https://browser-client.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': mcpHeaders.replaceAll(' ', ''),
    },
  ]);
  expect(seen[0]).not.toHaveProperty('authorization');
});

test('a public https server should send HSTS; loopback need not', async () => {
  const { endpoint } = await listenTls(answers(200, { 'x-content-type-options': 'nosniff' }), {
    certificate: trustedCertificate({ names: ['127.0.0.1', 'site.test'] }),
  });
  expect(codesOf(await httpOf(endpoint))).not.toContain('HTTP-025');
  const named = endpoint.replace('127.0.0.1', 'site.test');
  const layer = await httpOf(named, { lookup: toLoopback });
  expect(codesOf(layer)).toContain('HTTP-025');
  expect(layer).toMatchObject({ entries: { timing: { dnsMs: ms } } });
});

test('keys in URLs and long headers are not repeated', async () => {
  const { endpoint } = await listen(
    answers(302, { location: '/?key=top-secret', server: `\u00e9${'x'.repeat(5000)}` }),
  );
  const layer = await httpOf(`${endpoint}?token=top-secret-too`);
  expect(JSON.stringify(layer)).not.toContain('top-secret-too');
  expect(layer).toMatchObject({
    entries: {
      redirectChain: expect.arrayContaining([
        expect.objectContaining({ to: expect.stringMatching(/\?key=REDACTED$/) }),
      ]),
    },
  });
  expect(JSON.stringify(layer).length).toBeLessThan(12_000);
});

describe('the guard', () => {
  it.each([
    ['a private address', '127.0.0.1', {}],
    ['a name of a private address', 'site.test', { lookup: toLoopback }],
  ])('keeps the handshake from %s with publicOnly', async (_, host, options) => {
    const peer = await listenRaw(() => {});
    const layer = await httpOf(`https://${host}:${peer.port}/`, { publicOnly: true, ...options });
    expect(layer).toMatchObject({
      detected: false,
      state: 'not-evaluated',
      skipped: expect.stringContaining('ADDRESS_BLOCKED'),
    });
    expect(peer.connections()).toBe(0);
  });

  it('keeps redirects and their handshakes from other private addresses', async () => {
    const inner = await listenRaw(() => {});
    const { endpoint } = await listen(answers(302, { location: `https://127.0.0.1:${inner.port}/` }));
    expect(codesOf(await httpOf(endpoint, { privateOrigins: [] }))).toContain('HTTP-014');
    expect(inner.connections()).toBe(0);
  });

  it('keeps the handshake from metadata services', async () => {
    const layer = await httpOf('https://169.254.169.254/');
    expect(layer).toMatchObject({ detected: false, skipped: expect.stringContaining('ADDRESS_BLOCKED') });
  });
});

describe('in time, with what was seen until then, if a peer', () => {
  it.each<[string, (socket: Socket) => void, Says]>([
    ['never greets', () => {}, { state: 'failed', entries: { ipAddress: '127.0.0.1', sslProtocol: null } }],
    ['hangs up', (socket) => socket.destroy(), { state: 'failed', findings: [{ code: 'HTTP-002' }] }],
    ['speaks no TLS', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), { state: 'failed' }],
    ['sends garbage without end', (socket) => void flood(socket, Buffer.alloc(65_536, 22)), { state: 'failed' }],
  ])('%s', async (_, onSocket, says) => {
    const { port } = await listenRaw(onSocket);
    const begin = performance.now();
    expect(await httpOf(`https://127.0.0.1:${port}/`, { timeout: 1500 })).toMatchObject(says);
    expect(performance.now() - begin).toBeLessThan(6000);
  });

  it.each(['GET', 'OPTIONS'])('never answers %s', async (hanging) => {
    const { endpoint } = await listen(({ method }, response) => {
      if (method !== hanging) answers(200)({} as never, response);
    });
    const layer = await httpOf(endpoint, { timeout: 1500 });
    expect(layer).toMatchObject({ detected: true, state: 'passed' });
    expect(codesOf(layer)).toContain(hanging === 'GET' ? 'HTTP-003' : 'HTTP-022');
  });

  it('has a certificate with thousands of names, and escapes for terminals', async () => {
    const names = ['127.0.0.1', ...Array.from({ length: 2000 }, (_, index) => `host${index}.example.com`)];
    const certificate = trustedCertificate({ names, subject: '\u001b[2J\u202eevil', issuer: authority });
    const { endpoint } = await listenTls(page, { certificate });
    const layer = await httpOf(endpoint);
    expect(layer).toMatchObject({ state: 'passed', entries: { certificate: { names: { length: 50 } } } });
    expect(JSON.stringify(layer)).not.toMatch(/\\u001b|\u202e/);
  });
});

async function flood(socket: Socket, chunk: Buffer): Promise<void> {
  while (!socket.destroyed)
    if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
}

/** A server that says whatever it likes. */
async function listenRaw(onSocket: (socket: Socket) => void): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.resume();
    onSocket(socket);
  });
  return { port: await bind(server), connections: () => connections };
}
