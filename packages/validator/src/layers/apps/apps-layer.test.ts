import { describe, expect, test } from 'vitest';
import { appPage, serveApps, serveExtApps } from '../../../fixtures/app-servers.ts';
import { type Loopback, listen } from '../../../fixtures/loopback.ts';
import { send, serveScript } from '../../../fixtures/scripted-server.ts';
import { serveSdk1, serveSdk2 } from '../../../fixtures/sdk-servers.ts';
import { assess } from '../../assess/assess.ts';

type Says = Record<string, unknown>;
type Row = [peer: string, serve: () => Promise<Pick<Loopback, 'endpoint'>>, says: Says];

const look = async (endpoint: string, timeout = 8000) =>
  (await assess({ url: endpoint, layers: ['apps'], timeout })).layers.apps;
const uri = 'ui://weather/view.html';
const ui = (meta: Says) => () => serveApps({ content: { _meta: { ui: meta } } });
const page = (text: unknown) => () => serveApps({ content: { text } });
const external = appPage.replace('</head>', '<link rel="stylesheet" href="https://cdn.example/a.css"></head>');

const all = {
  isReachable: true,
  supportsMcp: true,
  supportsMcpApps: true,
  hasUiResources: true,
  hasUiToolLinkage: true,
  hasValidUiHtml: true,
  hasValidCsp: true,
  supportsTheming: true,
  supportsDisplayModes: false,
  hasToolVisibility: false,
  hasValidPermissions: true,
  hasGracefulDegradation: true,
};
const csp = {
  connectDomains: ['https://api.example', 'wss://live.example'],
  resourceDomains: ['https://*.cdn.example'],
  frameDomains: [],
  baseUriDomains: [],
};

const rows: Row[] = [
  [
    'a server of ext-apps',
    serveExtApps,
    {
      state: 'passed',
      messages: [],
      categories: all,
      entries: { uiResourceCount: 1, uiLinkedTools: [{ name: 'show_weather', resourceUri: uri }], isComplete: true },
    },
  ],
  [
    'a policy in the listing',
    () => serveExtApps({ csp, permissions: { geolocation: {} } }),
    {
      messages: [],
      entries: {
        cspSummary: { connectDomains: csp.connectDomains, resourceDomains: csp.resourceDomains, frameDomains: [] },
        permissionsSummary: ['geolocation'],
        uiResources: [{ hasCsp: true, hasPermissions: true }],
      },
    },
  ],
  [
    'a policy that the content replaces',
    ui({ csp: { connectDomains: ['https://b.example'] } }),
    { messages: [], entries: { cspSummary: { connectDomains: ['https://b.example'] } } },
  ],
  [
    'a page in base64',
    () => serveApps({ content: { text: undefined, blob: Buffer.from(appPage).toString('base64') } }),
    { messages: [], categories: all },
  ],
  [
    'the outdated key',
    () => serveApps({ tool: { 'ui/resourceUri': uri } }),
    { categories: { hasUiToolLinkage: true }, findings: [{ code: 'UIV-065' }] },
  ],
  [
    'a tool for apps only',
    () => serveApps({ tool: { ui: { visibility: ['app'] } } }),
    {
      categories: { hasToolVisibility: true, hasUiToolLinkage: false },
      entries: { appOnlyToolCount: 1 },
      findings: [{ code: 'UIV-062' }],
    },
  ],
  ['a page without themes', page(appPage.replace('color-scheme', 'color')), { categories: { supportsTheming: false } }],
  [
    'a page of display modes',
    page(appPage.replace('<body>', '<body><script>app.requestDisplayMode({})</script>')),
    { categories: { supportsDisplayModes: true } },
  ],
  [
    'a page without a fallback',
    page(appPage.replace('noscript', 'p')),
    { categories: { hasGracefulDegradation: false } },
  ],
  [
    'a page that loads from elsewhere',
    page(external),
    {
      categories: { hasValidCsp: false },
      findings: [{ code: 'UIV-020', text: expect.stringContaining('https://cdn.example') }],
    },
  ],
  [
    'the same with its policy',
    () => serveApps({ content: { text: external, _meta: { ui: { csp } } } }),
    { messages: [], categories: { hasValidCsp: true } },
  ],
  [
    'an open policy',
    ui({ csp: { connectDomains: ['https://*', '*.com', 'http://localhost:3000'] } }),
    { categories: { hasValidCsp: false }, findings: [{ code: 'UIV-022' }] },
  ],
  ['an unknown permission', ui({ permissions: { bluetooth: {} } }), { categories: { hasValidPermissions: false } }],
  ['no HTML', page('Hello'), { state: 'passed', categories: { hasValidUiHtml: false, hasValidCsp: false } }],
  [
    'only the extension',
    () => serveScript({ capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/ui': {} } } }),
    { state: 'passed', messages: [], categories: { hasUiResources: false } },
  ],
  [
    'a plain server, second SDK',
    () => serveSdk2({ resources: [{ uri: 'file:///a', name: 'a' }] }),
    { state: 'not-detected' },
  ],
  ['a plain server, first SDK', () => serveSdk1(), { state: 'not-detected' }],
  [
    'a website',
    () => listen((_, response) => send(response, 200, '<html>', { 'content-type': 'text/html' })),
    { state: 'not-detected' },
  ],
  ['nothing', async () => ({ endpoint: 'http://127.0.0.1:1/mcp' }), { state: 'not-evaluated' }],
  [
    'a list that fails',
    () => serveScript({ 'tools/list': ({ response }) => send(response, 500, '') }),
    { state: 'not-evaluated' },
  ],
];

test.each(rows)('on %s', async (_peer, serve, says) => {
  expect(await look((await serve()).endpoint)).toMatchObject(says);
});

describe('a hostile peer', () => {
  test.each<[string, () => Promise<Loopback>, Says]>([
    [
      'that never sends its page',
      () =>
        serveScript({
          capabilities: { resources: {} },
          'resources/list': { resources: [{ uri, name: 'a' }] },
          'resources/read': () => {},
        }),
      {
        detected: true,
        categories: { hasValidPermissions: false },
        entries: { isComplete: false },
        findings: expect.arrayContaining([expect.objectContaining({ code: 'UIR-001' })]),
      },
    ],
    [
      'with metadata of wrong types',
      () =>
        serveApps({
          content: { _meta: { ui: { csp: { connectDomains: [7, null, {}], frameDomains: 'x' }, permissions: 5 } } },
          tool: { ui: { resourceUri: 5, visibility: { a: 1 } } },
        }),
      { detected: true },
    ],
    [
      'with escapes in its names',
      ui({ permissions: { '\u001b[2J\u202e': {} } }),
      { messages: [expect.not.stringMatching(/[\p{Cc}\u202e]/u)] },
    ],
    ['with tags that never end', page(`<html>${'<script '.repeat(200_000)}`), { detected: true }],
    [
      'with 1,000 resources',
      () =>
        serveScript({
          capabilities: { resources: {} },
          'resources/list': {
            resources: Array.from({ length: 1000 }, (_, index) => ({ uri: `ui://a/${index}`, name: 'a' })),
          },
          'resources/read': { contents: [{ text: appPage }] },
        }),
      {
        entries: { uiResourceCount: 1000, isComplete: false },
        messages: expect.arrayContaining(['UIR-003 resources: Only 20 of 1000 UI resources were looked at']),
      },
    ],
  ])('%s', async (_, serve, says) => {
    const { endpoint } = await serve();
    const begin = performance.now();
    expect(await look(endpoint, 3000)).toMatchObject(says);
    expect(performance.now() - begin).toBeLessThan(8000);
  });
});
