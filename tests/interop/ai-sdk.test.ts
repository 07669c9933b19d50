import { createRequire } from 'node:module';
import type { MCPClient } from '@ai-sdk/mcp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findPackage, schemakit } from './support/find-package.ts';
import { listeningShop, openShop, thing } from './support/open-shop.ts';

const require = createRequire(import.meta.url);
const isInstalled = findPackage("the AI SDK's client", () => require.resolve('@ai-sdk/mcp')) !== undefined;

async function overHttp(type: 'http' | 'sse', path: string): Promise<MCPClient> {
  const { createMCPClient } = await import('@ai-sdk/mcp');
  return createMCPClient({ transport: { type, url: `${await listeningShop()}${path}` } });
}

async function overStdio(): Promise<MCPClient> {
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const { Experimental_StdioMCPTransport: Transport } = await import('@ai-sdk/mcp/mcp-stdio');
  const { file } = await openShop();
  return createMCPClient({ transport: new Transport({ command: process.execPath, args: [schemakit, 'run', file] }) });
}

const clients: [string, () => Promise<MCPClient>][] = [
  ['Streamable HTTP', () => overHttp('http', '/mcp')],
  ['events', () => overHttp('sse', '/sse')],
  ['stdio', overStdio],
];

describe.skipIf(!isInstalled)("the AI SDK's client", () => {
  test.each(clients)('gets tools that it can call over %s', async (_, connect) => {
    const client = await connect();
    onTestFinished(() => client.close());
    const tools = await client.tools();
    expect(Object.keys(tools)).toEqual([thing.name]);
    const answer = await tools[thing.name]?.execute(thing.arguments, { toolCallId: '1', messages: [], context: {} });
    expect(answer).toMatchObject({ content: [{ type: 'text', text: thing.text }] });
  });

  test('gives them to a model that calls one and reads its answer', async () => {
    const { generateText, isStepCount } = await import('ai');
    const { MockLanguageModelV4 } = await import('ai/test');
    const client = await overHttp('http', '/mcp');
    onTestFinished(() => client.close());
    const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
    const answer = { usage: { inputTokens: tokens, outputTokens: tokens }, warnings: [] };
    const model = new MockLanguageModelV4({
      doGenerate: [
        {
          ...answer,
          finishReason: { unified: 'tool-calls', raw: undefined },
          content: [
            { type: 'tool-call', toolCallId: '1', toolName: thing.name, input: JSON.stringify(thing.arguments) },
          ],
        },
        { ...answer, finishReason: { unified: 'stop', raw: undefined }, content: [{ type: 'text', text: '12' }] },
      ],
    });
    const prompt = 'What does a lamp cost?';
    const { text } = await generateText({ model, tools: await client.tools(), prompt, stopWhen: isStepCount(3) });
    expect(text).toBe('12');
    const [first, second] = model.doGenerateCalls;
    expect(first?.tools).toMatchObject([{ name: thing.name, inputSchema: { properties: { name: {} } } }]);
    expect(JSON.stringify(second?.prompt)).toContain(JSON.stringify(thing.text).slice(1, -1));
  });
});
