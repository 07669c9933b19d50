import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { goodPage, servePage } from '../../../fixtures/html-cases.ts';
import { answers } from '../../../fixtures/http-cases.ts';
import { listen } from '../../../fixtures/loopback.ts';
import { serveSdk2 } from '../../../fixtures/sdk-servers.ts';
import { authority, listenTls, trustedCertificate } from '../../../fixtures/tls-servers.ts';
import { type AssessOptions, assess } from '../../assess/assess.ts';
import type { LayerResult } from '../../assess/layer-result.ts';
import { readHead } from './read-head.ts';

type Says = Record<string, unknown>;

async function htmlOf(url: string, options: Partial<AssessOptions> = {}): Promise<LayerResult> {
  const { layers } = await assess({ url, layers: ['html'], ca: authority.cert, timeout: 8000, ...options });
  return layers.html;
}

const send = answers(200, { 'content-type': 'text/html' }, goodPage);

test.each<[peer: string, serve: () => Promise<{ endpoint: string }>, says: Says]>([
  [
    'a good page',
    () => servePage(goodPage, { type: 'text/html; charset=utf-8' }),
    {
      state: 'passed',
      messages: [],
      categories: {
        isWebsite: true,
        hasTitle: true,
        hasDescription: true,
        hasOpenGraph: true,
        hasLanguage: true,
        hasValidSsl: false,
        supportsHttp2: false,
      },
      entries: {
        statusCode: 200,
        contentType: 'text/html; charset=utf-8',
        kind: 'website',
        title: 'Forecasts & more',
        description: 'Weather for agents',
        siteName: 'Forecasts Ltd',
        language: 'en-GB',
        canonicalUrl: 'https://example.com/',
        openGraph: { title: 'Forecasts', type: 'website', locale: null },
        sslStatus: 'none',
      },
    },
  ],
  [
    'a good page over HTTP/2',
    () => listenTls(send, { http2: true }),
    { categories: { hasValidSsl: true, supportsHttp2: true }, entries: { sslStatus: 'valid', alpn: 'h2' } },
  ],
  [
    'an empty page',
    () => servePage(''),
    {
      state: 'passed',
      categories: { isWebsite: true, hasTitle: false, hasDescription: false, hasOpenGraph: false, hasLanguage: false },
      findings: [{ code: 'HTML-001' }, { code: 'HTML-002' }, { code: 'HTML-003' }, { code: 'HTML-004' }],
    },
  ],
  [
    'an error page',
    () => servePage(goodPage, { status: 404 }),
    { state: 'not-detected', skipped: expect.stringContaining('an error page (status 404)') },
  ],
  [
    'an error page with status 200',
    () => servePage('<title>404 – Page not found</title>'),
    { categories: { isWebsite: false }, entries: { kind: 'error page' }, findings: [{ code: 'HTML-005' }] },
  ],
  ['a page in XHTML', () => servePage(goodPage, { type: 'application/xhtml+xml' }), { entries: { kind: 'website' } }],
  ['an invalid language', () => servePage('<html lang="english!">'), { categories: { hasLanguage: false } }],
  ['an MCP server', serveSdk2, { state: 'not-detected', skipped: expect.stringContaining('an API endpoint') }],
  ['a picture', () => servePage('', { type: 'image/png' }), { state: 'not-detected' }],
  ['nothing', async () => ({ endpoint: 'http://127.0.0.1:1/' }), { state: 'not-evaluated' }],
  [
    'an untrusted page',
    () => listenTls(send, { certificate: trustedCertificate({ names: ['example.com'] }) }),
    { state: 'not-evaluated', skipped: expect.stringContaining('TLS') },
  ],
])('on %s', async (_peer, serve, says) => {
  const { endpoint } = await serve();
  expect(await htmlOf(endpoint)).toMatchObject(says);
});

test('the page is asked for once, by all layers', async () => {
  const { endpoint, requests } = await listen(send);
  await assess({ url: endpoint, layers: ['http', 'html', 'payment'], timeout: 8000 });
  expect(requests.filter((request) => request === 'GET /mcp')).toHaveLength(1);
});

test('escapes of terminals and hidden characters do not get through', async () => {
  const { endpoint } = await servePage('<html lang="&#27;[2J"><title>\u001b[2J&#x202e;evil&#27;[2J&#xd800;</title>');
  const layer = await htmlOf(endpoint);
  expect(JSON.stringify(layer)).not.toMatch(/\\u001b|\u202e|\\ud800/i);
  expect(layer).toMatchObject({ entries: { title: ' [2J[U+202E]evil [2J\ufffd' } });
});

const head = (html: string): Record<string, unknown> => {
  const { title, language, meta } = readHead(html);
  return { title, language, description: meta.get('description') ?? null };
};

test.each<[html: string, says: Record<string, unknown>]>([
  ['<TITLE\n>One</TITLE ><title>Two</title>', { title: 'One' }],
  ['<title>a\n  b &lt;c&gt; &#169; &#xA9; &copy; &unknown;</title>', { title: 'a b <c> © © © &unknown;' }],
  ['<title>open', { title: 'open' }],
  ['<!-- <title>no</title> --><title>yes</title>', { title: 'yes' }],
  ['<script>"<title>no</title>"</script><title>yes</title>', { title: 'yes' }],
  ['<style>/* <title>no</title> */</style><title a=">">yes</title>', { title: 'yes' }],
  ['<head></head><title>no</title>', { title: null }],
  ['<body><svg><title>no</title></svg>', { title: null }],
  ['<meta content=bare name=description>', { description: 'bare' }],
  ["<META NAME='Description' CONTENT='a > b'/>", { description: 'a > b' }],
  ['<meta name="description" content="one"><meta name="description" content="two">', { description: 'one' }],
  ['<meta name="description">', { description: null }],
  ['<meta name="description" content="open', { description: 'open' }],
  [
    `<meta name="description" content="${'x'.repeat(3000)}"><title>yes</title>`,
    { description: 'x'.repeat(2000), title: 'yes' },
  ],
  ['<html lang=de>', { language: 'de' }],
  ['a < b <> </ <! <? <1 <title>yes</title>', { title: 'yes' }],
])('reads the head of %j', (html, says) => {
  expect(head(html)).toMatchObject(says);
});

it('reads any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      '<!--',
      '-->',
      '<title>',
      '</title',
      '<meta name=a content=',
      '<script',
      '&#',
    ),
    fc.string(),
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => readHead(pieces.join('')) !== undefined));
});

it.each([
  '<',
  '<a "',
  '<meta name="',
  "<a b='",
  '<!--',
  '<title',
  '<title>',
  '<script>',
  '<a =',
  '<a b   ',
  '</',
  '<meta a=a ',
  '&#1;',
  ' ',
])('reads 256 KiB of %j quickly', (piece) => {
  const html = piece.repeat(262_144 / piece.length);
  const begin = performance.now();
  readHead(html);
  readHead(`<meta ${html}`);
  expect(performance.now() - begin).toBeLessThan(1000);
});
