import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { oauthResource } from '@schemakit/server';
import Provider from 'oidc-provider';
import { expect, it, onTestFinished } from 'vitest';
import { AgentToolsServer, type RunEvent } from '../index.ts';
import { createScriptedModel } from '../testing/index.ts';

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An authorization server with two clients, `one` and `other`. */
async function startIssuer() {
  let handle: RequestListener = () => {};
  const issuer = await listen((...args) => handle(...args));
  const provider = new Provider(issuer, {
    clients: ['one', 'other'].map((id) => ({
      client_id: id,
      client_secret: `secret-of-${id}`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          scope: 'agents:call',
          audience,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: 600,
        }),
      },
    },
  });
  handle = provider.callback();
  const tokenFor = async (client: 'one' | 'other', resource: string) => {
    const credentials = Buffer.from(`${client}:secret-of-${client}`).toString('base64');
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'agents:call' }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  return { issuer, tokenFor };
}

it('an agent server behind OAuth serves tokens for itself, and shows each client the events of its own runs', async () => {
  const { issuer, tokenFor } = await startIssuer();
  const resource = 'https://agents.example.com/mcp';
  const model = await createScriptedModel({ respond: () => ({ calls: [{ name: 'submit_answer', args: {} }] }) });
  const seen: RunEvent[] = [];
  const { mcp } = AgentToolsServer.create({
    name: 'test',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    auth: oauthResource({ issuer, resource, requiredScopes: ['agents:call'] }),
    allowedHosts: ['127.0.0.1'],
    events: true,
    onEvent: (event) => seen.push(event),
    tools: [
      {
        name: 'ask',
        description: 'Asks.',
        inputSchema: { type: 'object' },
        agent: { systemPrompt: 'You ask.', model: 'a/b', answerSchema: { type: 'object' } },
        toolSources: [],
      },
    ],
  });
  onTestFinished(async () => {
    await mcp.close();
    await model.close();
  });
  const handle = mcp.middleware();
  const url = await listen((request, response) => void handle(request, response, () => response.writeHead(404).end()));

  const refused = await fetch(`${url}/mcp`, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(401);
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  const metadata = await fetch(new URL(new URL(metadataUrl).pathname, url));
  expect(await metadata.json()).toMatchObject({ resource, authorization_servers: [issuer] });

  const elsewhere = await tokenFor('one', 'https://other.example.com/mcp');
  const authorized = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  for (const path of ['/mcp', '/mcp/events']) {
    expect((await fetch(url + path, authorized(elsewhere))).status).toBe(401);
  }

  const stream = await fetch(`${url}/mcp/events`, authorized(await tokenFor('one', resource)));
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => reader?.cancel());
  expect((await reader?.read())?.value).toBe(': connected\n\n');
  for (const id of ['other', 'one'] as const) {
    const client = new Client({ name: id, version: '1.0.0' });
    const requestInit = authorized(await tokenFor(id, resource));
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    onTestFinished(() => client.close());
    expect((await client.callTool({ name: 'ask', arguments: {} })).isError).toBeUndefined();
  }
  let text = '';
  while (!text.includes('event: run.ended')) text += (await reader?.read())?.value ?? '';
  const shown = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as RunEvent);
  expect(shown).toEqual(seen.slice(seen.length / 2));
});
