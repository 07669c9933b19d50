import { SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { parameter } from '../e2e/support/schema-module.ts';
import { type ArrivedRequest, type Reply, startUpstream, type Upstream } from '../e2e/support/upstream.ts';
import { type PageAttack, pageAttacks } from './pages.ts';

const secret = 'k3yKx7Qz9wLmT4v';
const muchBytes = 20_000_000;
const manyPages = 60;

describe.each(pageAttacks)('an API that $name', (attack) => {
  const { harm, outcome, isGranted } = attack;

  test('harms who follows it', async () => {
    const apis = await startApis(attack);
    const told = await gatherNaively(apis.own, attack);
    expect(harmsIn(apis, told)).toContain(harm);
  });

  test(outcome, async () => {
    const { own, other } = await startApis(attack);
    const { main } = await loadLoopbackSchema({
      root: own.origin,
      main: { requiredServerParams: ['KEY'], headers: { 'X-Key': '{{KEY}}' } },
      tool: {
        parameters: [parameter('cursor', 'query', ['string()', 'optional()'])],
        pagination: paginationOf(attack),
      },
      ...(isGranted && { options: { grants: { network: [other.origin] } } }),
    });
    // Where something else than the deadline has to end it, a busy machine gets its time.
    const timeoutMs = attack.does === 'sends nothing more' ? 500 : 20_000;
    const serverParams = { KEY: secret };
    const result = await SchemaKit.fetch({ main, routeName: 'getThing', serverParams, timeoutMs });
    expect(harmsIn({ own, other }, JSON.stringify(result))).toEqual([]);
    expect(result.status).toBe(true);
    expect(own.requests[0]?.headers['x-key']).toBe(secret);
    if (outcome === 'PAGES_LEFT') expect(result.findings.map(({ code }) => code)).toEqual([outcome]);
    if (outcome === 'without the secret') expect(other.requests).toHaveLength(1);
    if (outcome === 'treated as text') expect(own.requests[1]?.query.cursor).toBe(attack.next);
  });
});

function paginationOf({ style }: PageAttack): Record<string, unknown> {
  const pages = { items: 'items', maxPages: 50 };
  if (style === 'page') return { style, parameter: 'page', ...pages };
  if (style === 'cursor') return { style, parameter: 'cursor', next: 'next', ...pages };
  return { style: 'link', ...(style === 'body' && { next: 'next' }), ...pages };
}

/** What was done with the requests that arrived, and with what the caller was told. */
function harmsIn({ own, other }: { own: Upstream; other: Upstream }, told: string): string[] {
  const requests = [...own.requests, ...other.requests];
  const signs = {
    'leaks a secret':
      // A host is written in lower case.
      told.toLowerCase().includes(secret.toLowerCase()) ||
      other.requests.some(({ headers }) => 'x-key' in headers) ||
      // Where nobody gave it as a cursor, it was put into a URL, which is logged.
      (told.includes('{{KEY}}') && own.requests.some(({ query }) => query.cursor === secret)),
    'changes the target of the request': own.requests.some(({ path }) => path === '/admin'),
    'injects into the request': own.requests.some(({ query }) => 'admin' in query),
    floods: requests.length >= manyPages,
    'exhausts memory': told.length >= muchBytes,
    'hangs the calling process': told === 'hangs',
  };
  return Object.entries(signs).flatMap(([harm, isSeen]) => (isSeen ? harm : []));
}

/** The API, and another origin that keeps what it gets. */
async function startApis(attack: PageAttack): Promise<{ own: Upstream; other: Upstream }> {
  const { style, does, next = '' } = attack;
  const origins = { own: '', other: '' };
  const fill = (text: string) =>
    text
      .replaceAll('%OWN%', origins.own)
      .replaceAll('%OTHERHOST%', origins.other.replace('http://', ''))
      .replaceAll('%OTHER%', origins.other)
      .replaceAll('%KEY%', secret);
  const page = (request: ArrivedRequest, count: number): Reply => {
    const isLast = does === undefined && next !== '/thing' && count > 1;
    const given = does === 'goes on for ever' ? (style === 'body' ? `/thing?at=${count}` : `at-${count}`) : fill(next);
    const link = style === 'link' && !isLast ? { link: `<${given}>; rel="next"` } : undefined;
    const items = [does === 'sends much' ? 'x'.repeat(3_000_000 + count) : `${request.url} ${count}`];
    return { ...(link && { headers: link }), body: { items, next: isLast ? null : given } };
  };
  const other = await startUpstream(({ headers: _, ...request }) => page({ ...request, headers: {} }, 1));
  const own = await startUpstream((request, count) => {
    const isMoved = (does === 'redirects the next page' && count > 1) || does === 'redirects all pages';
    if (isMoved && request.path !== '/admin') return { status: 302, headers: { location: `${other.origin}/moved` } };
    if (does === 'sends nothing more' && count > 1) return new Promise(() => undefined);
    return page(request, count);
  });
  Object.assign(origins, { own: own.origin, other: other.origin });
  return { own, other };
}

/** Gathers pages as many programs do, and tells how to go on. */
async function gatherNaively({ origin }: Upstream, { style, does }: PageAttack): Promise<string> {
  if (does === 'sends nothing more') {
    const waited = new Promise<string>((resolve) => setTimeout(resolve, 1000, 'hangs'));
    return Promise.race([waited, gatherAll(origin, style)]);
  }
  return gatherAll(origin, style);
}

async function gatherAll(origin: string, style: PageAttack['style']): Promise<string> {
  let told = '';
  let url = `${origin}/thing`;
  for (let count = 1; count <= manyPages && told.length < muchBytes; count += 1) {
    const response = await fetch(url, { headers: { 'x-key': secret } }).catch(() => undefined);
    if (response === undefined) return told;
    const { items, next } = (await response.json()) as { items: string[]; next: string | null };
    const link = /<([^>]*)>/.exec(response.headers.get('link') ?? '')?.[1];
    const given = style === 'link' ? link : style === 'page' ? String(count + 1) : next;
    told += `${items.join()} and more at ${given}`;
    if (given === null || given === undefined) return told;
    const template = style === 'page' ? `${origin}/thing?page=${given}` : `${origin}/thing?cursor=${given}`;
    url =
      style === 'link' || style === 'body' ? new URL(given, response.url).href : template.replace('{{KEY}}', secret);
  }
  return told;
}
