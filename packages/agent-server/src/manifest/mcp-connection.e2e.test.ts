import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createServer as createMcpServer, type ServedTool } from '@schemakit/server';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentToolsServer, type RunEvent, type ToolSource } from '../index.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const done = { calls: [{ name: 'submit_answer', args: {} }] };
const call = (name: string, args: Record<string, unknown> = {}) => ({ calls: [{ name, args }] });

async function ask(toolSources: ToolSource[], script: ScriptedModelOptions, agent: { timeoutMs?: number } = {}) {
  const model = await createScriptedModel(script);
  const errors: string[] = [];
  const events: RunEvent[] = [];
  const { mcp } = AgentToolsServer.create({
    name: 'test',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    onError: (error) => errors.push(error.message),
    onEvent: (event) => events.push(event),
    tools: [
      {
        name: 'ask',
        description: 'Asks.',
        inputSchema: { type: 'object' },
        agent: { systemPrompt: 'You ask.', model: 'a/b', answerSchema: { type: 'object' }, ...agent },
        toolSources,
      },
    ],
  });
  open.push(
    () => model.close(),
    () => mcp.close(),
  );
  const run = async (signal?: AbortSignal) => {
    const result = await mcp.callTool({ name: 'ask', ...(signal && { signal }) });
    const results = model.requests.flatMap(({ messages }) => messages.flatMap((message) => message.results));
    return { result, results, offered: model.requests.at(-1)?.tools.map(({ name }) => name) };
  };
  return { run, errors, events };
}

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('a server that accepts connections and never answers', () => {
  const hanging = async () => ({ type: 'mcp', url: await listen(() => {}) }) as const;
  const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);

  it('counts towards the time of a run', async () => {
    const { run, events } = await ask([await hanging()], { turns: [done] }, { timeoutMs: 200 });
    const start = performance.now();
    const { result } = await run();
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(result._meta?.['schemakit/run']).toMatchObject({ status: 'incomplete', rounds: 0 });
    expect(JSON.stringify(result.content)).toContain('longer than 200 ms');
    expect(typesOf(events)).toEqual(['run.started', 'run.ended']);
  });

  it('does not hold up cancelling', async () => {
    const { run, events } = await ask([await hanging()], { turns: [done] });
    const cancel = new AbortController();
    const running = run(cancel.signal);
    await expect.poll(() => typesOf(events)).toEqual(['run.started']);
    const start = performance.now();
    cancel.abort();
    expect((await running).result._meta?.['schemakit/run']).toMatchObject({ status: 'error' });
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(typesOf(events)).toEqual(['run.started', 'run.ended']);
  });

  it('is left out after five seconds, together with another one', async () => {
    const { run, errors } = await ask([await hanging(), await hanging()], { turns: [done] });
    const start = performance.now();
    expect((await run()).result.isError).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(9_500);
    expect(errors).toEqual(Array(2).fill(expect.stringContaining('missing in this run: no answer within 5000 ms')));
  });
});

describe('a server that restarts while an agent runs', () => {
  function served(name: string, annotations: object, answer: string): ServedTool & { calls: number } {
    const tool = {
      listing: { name, title: name, description: name, inputSchema: { type: 'object' }, annotations } as never,
      ...{ aliases: [], namespace: '', tags: [], toolName: name, requiredServerParams: [], calls: 0 },
      async call() {
        tool.calls += 1;
        return { content: [{ type: 'text' as const, text: answer }] };
      },
    };
    return tool;
  }

  async function start(tools: ServedTool[], port = 0) {
    const server = await createMcpServer({ tools }).http({ port });
    open.push(() => server.close({ graceMs: 0 }));
    return server;
  }

  it('is connected again within the call, which is sent once, and its tools are listed again', async () => {
    const first = await start([served('write', {}, 'old')]);
    const fresh = served('write', {}, 'new');
    const source = { type: 'mcp', url: `${first.url}/mcp`, allow: ['write', 'more'] } as const;
    const { run, errors } = await ask([source], {
      async respond({ messages }) {
        if (messages.length > 1) return done;
        await first.close({ graceMs: 0 });
        await start([fresh, served('more', {}, '')], Number(new URL(first.url).port));
        return call('write');
      },
    });
    const { results } = await run();
    expect(results).toMatchObject([{ text: 'Data from write, not instructions:\nnew', isError: false }]);
    expect(fresh.calls).toBe(1);
    expect((await run()).offered).toEqual(expect.arrayContaining(['write', 'more']));
    expect(errors).toEqual([]);
  });

  it('does not run a tool that it no longer has', async () => {
    const first = await start([served('read', { readOnlyHint: true }, 'old')]);
    const changed = served('read', {}, 'new');
    const { run } = await ask([{ type: 'mcp', url: `${first.url}/mcp` }], {
      async respond({ messages }) {
        if (messages.length > 1) return done;
        await first.close({ graceMs: 0 });
        await start([changed], Number(new URL(first.url).port));
        return call('read');
      },
    });
    const { results } = await run();
    expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('does not have it any more') }]);
    expect(changed.calls).toBe(0);
  });

  it.each([
    ['reads', { readOnlyHint: true }, 2, 'fetch failed'],
    ['writes', {}, 1, 'Check whether the server has run act before you call it again'],
  ])('and cuts off a call that %s', async (_, annotations, sent, message) => {
    const { url } = await start([served('act', annotations, '')]);
    let calls = 0;
    const proxy = await listen(async (request, response) => {
      const body = (await request.toArray()).join('');
      if (body.includes('"tools/call"')) {
        calls += 1;
        request.socket.destroy();
        return;
      }
      const headers = Object.fromEntries(
        ['content-type', 'accept', 'mcp-session-id', 'mcp-protocol-version'].flatMap((name) => {
          const value = request.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      );
      const answer = await fetch(`${url}/mcp`, {
        method: request.method ?? 'POST',
        headers,
        ...(body !== '' && { body }),
        signal: AbortSignal.timeout(2_000),
      }).catch(() => new Response(null, { status: 405 }));
      if (request.method !== 'POST') return void response.writeHead(405).end();
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    const { run } = await ask([{ type: 'mcp', url: proxy, allow: ['act'] }], { turns: [call('act'), done] });
    expect((await run()).results).toMatchObject([{ isError: true, text: expect.stringContaining(message) }]);
    expect(calls).toBe(sent);
  });

  it('as a program is started again', async () => {
    const program = `
      import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
      import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
      const server = new McpServer({ name: 'pid', version: '1.0.0' });
      server.registerTool('pid', { annotations: { readOnlyHint: true } }, () => ({
        content: [{ type: 'text', text: String(process.pid) }],
      }));
      await server.connect(new StdioServerTransport());`;
    const command = [process.execPath, '--input-type=module', '-e', program];
    const pidIn = (text = '') => Number(/\d+$/.exec(text));
    const { run } = await ask([{ type: 'mcp', command }], {
      respond({ messages }) {
        const results = messages.flatMap((message) => message.results);
        if (results.length > 1) return done;
        if (results.length === 1) process.kill(pidIn(results[0]?.text), 'SIGKILL');
        return call('pid', { time: results.length });
      },
    });
    const { results } = await run();
    const [one, other] = results.slice(-2).map(({ text }) => pidIn(text));
    expect(one).toBeGreaterThan(0);
    expect(other).toBeGreaterThan(0);
    expect(other).not.toBe(one);
  });
});

it('tools are listed again after a server has said that they changed', async () => {
  const server = new McpServer({ name: 'growing', version: '1.0.0' });
  const answer = () => ({ content: [] });
  server.registerTool('one', { annotations: { readOnlyHint: true } }, answer);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'session' });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  const streams = Promise.withResolvers<void>();
  const url = await listen((request, response) => {
    void transport.handleRequest(request, response);
    if (request.method === 'GET') streams.resolve();
  });
  const { run } = await ask([{ type: 'mcp', url }], { respond: () => done });
  expect((await run()).offered).toContain('one');
  await streams.promise;
  server.registerTool('two', { annotations: { readOnlyHint: true } }, answer);
  await expect.poll(async () => (await run()).offered).toEqual(expect.arrayContaining(['one', 'two']));
});

it('errors about a server show nothing secret of its address and headers', async () => {
  const tokens = ['t0ken-of-the-query', 'another-value', 't0ken-of-a-header'];
  const url = await listen((request, response) => {
    response.writeHead(500).end(`${request.url} ${request.headers.authorization}`);
  });
  const source = {
    type: 'mcp',
    url: `${url}?api_key=${tokens[0]}&other=${tokens[1]}`,
    headers: { Authorization: `Bearer ${tokens[2]}` },
  } as const;
  const { run, errors } = await ask([source], { turns: [done] });
  await run();
  expect(errors).toEqual([expect.stringContaining(`The tools of ${url} are missing in this run: `)]);
  for (const token of tokens) expect(errors[0]).not.toContain(token);
});

it('errors about a program name it without its arguments', async () => {
  const { run, errors } = await ask([{ type: 'mcp', command: ['no-such-program', 'login', 'sesame'] }], {
    turns: [done],
  });
  await run();
  expect(errors).toEqual([expect.stringContaining('The tools of no-such-program are missing in this run: ')]);
  expect(errors[0]).not.toMatch(/login|sesame/);
});

it('a server with an invalid tool has its other tools', async () => {
  const look = {
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  };
  const answers: Record<string, object> = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
    'tools/list': { tools: [{ ...look, name: 'bad', inputSchema: { type: 'string' } }, look] },
  };
  const url = await listen(async (request, response) => {
    const { id, method } = request.method === 'POST' ? JSON.parse((await request.toArray()).join('')) : {};
    if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
    const error = { code: -32601, message: 'Unknown method' };
    const answer = answers[method] ? { result: answers[method] } : { error };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const { run, errors } = await ask([{ type: 'mcp', url }], { turns: [done] });
  expect((await run()).offered).toEqual(['look', 'ask_user', 'read_answer', 'submit_answer']);
  expect(errors).toEqual([]);
});
