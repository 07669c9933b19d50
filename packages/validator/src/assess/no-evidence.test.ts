import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../fixtures/loopback.ts';
import { resourceDocument, serveOAuth, serverDocument } from '../../fixtures/oauth-site.ts';
import { send, sendRpc, serveScript } from '../../fixtures/scripted-server.ts';
import { serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { authority, listenTls, trustedCertificate } from '../../fixtures/tls-servers.ts';
import { type AssessOptions, assess } from './assess.ts';

type Row = [peer: string, serve: () => Promise<{ endpoint: string }>, says: object, options?: Partial<AssessOptions>];

const always =
  (status: number, body: string, headers: Record<string, string>): Row[1] =>
  () =>
    listen((_, response) => response.writeHead(status, headers).end(body));
const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const nothing = { letter: 'F', holdsDown: expect.arrayContaining(['ASM-026:assess']) };
/** A website that refuses what is no GET. */
const website: RequestListener = ({ method }, response) =>
  void (method === 'GET' ? response.writeHead(200, html) : response.writeHead(403, html)).end('<title>Hi</title>');
const blocked = (): ReturnType<typeof serveOAuth> =>
  serveOAuth({
    resource: (origin) => resourceDocument(origin, { authorization_servers: ['http://10.0.0.1/'] }),
    server: serverDocument,
    challenge: (origin) => `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
  });

/** What a grade and its layers say of peers that show little. */
const rows: Row[] = [
  ['answers 404 with JSON', always(404, '{}', json), { status: false, grade: nothing }],
  [
    'answers 403 with a page',
    always(403, '<title>Just a moment…</title>', html),
    { status: false, grade: nothing, layers: { oauth: { state: 'not-evaluated' }, html: { state: 'not-detected' } } },
  ],
  [
    'answers 500 with a page',
    always(500, '<title>Internal Server Error</title>', html),
    {
      status: false,
      grade: nothing,
      layers: { oauth: { state: 'not-evaluated' } },
      categories: { overallHealthy: false },
    },
  ],
  [
    'has some JSON',
    () => listen(({ url }, response) => send(response, url === '/mcp' ? 200 : 404, { hello: 1 })),
    { status: false, grade: nothing },
  ],
  [
    'costs 402 at the handshake',
    () => listen((_, response) => send(response, 402, { x402Version: 1, accepts: [] })),
    { status: false, grade: { holdsDown: expect.arrayContaining(['CON-006:connect']) } },
  ],
  [
    'never ends the handshake',
    () => serveScript({ initialize: ({ response }) => sendRpc(response, { id: 'other', result: {} }) }),
    { status: false, grade: { letter: 'F', holdsDown: expect.arrayContaining(['CON-003:connect']) } },
  ],
  [
    'wants a token, and says where to get it',
    () =>
      serveOAuth({
        resource: resourceDocument,
        server: serverDocument,
        challenge: (origin) => `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      }),
    { status: false, grade: { letter: 'C', holdsDown: ['CON-005:connect'] }, layers: { oauth: { state: 'passed' } } },
  ],
  [
    'wants a token, and says nothing more',
    () => serveOAuth({ challenge: () => 'Bearer' }),
    {
      grade: { letter: 'D', holdsDown: ['CON-005:connect', 'AUTH-012:oauth'] },
      layers: { oauth: { state: 'failed' } },
    },
  ],
  [
    'has its authorization server at a private address',
    blocked,
    { layers: { oauth: { state: 'not-evaluated', skipped: expect.stringContaining('blocks') } } },
  ],
  [
    'cuts each handshake',
    () =>
      serveScript({}, ({ method, socket }) => {
        if (method === 'POST') socket.destroy();
        return method === 'POST';
      }),
    { status: false, layers: { mcp: { state: 'not-evaluated' } } },
  ],
  ['is a website that refuses POST', () => listen(website), { status: true, grade: { letter: 'A', holdsDown: [] } }],
  [
    'has tools that only fail',
    () => serveSdk2({ call: () => ({ isError: true, content: [{ type: 'text', text: 'offline' }] }) }),
    { layers: { payment: { state: 'not-evaluated' } } },
  ],
  ['has not what was asked for', serveSdk2, { status: false, grade: nothing }, { layers: ['apps'] }],
  ['is asked for HTTP only', serveSdk2, { status: true, grade: { letter: 'A' } }, { layers: ['http'] }],
  ['gets an unknown option', serveSdk2, { grade: { letter: 'A' } }, { unknown: 1 } as object],
  [
    'has an expired certificate',
    () => listenTls(website, { certificate: trustedCertificate({ from: -9, to: -2 }) }),
    { grade: { letter: 'F', next: { mend: [expect.stringMatching(/^HTTP-005/)] } } },
    { ca: authority.cert },
  ],
];

test.each(rows)('a peer that %s', async (_, serve, says, options = {}) => {
  const { endpoint } = await serve();
  const result = await assess({ url: endpoint, timeout: 4000, ...options });
  expect(result).toMatchObject(says);
  expect(result.grade.letter === 'F' && (result.status || result.grade.holdsDown.length === 0)).toBe(false);
});

test('a listener that rejects ends neither the assessment nor the process', async () => {
  const { endpoint } = await serveSdk2();
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  try {
    const onLayer = (async () => Promise.reject(new Error('boom'))) as never;
    expect((await assess({ url: endpoint, timeout: 8000, onLayer })).status).toBe(true);
    await new Promise(setImmediate);
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(rejections).toEqual([]);
});
