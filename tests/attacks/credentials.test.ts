import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { SchemaKit } from '@schemakit/core';
import qs from 'qs';
import { describe, expect, test } from 'vitest';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { type ArrivedRequest, type Reply, startUpstream, type Upstream } from '../e2e/support/upstream.ts';
import {
  issuerAttacks,
  type SignedAttack,
  signedAttacks,
  strangerAttacks,
  tenantAttack,
  tokenAttacks,
} from './credentials.ts';

const client = { CLIENT_ID: 'the-client', CLIENT_SECRET: 'cl1ent+s3cret/of=the&shop' };
const token = 't0ken-of-the-client';
const manyRequests = 20;

type Answer = (request: ArrivedRequest, count: number) => Reply | Promise<Reply>;

const give: Answer = () => ({ body: { access_token: token, token_type: 'Bearer', expires_in: 600 } });

describe.each(issuerAttacks)('a token endpoint that $name', ({ does, harm, outcome }) => {
  const answer =
    (other: Upstream): Answer =>
    ({ body, headers: { authorization = '' } }) => {
      const sent = new URLSearchParams(body).get('client_secret') ?? '';
      const tell = (error_description: string) => ({
        status: 400,
        body: { error: 'invalid_client', error_description },
      });
      if (does === 'redirects') return { status: 307, headers: { location: `${other.origin}/token` } };
      if (does === 'repeats the secret') return tell(`${sent} is wrong`);
      if (does === 'repeats the secret late') return tell(`${'x'.repeat(270)} ${sent}`);
      if (does === 'repeats the header') return tell(`${authorization} is wrong`);
      if (does === 'is silent') return new Promise(() => undefined);
      return { body: { access_token: `${token}\r\nX-Admin: 1`, token_type: 'Bearer' } };
    };
  const isBasic = does === 'repeats the header';

  test('harms who asks it', async () => {
    const { own, other } = await startOwnAndOther();
    const issuer = await startUpstream(answer(other));
    const waited = new Promise<string>((resolve) => setTimeout(resolve, 1000, 'hangs'));
    const told = await Promise.race([callNaively(issuer.origin, own.origin, { isBasic }), waited]);
    expect(harmsIn({ own, other, issuer }, told)).toContain(harm);
  });

  test(outcome, async () => {
    const { own, other } = await startOwnAndOther();
    const issuer = await startUpstream(answer(other));
    const result = await call(own, issuer, { isBasic, ...(does === 'is silent' && { timeoutMs: 500 }) });
    expect(harmsIn({ own, other, issuer }, JSON.stringify(result))).toEqual([]);
    expect(own.requests).toEqual([]);
    expect(result.findings.map(({ code }) => code)).toEqual([outcome === 'masked' ? 'TOKEN_REFUSED' : outcome]);
  });
});

describe.each(tokenAttacks)('an API that $name', ({ does, harm, outcome }) => {
  const answer =
    (other: Upstream): Answer =>
    ({ headers }) => {
      if (does === 'refuses every token') return { status: 401, body: headers };
      return does === 'redirects' ? { status: 302, headers: { location: `${other.origin}/` } } : { body: headers };
    };

  test('harms who sends it one', async () => {
    const other = await startUpstream();
    const [own, issuer] = [await startUpstream(answer(other)), await startUpstream(give)];
    const told = await callNaively(issuer.origin, own.origin);
    expect(harmsIn({ own, other, issuer }, told)).toContain(harm);
  });

  test(outcome, async () => {
    const other = await startUpstream(() => ({ body: {} }));
    const [own, issuer] = [await startUpstream(answer(other)), await startUpstream(give)];
    const result = await call(own, issuer, { network: [other.origin] });
    expect(harmsIn({ own, other, issuer }, JSON.stringify(result))).toEqual([]);
    if (outcome === 'HTTP_401') expect(result.findings.map(({ code }) => code)).toEqual([outcome]);
    else expect(result.status).toBe(true);
    if (does === 'redirects') expect(other.requests).toHaveLength(1);
  });
});

const key = 'k3y-of-the-desk';

describe.each(signedAttacks)('a caller who $name, for a $by', ({ by, parameter, value, outcome }) => {
  test('is believed where requests are put together as text', async () => {
    const { origin, requests } = await startUpstream();
    await writeRequest(origin, naiveRequest(by, parameter, value));
    expect(requests.map((request) => problemOf(request, by))).toEqual([expect.any(String)]);
  });

  test(outcome, async () => {
    const { origin, requests } = await startUpstream();
    const { key: name, location, primitive = 'string()', style } = parameter;
    const position = { key: name, location, value: '{{USER_PARAM}}', ...(style !== undefined && { style }) };
    const { main } = await loadLoopbackSchema({
      root: origin,
      main: { requiredServerParams: ['KEY'], ...declared[by] },
      tool: { parameters: [{ position, z: { primitive, options: [] } }] },
    });
    const userParams = { [name]: value };
    const result = await SchemaKit.fetch({ main, routeName: 'getThing', userParams, serverParams: { KEY: key } });
    if (outcome !== 'no effect') expect(result.findings.map(({ code }) => code)).toEqual([outcome]);
    expect(requests.map((request) => problemOf(request, by))).toEqual(outcome === 'no effect' ? [undefined] : []);
  });
});

describe.each(strangerAttacks)('a schema from elsewhere that $name', ({ tokenUrl, outcome }) => {
  test('gets it where clients do not know who asks', async () => {
    const own = await startUpstream();
    const issuer = await startUpstream(give);
    const endpoint = tokenUrl === 'own' ? await startUpstream(give) : issuer;
    await callNaively(endpoint.origin, own.origin);
    expect(tells(JSON.stringify([own.requests, endpoint === issuer ? [] : endpoint.requests]))).toBe(true);
  });

  test(outcome, async () => {
    const own = await startUpstream();
    const issuer = await startUpstream(give);
    const endpoint = tokenUrl === 'own' ? await startUpstream(give) : issuer;
    // The client is allowed for the honest endpoint, and its id also for the stranger.
    const send = { CLIENT_ID: [issuer.origin, own.origin, endpoint.origin], CLIENT_SECRET: [issuer.origin] };
    const network = [own.origin, issuer.origin, endpoint.origin];
    const result = await call(own, endpoint, { network, send });
    expect([own.requests, endpoint.requests]).toEqual([[], []]);
    expect(result.findings.map(({ code }) => code)).toEqual([outcome]);
  });
});

describe(`a tenant who ${tenantAttack.name}`, () => {
  const answer: Answer = ({ body }) =>
    body.includes(new URLSearchParams(client).get('CLIENT_SECRET') ?? '') ||
    new URLSearchParams(body).get('client_secret') === client.CLIENT_SECRET
      ? { body: { access_token: token, token_type: 'Bearer', expires_in: 600 } }
      : { status: 401, body: { error: 'invalid_client' } };

  test('gets its token where tokens are kept by client id', async () => {
    const issuer = await startUpstream(answer);
    const kept = new Map<string, unknown>();
    const tokenOf = async (id: string, secret: string) => {
      const given = kept.get(id) ?? (await (await askToken(issuer.origin, { id, secret })).json());
      kept.set(id, given);
      return JSON.stringify(given);
    };
    await tokenOf(client.CLIENT_ID, client.CLIENT_SECRET);
    expect(await tokenOf(client.CLIENT_ID, 'another secret')).toContain(token);
  });

  test(tenantAttack.outcome, async () => {
    const [own, issuer] = [await startUpstream(), await startUpstream(answer)];
    expect((await call(own, issuer)).status).toBe(true);
    const other = await call(own, issuer, { serverParams: { ...client, CLIENT_SECRET: 'another secret' } });
    expect(other.findings.map(({ code }) => code)).toEqual([tenantAttack.outcome]);
    expect(own.requests).toHaveLength(1);
  });
});

async function startOwnAndOther(): Promise<{ own: Upstream; other: Upstream }> {
  return { own: await startUpstream(), other: await startUpstream(give) };
}

interface CallOptions {
  isBasic?: boolean;
  timeoutMs?: number;
  network?: string[];
  /** Of a schema from elsewhere. */
  send?: Record<string, string[]>;
  serverParams?: Record<string, string>;
}

async function call(
  own: Upstream,
  issuer: Upstream,
  { isBasic = false, timeoutMs, network, send, serverParams = client }: CallOptions = {},
) {
  const tokenUrl = `${issuer.origin}/token`;
  const ids = { clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' };
  const authMethod = isBasic ? 'basic' : 'body';
  const auth = { type: 'oauth2', flow: 'clientCredentials', tokenUrl, ...ids, authMethod };
  const { main } = await loadLoopbackSchema({
    root: own.origin,
    main: { requiredServerParams: Object.keys(client), auth },
    options: { ...(send && { approveRoot: false }), grants: { network: network ?? [], send: send ?? {} } },
  });
  return SchemaKit.fetch({ main, routeName: 'getThing', serverParams, ...(timeoutMs !== undefined && { timeoutMs }) });
}

/** Whether a text has the client secret, its beginning, or the token, in any of the forms in which they are sent. */
function tells(text: string): boolean {
  const { CLIENT_ID: id, CLIENT_SECRET: secret } = client;
  const forms = [secret.slice(0, 12), encodeURIComponent(secret), btoa(`${id}:${encodeURIComponent(secret)}`), token];
  return forms.some((form) => text.includes(form));
}

function harmsIn({ own, other, issuer }: Record<'own' | 'other' | 'issuer', Upstream>, told: string): string[] {
  const signs = {
    'leaks a secret': tells(told) || tells(JSON.stringify(other.requests)),
    'injects into the request': own.requests.some(({ headers }) => 'x-admin' in headers),
    floods: issuer.requests.length >= manyRequests,
    'hangs the calling process': told === 'hangs',
  };
  return Object.entries(signs).flatMap(([harm, isSeen]) => (isSeen ? harm : []));
}

function askToken(url: string, { id = client.CLIENT_ID, secret = client.CLIENT_SECRET, isBasic = false } = {}) {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(!isBasic && { client_id: id, client_secret: secret }),
  });
  const authorization = `Basic ${btoa(`${id}:${encodeURIComponent(secret)}`)}`;
  return fetch(url, { method: 'POST', body, ...(isBasic && { headers: { authorization } }) });
}

/** A client that follows every redirect, tries until it is let in, writes what it gets, and tells all. */
async function callNaively(tokenUrl: string, apiUrl: string, options: { isBasic?: boolean } = {}): Promise<string> {
  for (let count = 0; count < manyRequests; count += 1) {
    const asked = await askToken(tokenUrl, options);
    const answer = await asked.text();
    if (!asked.ok) return answer;
    const { access_token: given } = JSON.parse(answer);
    const told = await writeRequest(apiUrl, { headers: { Authorization: `Bearer ${given}` } });
    const location = /location: (\S+)/i.exec(told)?.[1];
    if (location !== undefined) await writeRequest(location, { headers: { Authorization: `Bearer ${given}` } });
    if (!told.startsWith('HTTP/1.1 401')) return told;
  }
  return '';
}

/** Writes a request to a socket as it is, and gives the answer. */
async function writeRequest(
  origin: string,
  { query = '', headers }: { query?: string; headers: Record<string, string> },
): Promise<string> {
  const { hostname, port, host } = new URL(origin);
  const head = Object.entries({ Host: host, Connection: 'close', ...headers }).map(
    ([name, text]) => `${name}: ${text}\r\n`,
  );
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`GET /thing${query} HTTP/1.1\r\n${head.join('')}\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const hmac = { type: 'hmac', algorithm: 'sha256', secret: '{{KEY}}', message: '{{query}}', encoding: 'hex' };
const apiKey = { type: 'apiKey', name: 'key', value: '{{KEY}}' };

const declared: Record<SignedAttack['by'], Record<string, unknown>> = {
  'signature in the query': { signature: { ...hmac, in: 'query', name: 'signature' } },
  'signature in a header': { signature: { ...hmac, in: 'header', name: 'X-Signature' } },
  'key in the query': { auth: { ...apiKey, in: 'query' } },
  'key in a cookie': { auth: { ...apiKey, in: 'cookie' } },
  token: { auth: { type: 'bearer', token: '{{KEY}}' } },
};

const mac = (text: string): string => createHmac('sha256', key).update(text).digest('hex');

/** The request with the value as it is, before the credential. */
function naiveRequest(by: SignedAttack['by'], { key: name, location }: SignedAttack['parameter'], value: unknown) {
  const pairs = typeof value === 'string' ? [[name, value]] : Object.entries(value as Record<string, string>);
  const written = pairs.map(([one, text]) => `${one}=${text}`).join('&');
  const query = location === 'query' ? written : '';
  const headers = location === 'header' ? { [name]: String(value) } : {};
  if (by === 'signature in the query') return { query: `?${query}&signature=${mac(query)}`, headers };
  if (by === 'signature in a header') return { headers: { ...headers, 'X-Signature': mac(query) } };
  if (by === 'key in the query') return { query: `?${query}&key=${key}`, headers };
  if (by === 'key in a cookie') return { headers: { Cookie: `${written}; key=${key}` } };
  return { headers: { ...headers, Authorization: `Bearer ${key}` } };
}

/** What is wrong with the credential that an API reads; undefined if it is the right one, once, and nothing was added. */
function problemOf({ url, headers }: ArrivedRequest, by: SignedAttack['by']): string | undefined {
  const [, search = ''] = url.split('?');
  const query = qs.parse(search);
  if ('admin' in query) return 'a parameter was added';
  const cookies = (headers.cookie ?? '').split('; ').filter((cookie) => cookie.startsWith('key='));
  const found = {
    'signature in the query': query.signature,
    'signature in a header': headers['x-signature'],
    'key in the query': query.key,
    'key in a cookie': cookies.join(),
    token: headers.authorization,
  }[by];
  const right = {
    'signature in the query': mac(search.replace(/&?signature=[^&]*$/, '')),
    'signature in a header': mac(search),
    'key in the query': key,
    'key in a cookie': `key=${key}`,
    token: `Bearer ${key}`,
  }[by];
  return found === right ? undefined : `the credential is ${JSON.stringify(found)}`;
}
