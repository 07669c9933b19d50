import { expect, test } from 'vitest';
import { type Loopback, listen } from '../../fixtures/loopback.ts';
import { resourceDocument, serveOAuth, serverDocument } from '../../fixtures/oauth-site.ts';
import { evmOption, gatedResult, required, requiredV1 } from '../../fixtures/payments.ts';
import { send, sendRpc, serveScript } from '../../fixtures/scripted-server.ts';
import { plainTool, serveSdk1, serveSdk2, serveSse } from '../../fixtures/sdk-servers.ts';
import type { LayerName } from '../input/layer-names.ts';
import { type AssessOptions, assess } from './assess.ts';

const inHeader = (value: unknown): Record<string, string> => ({
  'payment-required': Buffer.from(JSON.stringify(value)).toString('base64'),
});
const site = () => listen((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'));
const gatedTool = () => serveSdk2({ call: () => gatedResult(required()) });
const paidApi = () => listen((_, response) => send(response, 402, {}, inHeader(required())));
const challenge = (origin: string) =>
  `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
const guarded = () => serveOAuth({ resource: resourceDocument, server: serverDocument, challenge });
const unknownMethod = { code: -32601, message: 'Method not found' };
const guardedTools = () =>
  serveOAuth({
    resource: resourceDocument,
    server: serverDocument,
    script: {
      'tools/call': ({ request, response }) =>
        send(response, 401, {}, { 'www-authenticate': challenge(`http://${request.headers.host}`) }),
    },
  });
const closed = async () => ({ endpoint: 'http://127.0.0.1:1/mcp' });

type Says = Record<string, unknown>;
type Row = [peer: string, serve: () => Promise<Pick<Loopback, 'endpoint'>>, layer: LayerName, says: Says];

const price = { toolName: 'forecast', text: '0.01 USDC on Base', amount: '0.01', symbol: 'USDC' };

const rows: Row[] = [
  ['a server of the second SDK', serveSdk2, 'mcp', { state: 'passed', categories: { supportsMcp: true } }],
  ['a server of the second SDK', serveSdk2, 'payment', { state: 'not-detected' }],
  ['a server of the second SDK', serveSdk2, 'oauth', { state: 'not-detected' }],
  ['a server of the first SDK', serveSdk1, 'mcp', { state: 'passed', entries: { transport: 'streamable-http' } }],
  ['a server over HTTP+SSE', serveSse, 'mcp', { state: 'passed', entries: { transport: 'sse' } }],
  ['a server without tools', () => serveSdk2({ tools: [] }), 'mcp', { categories: { hasTools: false } }],
  [
    'a server whose list fails',
    () => serveScript({ 'tools/list': ({ response }) => send(response, 500, 'broken') }),
    'mcp',
    {
      state: 'passed',
      findings: expect.arrayContaining([
        expect.objectContaining({
          id: 'CON-008:tools',
          evidence: expect.objectContaining({ status: 500, body: 'broken' }),
        }),
      ]),
    },
  ],
  [
    'a server that speaks MCP wrongly',
    () => serveScript({ initialize: ({ response, id }) => sendRpc(response, { id, result: { no: 'greeting' } }) }),
    'mcp',
    { state: 'failed', categories: { supportsMcp: false }, messages: [expect.stringMatching(/^CON-004/)] },
  ],
  [
    'an endpoint of JSON-RPC that knows no MCP',
    () => serveScript({ initialize: ({ response, id }) => sendRpc(response, { id, error: unknownMethod }) }),
    'mcp',
    { state: 'not-detected', skipped: expect.stringContaining('CON-004') },
  ],
  ['a website', site, 'mcp', { state: 'not-detected', skipped: expect.stringContaining('CON-007') }],
  ['a website', site, 'payment', { state: 'not-detected' }],
  ['a website', site, 'oauth', { state: 'not-detected' }],
  ['a broken server', () => listen((_, response) => send(response, 500, '')), 'mcp', { state: 'not-evaluated' }],
  ['a broken server', () => listen((_, response) => send(response, 500, '')), 'payment', { state: 'not-evaluated' }],
  [
    'a redirect to another origin',
    () => listen((_, response) => response.writeHead(301, { location: 'https://example.invalid/' }).end()),
    'mcp',
    { state: 'not-evaluated', skipped: expect.stringContaining('https://example.invalid/') },
  ],
  ['a server behind OAuth', guarded, 'payment', { state: 'not-evaluated' }],
  ['nothing', closed, 'mcp', { state: 'not-evaluated', skipped: expect.stringContaining('ECONNREFUSED') }],
  ['nothing', closed, 'payment', { state: 'not-evaluated' }],
  ['nothing', closed, 'oauth', { state: 'not-evaluated' }],
  [
    'a tool that is paid',
    gatedTool,
    'payment',
    {
      state: 'passed',
      categories: { supportsX402: true, hasValidPaymentRequirements: true, supportsEvm: true, supportsSolana: false },
      entries: { prices: [price] },
    },
  ],
  ['a tool that is paid', gatedTool, 'mcp', { state: 'passed' }],
  [
    'a tool whose terms are wrong',
    () => serveSdk2({ call: () => gatedResult(required({ accepts: [evmOption({ amount: '0' })] })) }),
    'payment',
    {
      state: 'failed',
      categories: { hasValidPaymentRequirements: false },
      findings: [
        { code: 'PRB-007' },
        { id: 'PAY-063:payment[forecast].accepts[0].amount', evidence: { request: 'tools/call forecast' } },
      ],
    },
  ],
  [
    'a tool that advertises its price',
    () => serveSdk2({ tools: [{ ...plainTool, _meta: { 'agents-x402/priceUSD': 0.01 } }] }),
    'payment',
    { state: 'passed', categories: { supportsX402: false }, findings: [{ code: 'PRB-012' }] },
  ],
  [
    'a tool whose `_meta` has no readable price',
    () => serveSdk2({ tools: [{ ...plainTool, _meta: { x402: 5, 'agents-x402/priceUSD': 'x' } }] }),
    'payment',
    { state: 'not-detected' },
  ],
  [
    'a tool whose price has wrong types',
    () => serveSdk2({ call: () => gatedResult(required({ accepts: [evmOption({ amount: 1e30, asset: [] })] })) }),
    'payment',
    { state: 'failed', entries: { prices: [{ text: 'a price that cannot be read' }] } },
  ],
  [
    'a paid API without MCP',
    paidApi,
    'payment',
    { state: 'passed', entries: { prices: [{ toolName: '(endpoint)', text: '0.01 USDC on Base' }] } },
  ],
  ['a paid API without MCP', paidApi, 'mcp', { state: 'not-evaluated', skipped: expect.stringContaining('CON-006') }],
  [
    'a paid page beside a free server',
    () =>
      serveScript({}, ({ method }, response) => {
        if (method === 'GET') send(response, 402, requiredV1());
        return method === 'GET';
      }),
    'payment',
    {
      state: 'passed',
      entries: { version: 1, prices: [{ toolName: '(GET)', text: '0.01 USDC on Base' }] },
      findings: [{ code: 'PAY-013', evidence: { request: expect.stringMatching(/^GET http/), status: 402 } }],
    },
  ],
  [
    'a URL that is paid by another protocol',
    () => listen((_, response) => send(response, 402, {}, { 'www-authenticate': 'Payment id="1"' })),
    'payment',
    { state: 'passed', categories: { supportsX402: false }, findings: [{ code: 'PRB-014', severity: 'INFO' }] },
  ],
  [
    'a URL that is paid by Lightning',
    () =>
      listen((_, response) => send(response, 402, {}, { 'www-authenticate': 'L402 macaroon="a", invoice="lnbc1"' })),
    'payment',
    { state: 'passed', categories: { supportsX402: false }, findings: [{ code: 'PRB-014', severity: 'INFO' }] },
  ],
  [
    'a server behind OAuth',
    guarded,
    'oauth',
    {
      state: 'passed',
      categories: { supportsOAuth: true, supportsPkce: true, hasValidOAuthConfig: true },
      entries: { isRequired: true, scopesSupported: ['read'] },
      findings: [{ code: 'AUTH-010', evidence: { status: 401 } }, { code: 'AUTH-011' }],
    },
  ],
  ['a server behind OAuth', guarded, 'mcp', { state: 'not-evaluated', skipped: expect.stringContaining('CON-005') }],
  [
    'a server behind OAuth without PKCE',
    () =>
      serveOAuth({
        resource: resourceDocument,
        server: (origin) => serverDocument(origin, { code_challenge_methods_supported: [] }),
        challenge,
      }),
    'oauth',
    {
      state: 'passed',
      categories: { supportsPkce: false },
      findings: expect.arrayContaining([
        expect.objectContaining({ code: 'AUTH-003', evidence: expect.objectContaining({ body: expect.any(String) }) }),
      ]),
    },
  ],
  [
    'metadata of another resource',
    () =>
      serveOAuth({
        resource: (origin) => resourceDocument(origin, { resource: 'https://bank.example/' }),
        server: serverDocument,
        challenge,
      }),
    'oauth',
    { state: 'failed', messages: expect.arrayContaining([expect.stringMatching(/^AUTH-012 .*another resource/)]) },
  ],
  [
    'URLs for login that are not https',
    () => {
      const server = (origin: string) => serverDocument(origin, { authorization_endpoint: 'javascript:alert(1)' });
      return serveOAuth({ resource: resourceDocument, server, challenge });
    },
    'oauth',
    { state: 'failed', messages: expect.arrayContaining([expect.stringMatching(/^AUTH-012 .*no .* has https URLs/)]) },
  ],
  [
    'metadata of another resource, advertised only',
    () =>
      serveOAuth({
        resource: (origin) => resourceDocument(origin, { resource: 'https://bank.example/' }),
        server: serverDocument,
      }),
    'oauth',
    {
      state: 'passed',
      findings: expect.arrayContaining([expect.objectContaining({ code: 'AUTH-012', severity: 'WARNING' })]),
    },
  ],
  [
    'an authorization server that hangs',
    () => {
      const resource = (origin: string) => resourceDocument(origin, { authorization_servers: [`${origin}/hangs`] });
      return serveOAuth({ resource, challenge, hangs: '/hangs' });
    },
    'oauth',
    { state: 'not-evaluated', skipped: expect.stringContaining('in time') },
  ],
  [
    'HTTP Basic',
    () => serveOAuth({ challenge: () => 'Basic realm="x"' }),
    'oauth',
    { state: 'not-detected', skipped: expect.stringContaining('Basic') },
  ],
  [
    'an authorization server with more scopes than the server',
    () =>
      serveOAuth({
        resource: resourceDocument,
        server: (origin) => serverDocument(origin, { scopes_supported: ['read', 'openid'] }),
        challenge,
      }),
    'oauth',
    {
      messages: expect.arrayContaining([
        'AUTH-011 oauth: Scopes: `read`; only the authorization server names `openid`',
      ]),
    },
  ],
  [
    'a server that asks for OAuth at its tools only',
    guardedTools,
    'oauth',
    { state: 'passed', entries: { isRequired: true } },
  ],
];

test.each(rows)('on %s (case %$)', async (_peer, serve, layer, says) => {
  const { endpoint } = await serve();
  const { layers } = await assess({ url: endpoint, timeout: 8000 });
  expect(layers[layer]).toMatchObject(says);
});

test.each<[Partial<AssessOptions>, LayerName, Says]>([
  [{ probe: 'none' }, 'payment', { state: 'not-evaluated', skipped: expect.stringContaining('0 of 1') }],
  [{ probe: 'safe' }, 'payment', { state: 'not-evaluated', skipped: expect.stringContaining('probe: safe') }],
  [{ headers: { authorization: 'Bearer good-token' } }, 'oauth', { state: 'not-evaluated' }],
  [{ publicOnly: true }, 'mcp', { state: 'not-evaluated', skipped: expect.stringContaining('CON-002') }],
])('with %j', async (options, layer, says) => {
  const { endpoint, requests } = await serveSdk2();
  const { layers } = await assess({ url: endpoint, timeout: 8000, ...options });
  expect(layers[layer]).toMatchObject(says);
  if (options.publicOnly) expect(requests).toEqual([]);
});

test('nothing is asked twice, even if authorization is looked for twice', async () => {
  const { endpoint, requests } = await guardedTools();
  await assess({ url: endpoint, timeout: 8000 });
  // The client of MCP opens a stream with a GET of its own.
  const gets = requests.filter((request) => request.startsWith('GET /.well-known/'));
  expect(gets.length).toBeGreaterThan(0);
  expect(gets.filter((request, index) => gets.indexOf(request) !== index)).toEqual([]);
  expect(requests.filter((request) => request.startsWith('HEAD'))).toEqual([]);
});

test('an assessment of a small server makes few requests', async () => {
  const { endpoint, requests } = await serveSdk2();
  await assess({ url: endpoint });
  // Change it only with a layer that needs more; bench/validator.ts prints the number.
  expect(requests).toHaveLength(16);
});

test('a single cookie that the server repeats is masked', async () => {
  const { endpoint } = await serveScript({
    'tools/list': ({ response }) => send(response, 500, 'The session COOKIEVALUE77 is over'),
  });
  const result = await assess({ url: endpoint, headers: { Cookie: 'sid=COOKIEVALUE77; theme=OTHERVALUE88' } });
  expect(JSON.stringify(result)).not.toContain('COOKIEVALUE77');
});

test('credentials that the server repeats are masked, in evidence too', async () => {
  const { endpoint } = await serveScript({
    'tools/list': ({ request, response }) => send(response, 500, `No: ${request.headers.authorization}`),
  });
  const told: unknown[] = [];
  const result = await assess({
    url: `${endpoint}?key=top-secret-key`,
    headers: { authorization: 'Bearer top-secret-token' },
    onLayer: (_, layer) => told.push(layer),
  });
  expect(JSON.stringify([result, told])).not.toMatch(/top-secret/);
  expect(JSON.stringify(result)).toContain('[REDACTED]');
  expect(result.entries.endpoint).toBe(`${endpoint}?key=REDACTED`);
});
