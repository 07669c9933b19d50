import { connect } from 'node:net';
import { posix } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { parameter } from '../e2e/support/schema-module.ts';
import { type ArrivedRequest, startUpstream } from '../e2e/support/upstream.ts';
import { type HookAttack, hooks, redirects, type ValueAttack, values } from './requests.ts';

const isCode = (outcome: string): boolean => /^[A-Z0-9_]+$/.test(outcome);

describe.each(values)('a caller who $name', ({ place, value, outcome }) => {
  test('gets out of its place where requests are put together as text', async () => {
    const { origin, requests } = await startUpstream();
    const { path, ...init } = naiveRequest(place, value);
    await fetch(`${origin}${path}`, init);
    expect(requests.map(isHarmed)).toEqual([true]);
  });

  test(outcome, async () => {
    const { origin, requests } = await startUpstream();
    const { main } = await loadLoopbackSchema({ root: origin, tool: toolFor(place) });
    const { findings } = await SchemaKit.fetch({ main, routeName: 'getThing', userParams: { q: value } });
    expect(requests.filter(isHarmed)).toEqual([]);
    if (isCode(outcome))
      expect({ codes: findings.map(({ code }) => code), requests }).toEqual({ codes: [outcome], requests: [] });
    else expect(requests.map((request) => valueIn(request, place))).toEqual([value]);
  });
});

describe.each(hooks)('a hook that $name', ({ change, harm, outcome }) => {
  test('does it where the request is written as text', async () => {
    const [own, other] = [await startUpstream(), await startUpstream()];
    const url = fill(change.url ?? '%ROOT%/', own.origin, other.origin);
    expect(url.startsWith(own.origin)).toBe(true);
    await writeRequest({ ...change, url });
    const isMoved = other.requests.length > 0 || own.requests.some(({ headers }) => headers.host === 'admin.internal');
    expect({ isMoved, isAdded: own.requests.some(({ path }) => path === '/smuggled') }).toEqual({
      isMoved: harm === 'changes the target of the request',
      isAdded: harm === 'injects into the request',
    });
  });

  test(outcome, async () => {
    const [own, other] = [await startUpstream(), await startUpstream()];
    const changed = { ...change, ...(change.url !== undefined && { url: fill(change.url, own.origin, other.origin) }) };
    const handlers = `() => ({ getThing: { preRequest: async ({ struct }) => ({ struct: { ...struct, ...${JSON.stringify(changed)} } }) } })`;
    const { main } = await loadLoopbackSchema({ root: own.origin, handlers });
    const { findings, status } = await SchemaKit.fetch({ main, routeName: 'getThing' });
    expect(other.requests).toEqual([]);
    expect(own.requests.filter(({ path }) => path === '/smuggled')).toEqual([]);
    expect(own.requests.map(({ headers }) => headers.host)).toEqual(status ? [new URL(own.origin).host] : []);
    if (isCode(outcome)) expect(findings.map(({ code }) => code)).toContain(outcome);
    else expect(status).toBe(true);
  });
});

describe.each(redirects)('an answer that $name', ({ status, location, outcome }) => {
  test('leads whoever follows it', async () => {
    const other = await startUpstream();
    const own = await startUpstream(() => ({ status, headers: { location: fill(location, '', other.origin) } }));
    await fetch(`${own.origin}/thing`, { method: 'POST', body: '{}' });
    expect(other.requests).toHaveLength(1);
  });

  test(outcome, async () => {
    const other = await startUpstream();
    const own = await startUpstream(() => ({ status, headers: { location: fill(location, '', other.origin) } }));
    const { main } = await loadLoopbackSchema({ root: own.origin, tool: { method: 'POST' } });
    const { findings } = await SchemaKit.fetch({ main, routeName: 'getThing' });
    expect({ codes: findings.map(({ code }) => code), requests: other.requests }).toEqual({
      codes: [outcome],
      requests: [],
    });
  });
});

function naiveRequest(place: ValueAttack['place'], value: string): RequestInit & { path: string } {
  switch (place) {
    case 'path':
      return { path: `/public/${value}/details` };
    case 'query':
      return { path: `/public/7/details?q=${value}&last=1` };
    case 'body':
      return { path: '/public/7/details', method: 'POST', body: `{"q":"${value}"}` };
    case 'form':
      return {
        path: '/public/7/details',
        method: 'POST',
        body: `q=${value}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      };
  }
}

function toolFor(place: ValueAttack['place']): Record<string, unknown> {
  const last = parameter('last', 'query', ['string()'], '1');
  switch (place) {
    case 'path':
      return { path: '/public/{{q}}/details', parameters: [parameter('q', 'insert')] };
    case 'query':
      return { path: '/public/7/details', parameters: [parameter('q', 'query'), last] };
    case 'body':
      return { path: '/public/7/details', method: 'POST', parameters: [parameter('q', 'body')] };
    case 'form':
      return {
        path: '/public/7/details',
        method: 'POST',
        parameters: [parameter('q', 'body')],
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      };
  }
}

/** Whether a request is another one than the tool's, for a server that decodes its path as often as it can. */
function isHarmed({ url, body, headers }: ArrivedRequest): boolean {
  const [path = '', query = ''] = url.split('?', 2);
  const plain = posix.normalize(decoded(path).replaceAll('\\', '/'));
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const fields = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body || '{}');
  const hasLost = query.startsWith('q=') && !query.endsWith('&last=1');
  return !/^\/public\/[\s\S]+\/details$/.test(plain) || /(^|&)admin=/.test(query) || 'admin' in fields || hasLost;
}

function decoded(text: string): string {
  const once = decodeURIComponent(text);
  return once === text ? text : decoded(once);
}

function valueIn({ url, query, body, headers }: ArrivedRequest, place: ValueAttack['place']): string | undefined {
  if (place === 'path') return decodeURIComponent(url.slice('/public/'.length, -'/details'.length));
  if (place === 'query') return query.q;
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return isForm ? (new URLSearchParams(body).get('q') ?? undefined) : JSON.parse(body).q;
}

function fill(text: string, root: string, other: string): string {
  return text
    .replaceAll('%ROOT%', root)
    .replaceAll('%OTHERHOST%', other.replace('http://', ''))
    .replaceAll('%OTHER%', other);
}

/** Writes a request to a socket, as a client does that checks nothing. */
async function writeRequest({
  url = '',
  method = 'GET',
  headers = {},
  body = '',
}: HookAttack['change']): Promise<void> {
  const { hostname, port, pathname, host } = new URL(url);
  const fields = Object.entries({ Host: host, 'Content-Length': String(body.length), ...headers });
  if (headers['Transfer-Encoding'] !== undefined) fields.splice(1, 1);
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.end(`${method} ${pathname} HTTP/1.1\r\n${head}\r\n${body}`);
  await new Promise((resolve) => socket.resume().on('close', resolve));
}
