import { expect, onTestFinished, test } from 'vitest';
import { oauthResource } from '../auth/oauth-resource.ts';
import { createServer } from '../create-server.ts';

const listing = {
  name: 'hidden_tool',
  title: 'Hidden',
  description: 'Not for the card.',
  inputSchema: { type: 'object' },
  annotations: { title: 'Hidden', readOnlyHint: true, idempotentHint: true, openWorldHint: true },
};
const tools = [
  {
    ...{ listing, aliases: [], namespace: 'x', tags: [], toolName: 'tool', requiredServerParams: [] },
    call: async () => ({ content: [] }),
  },
];
const info = { name: 'garden', version: '2.1.0', description: 'Plants and their water.' };

test('the card and the catalog of a server are public, and name neither tools nor its token', async () => {
  const server = await createServer({ tools }, info).http({ auth: 'a-secret-token' });
  onTestFinished(() => server.close());
  const origin = `http://127.0.0.1:${server.port}`;
  const response = await fetch(`${origin}/mcp/server-card`, { headers: { Origin: 'https://elsewhere.example' } });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/mcp-server-card+json',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=3600',
  });
  const text = await response.text();
  expect(text).not.toMatch(/hidden|secret-token/);
  expect(JSON.parse(text)).toEqual({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: '127.0.0.1/garden',
    version: '2.1.0',
    description: 'Plants and their water.',
    title: 'garden',
    remotes: [
      {
        type: 'streamable-http',
        url: `${origin}/mcp`,
        headers: [expect.objectContaining({ name: 'Authorization', isSecret: true })],
        supportedProtocolVersions: expect.arrayContaining(['2026-07-28', '2025-11-25', '2024-11-05']),
      },
    ],
  });
  const catalog = await fetch(`${origin}/.well-known/ai-catalog.json`);
  expect(catalog.headers.get('content-type')).toBe('application/ai-catalog+json');
  expect(await catalog.json()).toEqual({
    specVersion: '1.0',
    entries: [
      {
        identifier: 'urn:air:127.0.0.1:garden',
        displayName: 'garden',
        version: '2.1.0',
        type: 'application/mcp-server-card+json',
        url: `${origin}/mcp/server-card`,
      },
    ],
  });
  const etag = response.headers.get('etag') ?? '';
  expect((await fetch(`${origin}/mcp/server-card`, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  expect((await fetch(`${origin}/mcp/server-card`, { method: 'OPTIONS' })).status).toBe(204);
  expect((await fetch(`${origin}/mcp/server-card`, { method: 'POST', body: '{}' })).status).toBe(405);
});

test('mounted, a server has a card at its own path, and leaves the catalog to the application', async () => {
  const { fetch: answer, close } = createServer({ tools }, info).middleware({ paths: { mcp: '/tools/mcp' } });
  onTestFinished(() => close());
  const at = (path: string, headers = {}) => answer(new Request(`http://tools.example.com${path}`, { headers }));
  const answered = await at('/tools/mcp/server-card', { 'X-Forwarded-Proto': 'https' });
  const card = (await answered.json()) as { remotes: object[] };
  expect(card).toMatchObject({
    name: 'com.example.tools/garden',
    remotes: [{ url: 'https://tools.example.com/tools/mcp' }],
  });
  expect(Object.keys(card.remotes[0] ?? {})).not.toContain('headers');
  expect((await at('/.well-known/ai-catalog.json')).status).not.toBe(200);
});

test('a card has the public URL of a server with OAuth, and a name of its own', async () => {
  const auth = oauthResource({ issuer: 'https://login.example.com', resource: 'https://public.example.com/mcp' });
  const server = await createServer({ tools }, { ...info, name: 'com.example/garden' }).http({ auth });
  onTestFinished(() => server.close());
  const card = await (await fetch(`${server.url}/mcp/server-card`)).json();
  expect(card).toMatchObject({ name: 'com.example/garden', remotes: [{ url: 'https://public.example.com/mcp' }] });
});

test('documents are for everybody, and routes read bodies within the limit of the server', async () => {
  const { port, close } = await createServer({ tools }, info).http({
    auth: 'a-secret-token',
    maxBodyBytes: 20,
    documents: { '/card.json': ({ method }) => ({ method }) },
    routes: {
      async '/echo'(_request, _caller, readJson) {
        const body = await readJson();
        return body instanceof Response ? body : Response.json(body.value);
      },
    },
  });
  onTestFinished(() => close());
  const origin = `http://127.0.0.1:${port}`;
  const document = await fetch(`${origin}/card.json`);
  expect(await document.json()).toEqual({ method: 'GET' });
  const headers = { 'If-None-Match': String(document.headers.get('etag')) };
  expect((await fetch(`${origin}/card.json`, { headers })).status).toBe(304);
  expect((await fetch(`${origin}/card.json`, { method: 'POST' })).status).toBe(405);
  const echo = (body: string, headers: Record<string, string> = { Authorization: 'Bearer a-secret-token' }) =>
    fetch(`${origin}/echo`, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
  expect(await (await echo('{"a":1}')).json()).toEqual({ a: 1 });
  const refused = await Promise.all([echo('{'), echo(' '.repeat(30)), echo('{}', {})]);
  expect(refused.map(({ status }) => status)).toEqual([400, 413, 401]);
});
