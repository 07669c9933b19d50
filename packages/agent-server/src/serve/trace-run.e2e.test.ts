import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type AgentServerConfig, AgentToolsServer, type RunEvent } from '../index.ts';
import { createScriptedModel, type ScriptedTurn } from '../testing/index.ts';

const submit: ScriptedTurn = { calls: [{ name: 'submit_answer', args: { harbour: 'Dover' } }] };

function recordSpans(): InMemorySpanExporter {
  const spans = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  provider.register();
  onTestFinished(async () => {
    trace.disable();
    await provider.shutdown();
  });
  return spans;
}

async function start(turns: ScriptedTurn[], settings: Partial<AgentServerConfig> = {}) {
  const model = await createScriptedModel({ turns });
  const { mcp } = AgentToolsServer.create({
    name: 'test',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'key' },
    tools: [
      {
        name: 'ask',
        description: 'Asks.',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
        agent: { systemPrompt: 'You ask.', model: 'anthropic/claude-sonnet-5', answerSchema: { type: 'object' } },
        toolSources: [
          {
            type: 'tools',
            tools: [
              {
                name: 'fail',
                description: 'Fails.',
                inputSchema: { type: 'object' },
                execute: () => {
                  throw new Error('The pilot is asleep.');
                },
              },
            ],
          },
        ],
      },
    ],
    ...settings,
  });
  onTestFinished(async () => {
    await mcp.close();
    await model.close();
  });
  return mcp;
}

const turns: ScriptedTurn[] = [
  { text: 'I ask.', calls: [{ id: 'call-1', name: 'fail', args: { port: 'Ems' } }] },
  submit,
];

it('records the spans of the GenAI conventions, without what was said', async () => {
  const spans = recordSpans();
  const mcp = await start(turns);
  const result = await mcp.callTool({ name: 'ask', arguments: { query: 'Where is Wally?' } });
  const { runId } = Object(result._meta?.['schemakit/run']) as { runId: string };
  const finished = spans.getFinishedSpans();
  expect(finished.map(({ name }) => name)).toEqual([
    'chat anthropic/claude-sonnet-5',
    'execute_tool fail',
    'chat anthropic/claude-sonnet-5',
    'invoke_agent ask',
  ]);
  const [chat, tool, , run] = finished;
  expect(run?.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.agent.name': 'ask',
    'gen_ai.request.model': 'anthropic/claude-sonnet-5',
    'gen_ai.conversation.id': runId,
  });
  expect(chat?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.response.finish_reasons': ['tool_calls'],
  });
  expect(tool?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'fail',
    'gen_ai.tool.call.id': 'call-1',
    'error.type': 'tool_error',
  });
  for (const span of [chat, tool]) expect(span?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  const recorded = JSON.stringify(finished.map(({ attributes }) => attributes));
  for (const said of ['Wally', 'Ems', 'asleep', 'Dover', 'I ask']) expect(recorded).not.toContain(said);
});

it('records what was said where it is asked to', async () => {
  const spans = recordSpans();
  const mcp = await start(turns, { recordContent: true });
  await mcp.callTool({ name: 'ask', arguments: { query: 'Where is Wally?' } });
  const [chat, tool, , run] = spans.getFinishedSpans().map(({ attributes }) => attributes);
  const parsed = (text: unknown): unknown => JSON.parse(String(text));
  expect(parsed(run?.['gen_ai.input.messages'])).toEqual([
    { role: 'user', parts: [{ type: 'text', content: '{"query":"Where is Wally?"}' }] },
  ]);
  expect(parsed(run?.['gen_ai.output.messages'])).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: '{"harbour":"Dover"}' }] },
  ]);
  expect(parsed(chat?.['gen_ai.output.messages'])).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: 'I ask.' },
        { type: 'tool_call', id: 'call-1', name: 'fail', arguments: { port: 'Ems' } },
      ],
    },
  ]);
  expect(parsed(tool?.['gen_ai.tool.call.arguments'])).toEqual({ port: 'Ems' });
  expect(tool?.['gen_ai.tool.call.result']).toContain('asleep');
});

it('marks a run that fails', async () => {
  const spans = recordSpans();
  const mcp = await start([]);
  await mcp.callTool({ name: 'ask', arguments: {} });
  const statuses = spans
    .getFinishedSpans()
    .map(({ name, attributes }) => [name.split(' ')[0], attributes['error.type']]);
  expect(statuses).toEqual([
    ['chat', 'error'],
    ['invoke_agent', 'error'],
  ]);
});

it('goes on with the same trace after a question to the user', async () => {
  const spans = recordSpans();
  const mcp = await start([{ calls: [{ name: 'ask_user', args: { message: 'Which harbour?' } }] }, submit]);
  const { url } = await mcp.http({ port: 0 });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { answer: 'Dover' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  onTestFinished(() => client.close());
  const result = await client.callTool({ name: 'ask', arguments: {} });
  expect(result.structuredContent).toEqual({ harbour: 'Dover' });
  const all = spans.getFinishedSpans();
  const run = all.find(({ name }) => name === 'invoke_agent ask');
  const chats = all.filter(({ name }) => name.startsWith('chat'));
  expect(chats.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
    Array(2).fill(run?.spanContext().spanId),
  );
});

it.each([
  ['the server closes', 'The server was closed before its user answered.'],
  ['its user does not answer for 15 minutes', 'Its user did not answer within 15 minutes.'],
])('ends once when %s', async (event, reason) => {
  const spans = recordSpans();
  const events: RunEvent[] = [];
  const asks: ScriptedTurn = { calls: [{ name: 'ask_user', args: { message: 'Which harbour?' } }] };
  const mcp = await start([asks], { onEvent: (each) => events.push(each) });
  const { url } = await mcp.http({ port: 0 });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  );
  const asked = Promise.withResolvers<void>();
  client.setRequestHandler('elicitation/create', async () => {
    asked.resolve();
    return new Promise<never>(() => {});
  });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  onTestFinished(() => client.close());
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  void client.callTool({ name: 'ask', arguments: {} }).catch(() => {});
  await asked.promise;
  expect(spans.getFinishedSpans().map(({ name }) => name)).not.toContain('invoke_agent ask');
  if (event === 'the server closes') await mcp.close();
  else timers.mock.calls.find(([, delay]) => delay === 15 * 60_000)?.[0]();
  await mcp.close();
  const ends = events.filter(({ type }) => type === 'run.ended');
  expect(ends).toMatchObject([{ status: 'needs_input', reason, question: { message: 'Which harbour?' } }]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(spans.getFinishedSpans().map(({ name }) => name)).toContain('invoke_agent ask');
});
