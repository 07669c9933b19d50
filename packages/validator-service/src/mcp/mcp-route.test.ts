import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { serveScript } from '../../../validator/fixtures/scripted-server.ts';
import { serve } from '../../fixtures/service.ts';

async function connect(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

it('the operations are tools', async () => {
  const { endpoint } = await serveScript({});
  const { url } = await serve();
  const client = await connect(url);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    ['assess', 'validate', 'lookupAgent', 'compare', 'getReport', 'getSarif'].map((name) => `validator__${name}`),
  );
  // biome-ignore lint/suspicious/noExplicitAny: results of many shapes
  const call = async (name: string, args: Record<string, unknown>): Promise<any> => {
    const { structuredContent, isError } = await client.callTool({ name: `validator__${name}`, arguments: args });
    expect(isError ?? false).toBe(false);
    return structuredContent;
  };
  const { reportId } = await call('assess', { url: endpoint, layers: ['http', 'mcp'] });
  expect(await call('getReport', { id: reportId })).toMatchObject({ id: reportId, url: endpoint });
  expect(await call('getSarif', { id: reportId })).toMatchObject({ version: '2.1.0' });
  expect(await call('compare', { before: reportId, after: reportId })).toMatchObject({ hasChanges: false });
  expect(await call('validate', { url: endpoint })).toMatchObject({ mcp: { status: true } });
  const refused = await client.callTool({ name: 'validator__lookupAgent', arguments: { agentId: 1, chainId: 'moon' } });
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('ASM-018') }] });
});

it('needs the token where there is one, and its calls are counted once', async () => {
  const apiToken = 'a-token-of-a-test';
  const { url, request } = await serve({ apiToken, rateLimit: 20 });
  await expect(connect(url)).rejects.toThrow();
  const headers = { authorization: `Bearer ${apiToken}` };
  const client = await connect(url, headers);
  // Counted apart: requests with the token, and others of this address, as which those of the MCP server come.
  const left = async () => Number((await request('/openapi.json')).headers.get('ratelimit-remaining'));
  const before = await left();
  for (let calls = 0; calls < 5; calls++)
    await client.callTool({ name: 'validator__assess', arguments: { url: 'http://127.0.0.1:1/', layers: ['http'] } });
  expect(await left()).toBe(before - 1);
});

it('a page of another origin cannot use it', async () => {
  const { post } = await serve();
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect((await post('/mcp', message, { origin: 'https://other.example' })).status).toBe(403);
});
