import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentServerConfig,
  type AgentToolConfig,
  AgentToolsServer,
  type RunEvent,
  type ToolSource,
} from '../index.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const done = { calls: [{ name: 'submit_answer', args: { text: 'done' } }] };
const question = { name: 'ask_user', args: { message: 'Which town?' } };

const agentTool: AgentToolConfig = {
  name: 'ask',
  description: 'Asks.',
  inputSchema: { type: 'object' },
  agent: { systemPrompt: 'You ask.', model: 'a/b', answerSchema: { type: 'object' } },
  toolSources: [],
};

/** An agent on a server of its own. */
async function serve(
  script: ScriptedModelOptions,
  config: Partial<AgentServerConfig> = {},
  sources: ToolSource[] = [],
) {
  const model = await createScriptedModel(script);
  const events: RunEvent[] = [];
  const { mcp } = AgentToolsServer.create({
    name: 'test',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    onEvent: (event) => events.push(event),
    tools: [{ ...agentTool, toolSources: sources }],
    ...config,
  });
  const handle = mcp.middleware();
  const server = createServer(
    (request, response) => void handle(request, response, () => response.writeHead(404).end()),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  open.push(
    () => model.close(),
    () => server.close().closeAllConnections(),
    () => mcp.close(),
  );
  return { model, events, mcp, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function connect(url: string, options: { mode?: 'legacy' | 'auto'; capabilities?: object; token?: string } = {}) {
  const { mode = 'auto', capabilities = {}, token } = options;
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  open.push(() => client.close());
  return client;
}

describe.each(['legacy', 'auto'] as const)('an agent that needs its user (%s client)', (mode) => {
  it('asks where the client can, and goes on with the answer', async () => {
    const { model, events, url } = await serve({ turns: [{ calls: [question] }, done] });
    const client = await connect(url, { mode, capabilities: { elicitation: { form: {} } } });
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { answer: 'Dover' } };
    });
    const result = await client.callTool({ name: 'ask', arguments: {} });
    expect(result.structuredContent).toEqual({ text: 'done' });
    expect(asked).toEqual(['Which town?']);
    const results = model.requests[1]?.messages.flatMap((message) => message.results);
    expect(results?.map(({ text }) => text)).toEqual(['The user answered: {"answer":"Dover"}']);
    expect(events.filter(({ type }) => type === 'run.started' || type === 'run.ended')).toHaveLength(2);
  });

  it('is told that the user declined', async () => {
    const { model, url } = await serve({ turns: [{ calls: [question] }, done] });
    const client = await connect(url, { mode, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
    expect((await client.callTool({ name: 'ask', arguments: {} })).structuredContent).toEqual({ text: 'done' });
    expect(model.requests[1]?.messages.flatMap((message) => message.results)[0]?.text).toBe(
      'The user declined to answer.',
    );
  });

  it('ends with the question where it cannot ask', async () => {
    const { events, url } = await serve({ turns: [{ calls: [question] }] });
    const result = await (await connect(url, { mode })).callTool({ name: 'ask', arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'The agent needs to know: Which town?' }],
      _meta: { 'schemakit/run': { status: 'needs_input', question: { message: 'Which town?' } } },
    });
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'needs_input' });
  });
});

it.each(['legacy', 'auto'] as const)('sends the model no token of its caller (%s client)', async (mode) => {
  const token = 'sesame-token-of-the-caller';
  const { url, model, events } = await serve({ turns: [done] }, { auth: token });
  const client = await connect(url, { token, mode });
  await client.callTool({ name: 'ask', arguments: { query: `My token is ${token}.` } });
  expect(JSON.stringify([model.requests, events])).toContain('My token is [REDACTED].');
  expect(JSON.stringify([model.requests, events])).not.toContain('sesame');
});

it('tells the model what is wrong with what a client sends instead of an answer', async () => {
  const { model, url } = await serve({ turns: [{ calls: [question] }, done] });
  const client = await connect(url, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { town: 'Dover' } }));
  await client.callTool({ name: 'ask', arguments: {} });
  expect(model.requests[1]?.messages.flatMap((message) => message.results)[0]?.text).toBe(
    'The user answered: {"town":"Dover"}\nThis is not what was asked for:\n$.answer is required',
  );
});

it('does not start again for a question that has expired', async () => {
  const { model, url } = await serve({ turns: [done] });
  const client = await connect(url, { capabilities: { elicitation: { form: {} } } });
  const params = {
    name: 'ask',
    arguments: {},
    requestState: 'forged',
    inputResponses: { answer: { action: 'accept', content: { answer: 'x' } } },
  };
  const result = await client.callTool(params);
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: 'This question has expired. Call the tool again.' }],
  });
  expect(model.requests).toHaveLength(0);
});

it('ends the oldest of more than a thousand runs that wait for their users', { timeout: 120_000 }, async () => {
  const { events, url } = await serve({ respond: () => ({ calls: [question] }) });
  const client = await connect(url, { capabilities: { elicitation: { form: {} } } });
  const waiting: ((answer: { action: 'cancel' }) => void)[] = [];
  let asked = Promise.withResolvers<void>();
  client.setRequestHandler('elicitation/create', () => {
    const { promise, resolve } = Promise.withResolvers<{ action: 'cancel' }>();
    waiting.push(resolve);
    asked.resolve();
    return promise;
  });
  const ended = () => events.filter(({ type }) => type === 'run.ended');
  const calls: Promise<unknown>[] = [];
  while (calls.length <= 1000) {
    expect(ended()).toEqual([]);
    asked = Promise.withResolvers<void>();
    const call = client.callTool({ name: 'ask', arguments: {} }, { timeout: 300_000 });
    calls.push(call.catch(() => undefined));
    await asked.promise;
  }
  const [first] = events;
  const reason = 'More than 1000 runs wait for their users, and this was the oldest.';
  expect(ended()).toMatchObject([{ runId: first?.runId, status: 'needs_input', reason }]);
  waiting[0]?.({ action: 'cancel' });
  expect(await calls[0]).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('has expired') }] });
});

it.each([
  ['legacy', -32601],
  ['auto', -32021],
] as const)('a tool that runs only as a task refuses a plain call (%s client)', async (mode, code) => {
  const { url, mcp } = await serve(
    { turns: [] },
    { tools: [{ ...agentTool, execution: { taskSupport: 'required' } }] },
  );
  const client = await connect(url, { mode });
  await expect(client.callTool({ name: 'ask', arguments: {} })).rejects.toMatchObject({ code });
  expect(mcp.listToolDefinitions().tools[0]?.execution).toEqual({ taskSupport: 'required' });
});

describe('the stream of events', () => {
  async function* framesOf(url: string, token: string) {
    const end = new AbortController();
    open.push(() => end.abort());
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(new URL('/mcp/events', url), { headers, signal: end.signal });
    expect(response.status).toBe(200);
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      for (let cut = text.indexOf('\n\n'); cut !== -1; cut = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, cut))?.[1];
        text = text.slice(cut + 2);
        yield data === undefined ? undefined : (JSON.parse(data) as RunEvent);
      }
    }
  }

  const callers = { one: 'token-of-one', other: 'token-of-the-other' };
  const auth: NonNullable<AgentServerConfig['auth']> = async (request) => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
    const known = Object.entries(callers).find(([, value]) => value === token);
    return known ? { token, clientId: known[0], scopes: [] } : new Response(null, { status: 401 });
  };

  it('shows a caller its own runs, and no others', async () => {
    const { url, events } = await serve({ respond: () => done }, { auth, events: true });
    const frames = framesOf(url, callers.one);
    await frames.next(); // The stream is open.
    await (await connect(url, { token: callers.other })).callTool({ name: 'ask', arguments: {} });
    await (await connect(url, { token: callers.one })).callTool({ name: 'ask', arguments: {} });
    const own = events.slice(events.length / 2);
    for (const event of own) expect((await frames.next()).value).toEqual(event);
    expect((await fetch(new URL('/mcp/events', url))).status).toBe(401);
  });

  it('is not there unless it is asked for', async () => {
    const { url } = await serve({ respond: () => done }, { auth });
    expect((await fetch(new URL('/mcp/events', url))).status).toBe(404);
  });
});

it('agents that call each other end at a depth of three, and the cost counts in the first', async () => {
  const source: { type: 'mcp'; url: string; allow: string[] } = {
    type: 'mcp',
    url: 'http://127.0.0.1:1/mcp',
    allow: ['ask'],
  };
  const { model, url } = await serve(
    { respond: ({ messages }) => (messages.length > 1 ? done : { calls: [{ name: 'ask', args: {} }] }) },
    {},
    [source],
  );
  source.url = `${url}/mcp`;
  const result = await (await connect(url)).callTool({ name: 'ask', arguments: {} });
  expect(result.structuredContent).toEqual({ text: 'done' });
  // Depths 0 to 3, each with two requests.
  expect(model.requests).toHaveLength(8);
  expect(result._meta?.['schemakit/run']).toMatchObject({ rounds: 2, usage: { requests: 8, inputTokens: 800 } });
  const texts = model.requests.flatMap(({ messages }) => messages.flatMap((message) => message.results));
  expect(texts.map(({ text }) => text).join('\n')).toContain('ask was not run: more than 3 agents call each other.');
});
