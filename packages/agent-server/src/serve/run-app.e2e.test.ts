import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { roundsOf, startCountingApi, taskAgent } from '../../fixtures/task-agent.ts';
import { type AgentServerConfig, AgentToolsServer } from '../index.ts';
import { createScriptedModel } from '../testing/index.ts';

const pages = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const go = { name: 'shop', arguments: { query: 'Go' } };

/** A run that stays at the first of its two calls until it is released. */
async function setUp(settings: Partial<AgentServerConfig> = {}) {
  const look = (n: number) => ({ name: 'shop__look', args: { n } });
  const [model, api] = [await createScriptedModel(roundsOf([look(1), look(2)])), await startCountingApi()];
  const { mcp } = AgentToolsServer.create({
    name: 'shop',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'not-needed' },
    auth: async (request) => {
      const clientId = request.headers.get('authorization') ?? '';
      return { token: clientId, clientId, scopes: [], expiresAt: Date.now() / 1000 + 600 };
    },
    tools: [taskAgent(api.url)],
    ...settings,
  });
  const { url } = await mcp.http({ port: 0 });
  onTestFinished(() => Promise.all([mcp.close(), model.close(), api.close()]).then(() => {}));
  const connect = async (who: string, extensions: object = pages) => {
    const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: { extensions } as never });
    const requestInit = { headers: { Authorization: `Bearer ${who}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    const progress = async (which: object) => {
      const { structuredContent } = await client.callTool({
        name: 'run_progress',
        arguments: { tool: 'shop', ...which },
      });
      return (structuredContent as { events: { type: string; runId: string; seq: number }[] }).events;
    };
    return { client, progress };
  };
  return { api, connect };
}

test('a page follows the run of its caller, and only that', async () => {
  const { api, connect } = await setUp();
  const [own, other] = [await connect('Ann'), await connect('Bob')];
  const held = api.hold('GET /look?n=1');
  const result = own.client.callTool(go);
  await held;
  const events = await own.progress({ arguments: go.arguments });
  expect(events.map(({ type }) => type)).toEqual(['run.started', 'round.started', 'model.answered', 'tool.called']);
  const [{ runId } = { runId: '' }] = events;
  expect(await own.progress({ arguments: { query: 'Another' } })).toEqual([]);
  expect(await other.progress({ arguments: go.arguments })).toEqual([]);
  expect(await other.progress({ runId })).toEqual([]);
  api.release();
  await result;
  const rest = await own.progress({ runId, after: 3 });
  expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => index + 4));
  expect(rest.at(-1)).toMatchObject({ type: 'run.ended', answer: null });
  // A run that has ended is not the one of a call that begins.
  expect(await own.progress({ arguments: go.arguments })).toEqual([]);
});

test('hosts that show pages get the tool for the page, others the same tools as without', async () => {
  const { connect } = await setUp();
  const { tools } = await (await connect('Ann')).client.listTools();
  const resourceUri = 'ui://schemakit/run';
  expect(tools.map(({ name, _meta }) => [name, _meta?.ui])).toEqual([
    ['shop', { resourceUri }],
    ['run_progress', { resourceUri, visibility: ['app'] }],
  ]);
  const plain = await (await connect('Ann', {})).client.listTools();
  const without = await (await (await setUp({ apps: false })).connect('Ann')).client.listTools();
  expect(JSON.stringify(plain.tools)).toBe(JSON.stringify(without.tools));
});
