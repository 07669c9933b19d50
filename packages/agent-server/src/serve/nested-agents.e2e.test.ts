import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { type AgentMcp, AgentToolsServer, type RunReport } from '../index.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';

/** An agent with a function that asks this agent again. */
async function startCircle(script: ScriptedModelOptions): Promise<AgentMcp> {
  const model = await createScriptedModel(script);
  const { mcp } = AgentToolsServer.create({
    name: 'circle',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    tools: [
      {
        name: 'ask',
        description: 'Asks.',
        inputSchema: { type: 'object' },
        agent: { systemPrompt: 'You ask.', model: 'a/b', answerSchema: { type: 'object' } },
        toolSources: [
          {
            type: 'tools',
            tools: [
              {
                name: 'again',
                description: 'Asks again.',
                inputSchema: { type: 'object' },
                execute: async () => (await mcp.callTool({ name: 'ask' })).content,
              },
            ],
          },
        ],
      },
    ],
  });
  onTestFinished(async () => {
    await mcp.close();
    await model.close();
  });
  return mcp;
}

const usage = { inputTokens: 100, outputTokens: 10 };
const again = { calls: [{ name: 'again', args: {} }], usage };
const done = { calls: [{ name: 'submit_answer', args: {} }], usage };
/** Asks again, and answers then. */
const askOnce: ScriptedModelOptions = { respond: ({ messages }) => (messages.length > 1 ? done : again) };

function reportOf(result: { _meta?: Record<string, unknown> | undefined }): RunReport {
  return result._meta?.['schemakit/run'] as RunReport;
}

it('ends agents that call each other by functions of the program, and counts all that they use', async () => {
  const mcp = await startCircle(askOnce);
  const result = await mcp.callTool({ name: 'ask' });
  expect(result.isError).toBeUndefined();
  // Four agents, one below the other, with two requests each.
  expect(reportOf(result)).toMatchObject({ rounds: 2, usage: { inputTokens: 800, outputTokens: 80, requests: 8 } });
});

const price = { input: 1, output: 1 };

it.each([
  ['of all', { a: price, b: price, c: price }, { cost: (6 * 110) / 1e6, costIsPartial: undefined }],
  ['but of the agent that it calls', { a: price, c: price }, { cost: (4 * 110) / 1e6, costIsPartial: true }],
  ['but of an agent further below', { a: price, b: price }, { cost: (4 * 110) / 1e6, costIsPartial: true }],
  ['of none', {}, { cost: undefined, costIsPartial: undefined }],
])('says whether its cost is whole where there are prices %s', async (_, prices, expected) => {
  const model = await createScriptedModel(askOnce);
  const call = (name: string) => async () => (await mcp.callTool({ name })).content;
  const { mcp }: { mcp: AgentMcp } = AgentToolsServer.create({
    name: 'chain',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    prices,
    tools: ['a', 'b', 'c'].map((name, index, names) => ({
      name,
      description: 'Asks the next one.',
      inputSchema: { type: 'object' },
      agent: { systemPrompt: 'You ask.', model: name, answerSchema: { type: 'object' } },
      toolSources: [
        {
          type: 'tools',
          tools: [
            {
              name: 'again',
              description: 'Asks.',
              inputSchema: { type: 'object' },
              execute: names[index + 1] === undefined ? () => 'the end' : call(names[index + 1] ?? ''),
            },
          ],
        },
      ],
    })),
  });
  onTestFinished(async () => {
    await mcp.close();
    await model.close();
  });
  const { cost, costIsPartial, usage: used } = reportOf(await mcp.callTool({ name: 'a' }));
  expect({ cost, costIsPartial }).toEqual(
    expected.cost === undefined ? expected : { ...expected, cost: expect.closeTo(expected.cost, 9) },
  );
  expect(used).toEqual({ inputTokens: 600, outputTokens: 60, cachedTokens: 0, requests: 6 });
});

it('does not count what runs beside a run', async () => {
  const mcp = await startCircle({ turns: [done, done] });
  for (const result of await Promise.all([mcp.callTool({ name: 'ask' }), mcp.callTool({ name: 'ask' })]))
    expect(reportOf(result).usage.requests).toBe(1);
});

it.each(['three', -7, 1.5, null, {}])('takes a depth of %j for none', async (depth) => {
  const mcp = await startCircle(askOnce);
  const server = createServer(mcp.middleware());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)),
  );
  onTestFinished(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
  });
  const result = await client.callTool({ name: 'ask', arguments: {}, _meta: { 'schemakit/depth': depth } });
  expect(reportOf(result).usage.requests).toBe(8);
  const deep = await client.callTool({ name: 'ask', arguments: {}, _meta: { 'schemakit/depth': 4 } });
  expect(deep.isError).toBe(true);
});
