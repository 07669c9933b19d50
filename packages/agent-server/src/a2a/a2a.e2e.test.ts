import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentCard,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
  verifyAgentCardSignature,
} from '@a2a-js/sdk';
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasDatabase, startRedis } from '../../fixtures/database-servers.ts';
import { roundsOf, startCountingApi, taskAgent } from '../../fixtures/task-agent.ts';
import {
  type AgentServerConfig,
  type AgentToolConfig,
  AgentToolsServer,
  InMemoryTaskStore,
  openRuns,
} from '../index.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';
import { type A2AOptions, createA2A } from './index.ts';

const look = (n: number) => ({ name: 'shop__look', args: { n } });
const ask = (args: object) => roundsOf([{ name: 'ask_user', args: args as Record<string, unknown> }]);

interface SetUp extends Partial<AgentServerConfig> {
  script?: ScriptedModelOptions;
  a2a?: Partial<A2AOptions>;
  agents?: (shop: AgentToolConfig) => AgentToolConfig[];
}

/** An agent server on a free port, that is served over A2A. */
async function start({ script = roundsOf([look(1)]), a2a, agents = (shop) => [shop], ...config }: SetUp = {}) {
  const [model, api] = [await createScriptedModel(script), await startCountingApi()];
  const create = (more: Partial<AgentServerConfig> = {}) => {
    const { mcp } = AgentToolsServer.create({
      name: 'market',
      version: '1.0.0',
      llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
      tools: agents(taskAgent(api.url)),
      ...config,
      ...more,
    });
    onTestFinished(() => mcp.close());
    return mcp;
  };
  const open = async () => {
    const mcp = create();
    const { url } = await mcp.http(createA2A({ mcp, ...a2a }));
    return { mcp, url };
  };
  onTestFinished(async () => {
    await Promise.all([model.close(), api.close()]);
  });
  return { api, open, work: () => create({ maxRuns: 1 }).work(), ...(await open()) };
}

function connect(
  url: string,
  {
    token,
    version = '1.0',
    answered = [],
  }: { token?: string; version?: '1.0' | '0.3'; answered?: { status: number; retryAfter: string | null }[] } = {},
): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, { headers, ...init } = {}) => {
    const all = new Headers(headers);
    if (token !== undefined) all.set('Authorization', `Bearer ${token}`);
    // An old client sends none.
    if (version === '0.3') all.delete('A2A-Version');
    const response = await fetch(input, { ...init, headers: all });
    answered.push({ status: response.status, retryAfter: response.headers.get('retry-after') });
    return response;
  };
  const legacyCompat = { enabled: version === '0.3' };
  const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
  const cardResolver = {
    async resolve(...args: Parameters<DefaultAgentCardResolver['resolve']>) {
      const card: AgentCard = await resolver.resolve(...args);
      const own = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === version);
      return { ...card, supportedInterfaces: own };
    },
  };
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })];
  return new ClientFactory({ transports, cardResolver }).createFromUrl(url);
}

function message(content: string | object, more: object = {}): SendMessageRequest {
  const part = typeof content === 'string' ? { text: content } : { data: content };
  const { configuration, ...fields } = more as { configuration?: object };
  const sent = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part], ...fields };
  return SendMessageRequest.fromJSON({ message: sent, ...(configuration && { configuration }) });
}

const send = async (client: Client, ...args: Parameters<typeof message>) =>
  (await client.sendMessage(message(...args))) as Task;

/** What happens in a stream: states, texts of progress, names of artifacts. */
function told({ payload }: StreamResponse): string {
  if (payload?.$case === 'artifactUpdate') return `artifact ${payload.value.artifact?.name}`;
  if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') return 'message';
  const { state = TaskState.TASK_STATE_UNSPECIFIED, message: said } = payload.value.status ?? {};
  const [content] = said?.parts.map((part) => part.content) ?? [];
  const text = content?.$case === 'text' && state === TaskState.TASK_STATE_WORKING ? `: ${content.value}` : '';
  return `${payload.$case} ${TaskState[state].replace('TASK_STATE_', '')}${text}`;
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const getCard = async (url: string, headers: Record<string, string> = { 'A2A-Version': '1.0' }) =>
  (await (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json()) as { skills: object[] };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the agent card', () => {
  it('has a skill of each agent, with the tags and examples of its manifest', async () => {
    const manifest = { name: 'shop', tools: { 'sea/tool/look': null, own: {} }, tests: [{ input: 'What is there?' }] };
    const card = { provider: { organization: 'Harbour', url: 'https://harbour.example.com' } };
    const { url } = await start({ a2a: { manifest, card }, auth: 'sesame-token' });
    expect(await getCard(url)).toMatchObject({
      name: 'shop',
      version: '1.0.0',
      supportedInterfaces: [
        { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      skills: [{ id: 'shop', description: 'Does what the script says.', tags: ['sea'], examples: ['What is there?'] }],
      ...card,
    });
    expect(await getCard(url, {})).toMatchObject({
      protocolVersion: '0.3',
      url: `${url}/a2a`,
      preferredTransport: 'JSONRPC',
    });
  });

  it('describes the arguments of an agent that needs more than text', async () => {
    const inputSchema = { type: 'object', required: ['from', 'to'] };
    const { url } = await start({ agents: (shop) => [{ ...shop, inputSchema }] });
    const [skill] = (await getCard(url)).skills;
    expect(skill).toMatchObject({
      inputModes: ['application/json'],
      description: expect.stringContaining('["from","to"]'),
    });
  });

  it.each([
    ['ec', { namedCurve: 'P-256' }],
    ['ed25519', {}],
    ['rsa', { modulusLength: 2048 }],
  ])('is signed with a key (%s), and has the URL of the public one', async (kind, options) => {
    const { privateKey: signingKey } = generateKeyPairSync(kind as 'ec', options as { namedCurve: string });
    const { url } = await start({ a2a: { url: 'https://agents.example.com/a2a', signingKey }, auth: 'sesame-token' });
    const client = await new DefaultAgentCardResolver().resolve(url);
    const { keys } = (await (await fetch(`${url}/a2a/jwks.json`)).json()) as { keys: (JsonWebKey & { kid: string })[] };
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      expect(jku).toBe('https://agents.example.com/a2a/jwks.json');
      const [key] = keys.filter((one) => one.kid === kid);
      return createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    });
    await verify(client);
    const legacy = (await getCard(url, { 'A2A-Version': '0.3' })) as { signatures?: object[] };
    expect(legacy.signatures ?? []).toEqual([]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });
});

describe.each(['1.0', '0.3'] as const)('a client of the SDK (A2A %s)', (version) => {
  it('sends a message and gets the answer', async () => {
    const { url, api } = await start();
    const task = await send(await connect(url, { version }), 'Look');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts.map(({ content }) => content)).toEqual([
      { $case: 'data', value: { total: 1 } },
      { $case: 'text', value: '## total\n1' },
    ]);
    expect(task.metadata?.['schemakit/run']).toMatchObject({ status: 'success', rounds: 2 });
    expect(api.arrived).toMatchObject([{ request: 'GET /look?n=1' }]);
  });

  it('follows a task, and again after its connection was cut', async () => {
    const { url, api } = await start();
    const client = await connect(url, { version });
    const arrived = api.hold('GET /look?n=1');
    const cut = new AbortController();
    const before: string[] = [];
    let id = '';
    const stream = client.sendMessageStream(message('Look'), { signal: cut.signal });
    const reading = (async () => {
      for await (const update of stream) {
        if (update.payload?.$case === 'task') id = update.payload.value.id;
        before.push(told(update));
      }
    })();
    await arrived;
    await expect.poll(() => before.at(-1)).toBe('statusUpdate WORKING: Calling shop__look.');
    cut.abort();
    await reading.catch(() => {});
    expect(before.slice(0, 2)).toEqual([
      expect.stringMatching(/^task WORKING/),
      expect.stringMatching(/^statusUpdate WORKING/),
    ]);
    const after: string[] = [];
    for await (const update of client.resubscribeTask({ tenant: '', id })) {
      if (after.push(told(update)) === 1) api.release();
    }
    expect(after[0]).toBe('task WORKING: Calling shop__look.');
    expect(after[1]).toMatch(/^statusUpdate WORKING: shop__look answered after/);
    expect(after.slice(-2)).toEqual(['artifact answer', 'statusUpdate COMPLETED']);
    expect(api.arrived).toHaveLength(1);
  });

  it('answers the question of an agent', async () => {
    const { url } = await start({ script: ask({ message: 'How many?' }) });
    const client = await connect(url, { version });
    const asked = await send(client, 'Buy');
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(asked.status?.message?.parts[0]?.content).toEqual({ $case: 'text', value: 'How many?' });
    const done = await send(client, 'Seven', { taskId: asked.id });
    expect(done).toMatchObject({
      id: asked.id,
      contextId: asked.contextId,
      status: { state: TaskState.TASK_STATE_COMPLETED },
    });
  });

  it('cancels a task, but not one that has ended', async () => {
    const { url, api } = await start();
    const client = await connect(url, { version });
    const arrived = api.hold('GET /look?n=1');
    const { id } = await send(client, 'Look', { configuration: { returnImmediately: true } });
    await arrived;
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const ended = await send(client, 'Look');
    await expect(client.cancelTask({ tenant: '', id: ended.id, metadata: undefined })).rejects.toThrow('has ended');
  });

  it('is told when to come back while the queue is full', async () => {
    const tasks = `sqlite:${join(temporaryFolder(), 'runs.db')}`;
    const { url, work } = await start({ tasks, maxRuns: 0, maxWaiting: 1 });
    const answered: { status: number; retryAfter: string | null }[] = [];
    const client = await connect(url, { version, answered });
    const { id } = await send(client, 'Look', { configuration: { returnImmediately: true } });
    const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' };
    const data = version === '1.0' ? [retryInfo] : { retryAfterMs: 1_000 };
    const busy = { code: -32000, message: 'The queue is full (runs that wait: 1). Try again in 1 second.', data };
    await expect(send(client, 'Look')).rejects.toMatchObject({ errorResponse: { error: busy } });
    await expect(client.sendMessageStream(message('Look')).next()).rejects.toMatchObject({
      errorResponse: { error: busy },
    });
    const refused = { status: 503, retryAfter: '1' };
    expect(answered.slice(-2)).toEqual([refused, refused]);
    await work();
    const stateOf = async () => (await client.getTask({ tenant: '', id })).status?.state;
    await expect.poll(stateOf).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answered.at(-1)).toEqual({ status: 200, retryAfter: null });
  });
});

const stores = hasDatabase('redis') ? ['SQLite', 'Redis'] : ['SQLite'];

it.each(stores)('lets a worker beside it answer, and cancels what that works on (%s)', async (name) => {
  const database = name === 'Redis' ? await startRedis() : undefined;
  onTestFinished(() => database?.close());
  const tasks = database?.url ?? `sqlite:${join(temporaryFolder(), 'runs.db')}`;
  const { url, api, work } = await start({ tasks, maxRuns: 0 });
  const client = await connect(url);
  const waiting = await send(client, 'Look', { configuration: { returnImmediately: true } });
  const given = await client.cancelTask({ tenant: '', id: waiting.id, metadata: undefined });
  expect(given.status?.message?.parts).toMatchObject([{ content: { value: 'Cancelled by the client.' } }]);
  const updates: string[] = [];
  for await (const update of client.sendMessageStream(message('Look'))) {
    // It waits until somebody works.
    if (updates.push(told(update)) === 1) await work();
  }
  expect(updates[0]).toMatch(/^task WORKING/);
  expect(updates).toContain('statusUpdate WORKING: Calling shop__look.');
  expect(updates.slice(-2)).toEqual(['artifact answer', 'statusUpdate COMPLETED']);
  const arrived = api.hold('GET /look?n=1');
  const { id } = await send(client, 'Look', { configuration: { returnImmediately: true } });
  await arrived;
  expect((await client.getTask({ tenant: '', id })).status?.state).toBe(TaskState.TASK_STATE_WORKING);
  const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect.poll(() => api.abandoned).toEqual(['GET /look?n=1']);
});

it('checks the fields of an answer, and takes them as data', async () => {
  const fields = { count: { type: 'integer' }, gift: { type: 'boolean' } };
  const { url } = await start({ script: ask({ message: 'How many?', fields }) });
  const client = await connect(url);
  const { id: taskId } = await send(client, 'Buy');
  await expect(send(client, { count: 'many' }, { taskId })).rejects.toThrow('$.gift is required');
  const done = await send(client, { count: 2, gift: true }, { taskId });
  expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  await expect(send(client, 'More', { taskId })).rejects.toThrow('does not wait for an answer');
});

it('keeps the context of a client, and lists its tasks, the last one first', async () => {
  const { url } = await start({ auth: 'sesame-token' });
  const client = await connect(url, { token: 'sesame-token' });
  const first = await send(client, 'Look', { contextId: 'trip' });
  const second = await send(client, 'Look');
  expect(first.contextId).toBe('trip');
  expect(second.contextId).toBe(second.id);
  await expect(send(client, 'Look', { taskId: second.id, contextId: 'trip' })).rejects.toThrow('not in trip');
  const request = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined };
  const page = await client.listTasks({ ...request, pageSize: 1 });
  expect(page).toMatchObject({ tasks: [{ id: second.id, artifacts: [] }], totalSize: 2, nextPageToken: '1' });
  const rest = await client.listTasks({ ...request, pageToken: page.nextPageToken, includeArtifacts: true });
  expect(rest).toMatchObject({ tasks: [{ id: first.id, artifacts: [{ name: 'answer' }] }], nextPageToken: '' });
  const trip = await client.listTasks({ ...request, contextId: 'trip', status: TaskState.TASK_STATE_COMPLETED });
  expect(trip.tasks).toMatchObject([{ id: first.id }]);
  expect((await client.listTasks({ ...request, status: TaskState.TASK_STATE_FAILED })).tasks).toEqual([]);
  await expect(client.listTasks({ ...request, pageToken: 'x' })).rejects.toThrow('page token');
});

it('knows a task of another caller as little as none', async () => {
  const auth = async ({ headers }: Request) => {
    const [, name = ''] = /^Bearer (amy|bob)$/.exec(headers.get('authorization') ?? '') ?? [];
    return name === '' ? new Response(null, { status: 401 }) : { token: '', clientId: name, scopes: [] };
  };
  const { url } = await start({ auth, script: ask({ message: 'How many?' }) });
  const [amy, bob] = [await connect(url, { token: 'amy' }), await connect(url, { token: 'bob' })];
  const { id } = await send(amy, 'Buy');
  for (const client of [amy, bob]) {
    const unknown = expect.objectContaining({ message: expect.stringContaining('Task not found') });
    const failures = await Promise.all(
      [
        client.getTask({ tenant: '', id: client === amy ? 'none' : id }),
        send(client, 'Seven', { taskId: client === amy ? 'none' : id }),
        client.cancelTask({ tenant: '', id: client === amy ? 'none' : id, metadata: undefined }),
        client.resubscribeTask({ tenant: '', id: client === amy ? 'none' : id }).next(),
      ].map((call) => call.then(String, (error: Error) => error)),
    );
    expect(failures).toEqual([unknown, unknown, unknown, unknown]);
  }
  const request = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined };
  expect((await bob.listTasks(request)).tasks).toEqual([]);
  expect((await amy.listTasks(request)).tasks).toMatchObject([{ id }]);
  expect((await post(url, {})).status).toBe(401);
});

it('needs the skill in messages to a server with several', async () => {
  const { url, api } = await start({ agents: (shop) => [shop, { ...shop, name: 'other' }] });
  const card = await getCard(url);
  expect(card).toMatchObject({ name: 'market', skills: [{ id: 'shop' }, { id: 'other' }] });
  const client = await connect(url);
  await expect(send(client, 'Look')).rejects.toThrow('Name one of the skills in metadata.skill: shop, other.');
  await expect(send(client, 'Look', { metadata: { skill: 'none' } })).rejects.toThrow('There is no such skill');
  expect(api.arrived).toEqual([]);
  const task = await send(client, 'Look', { metadata: { skill: 'other' } });
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(await client.sendMessage({ ...message('Look'), metadata: { skill: 'shop' } })).toMatchObject({
    artifacts: [{}],
  });
});

it('leaves out agents with a price, which are paid for over MCP', async () => {
  const payment = { facilitator: { url: 'http://127.0.0.1:1' }, payTo: `0x${'1'.repeat(40)}`, network: 'eip155:84532' };
  const tasks = `sqlite:${join(temporaryFolder(), 'runs.db')}`;
  const free = await start({ tasks });
  const { id } = await send(await connect(free.url), 'Look');
  const agents = (shop: AgentToolConfig) => [
    { ...shop, price: '$0.01' as const },
    { ...shop, name: 'other' },
  ];
  const { url } = await start({ tasks, agents, payment: payment as never });
  expect((await getCard(url)).skills).toMatchObject([{ id: 'other' }]);
  const client = await connect(url);
  await expect(send(client, 'Look', { metadata: { skill: 'shop' } })).rejects.toThrow('no such skill');
  await expect(client.getTask({ tenant: '', id })).rejects.toThrow('Task not found');
});

it('knows the tasks that its caller has started over MCP', async () => {
  const agents = (shop: AgentToolConfig) => [{ ...shop, execution: { taskSupport: 'required' as const } }];
  const { url } = await start({ agents, auth: 'sesame-token' });
  const requestInit = { headers: { Authorization: 'Bearer sesame-token' } };
  const mcp = new McpClient({ name: 'test', version: '1.0.0' });
  onTestFinished(() => mcp.close());
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as never);
  const params = { name: 'shop', arguments: { query: 'Look' }, task: { ttl: 60_000 } };
  const { task } = await mcp.request({ method: 'tools/call', params }, CreateTaskResultSchema);
  const client = await connect(url, { token: 'sesame-token' });
  await expect
    .poll(async () => (await client.getTask({ tenant: '', id: task.taskId })).status?.state)
    .toBe(TaskState.TASK_STATE_COMPLETED);
});

it('is served in an application that has parsed the body, and ends its streams when the server closes', async () => {
  const { mcp, api } = await start();
  const app = express();
  app.use(express.json()).use(mcp.middleware(createA2A({ mcp })));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const client = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const arrived = api.hold('GET /look?n=1');
  const updates: string[] = [];
  for await (const update of client.sendMessageStream(message('Look'))) {
    if (updates.push(told(update)) > 1) continue;
    await arrived;
    void mcp.close();
  }
  expect(updates.at(-1)).toMatch(/WORKING/);
});

it('goes on with the tasks of an earlier process', async () => {
  const first = await start({
    tasks: `sqlite:${join(temporaryFolder(), 'runs.db')}`,
    script: ask({ message: 'How many?' }),
  });
  const { id } = await send(await connect(first.url), 'Buy', { contextId: 'trip' });
  await first.mcp.close();
  const { url } = await first.open();
  const done = await send(await connect(url), 'Seven', { taskId: id });
  expect(done).toMatchObject({ id, contextId: 'trip', status: { state: TaskState.TASK_STATE_COMPLETED } });
});

it('streams at one server what happens at another on the same store', async () => {
  const { url, open } = await start({
    tasks: `sqlite:${join(temporaryFolder(), 'runs.db')}`,
    script: ask({ message: 'How many?' }),
  });
  const [here, there] = [await connect(url), await connect((await open()).url)];
  const { id } = await send(here, 'Buy');
  const updates: string[] = [];
  for await (const update of there.resubscribeTask({ tenant: '', id })) {
    if (updates.push(told(update)) === 1) await send(here, 'Seven', { taskId: id });
  }
  expect([updates[0], ...updates.slice(-2)]).toEqual([
    'task INPUT_REQUIRED',
    'artifact answer',
    'statusUpdate COMPLETED',
  ]);
});

it('has failed where its agent has no answer, and says why', async () => {
  const { url } = await start({ script: { turns: [], faults: { 0: { status: 400 } } } });
  const { status, artifacts } = await send(await connect(url), 'Look');
  expect(status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect(status?.message?.parts[0]?.content?.value).toMatch(/^The agent failed\./);
  expect(artifacts).toEqual([]);
});

describe('an error has its code', () => {
  const user = { messageId: 'm', role: 'ROLE_USER', metadata: { skill: 'shop' } };
  const text = { ...user, parts: [{ text: 'Look' }] };
  const config = { taskId: 'none', id: 'none', url: 'https://example.com' };
  it.each<[string, string, object, number]>([
    ['a method that there is not', 'Unknown', {}, -32601],
    ['parameters that are none', 'GetTask', [], -32602],
    ['no id', 'GetTask', {}, -32602],
    ['an unknown task', 'GetTask', { id: 'none' }, -32001],
    ['a stream of an unknown task', 'SubscribeToTask', { id: 'none' }, -32001],
    ['no message', 'SendMessage', {}, -32602],
    ['no text', 'SendMessage', { message: { ...user, parts: [] } }, -32602],
    ['a file', 'SendStreamingMessage', { message: { ...user, parts: [{ url: 'https://example.com/a.png' }] } }, -32005],
    ['text where it has no place', 'SendMessage', { message: { ...text, metadata: { skill: 'other' } } }, -32602],
    ['a list as data', 'SendMessage', { message: { ...user, parts: [{ data: [1] }] } }, -32602],
    ['push notifications', 'CreateTaskPushNotificationConfig', config, -32003],
    ['a webhook', 'SendMessage', { message: text, configuration: { taskPushNotificationConfig: config } }, -32003],
    ['an extended card', 'GetExtendedAgentCard', {}, -32004],
    ['an invalid time', 'ListTasks', { statusTimestampAfter: 'yesterday' }, -32602],
    ['a page that is too large', 'ListTasks', { pageSize: 1000 }, -32602],
  ])('%s', async (_, method, params, code) => {
    const agents = (shop: AgentToolConfig) => [shop, { ...shop, name: 'other', inputSchema: { type: 'object' } }];
    const { url, api } = await start({ agents });
    const response = await post(url, { jsonrpc: '2.0', id: 7, method, params });
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      error: { code, message: expect.any(String) },
    });
    expect(api.arrived).toEqual([]);
  });

  it('a subscription to a task that has ended, a version, a batch, a body that is too large or no JSON', async () => {
    const { url } = await start({ maxBodyBytes: 2_000 });
    const { id } = await send(await connect(url), 'Look');
    const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
    const codeOf = async (response: Response) => [response.status, Object(await response.json()).error?.code];
    expect(await codeOf(await post(url, rpc('SubscribeToTask', { id })))).toEqual([200, -32004]);
    expect(await codeOf(await post(url, rpc('GetTask', { id }), { 'A2A-Version': '2.0' }))).toEqual([200, -32009]);
    expect(await codeOf(await post(url, rpc('GetTask', { id }), { 'A2A-Version': '1.0.1' }))).toEqual([200, undefined]);
    expect(await codeOf(await post(url, [rpc('GetTask', { id })]))).toEqual([200, -32602]);
    expect(await codeOf(await post(url, 'no json'))).toEqual([400, -32700]);
    expect((await post(url, ' '.repeat(3_000))).status).toBe(413);
    expect((await fetch(`${url}/a2a`)).status).toBe(405);
    // A client of 1.0 that does not say so.
    expect(await codeOf(await post(url, rpc('GetTask', { id: 'none' }), { 'A2A-Version': '' }))).toEqual([200, -32001]);
  });
});

it('stores no token of its caller', async () => {
  const [token, tasks] = ['sesame-token-of-the-caller', `sqlite:${join(temporaryFolder(), 'runs.db')}`];
  const { url } = await start({ auth: token, tasks });
  const { id } = await send(await connect(url, { token }), `Use ${token}`);
  const runs = await openRuns(tasks);
  onTestFinished(() => runs.close());
  const { events = [] } = (await runs.get(id)) ?? {};
  expect(events[0]).toMatchObject({ type: 'run.started', args: { query: expect.stringMatching(/^Use /) } });
  expect(JSON.stringify(events)).not.toContain(token);
});

describe('createA2A refuses', () => {
  const create = (more: Partial<AgentServerConfig> = {}) =>
    AgentToolsServer.create({
      name: 'market',
      version: '1.0.0',
      llm: { baseURL: 'http://127.0.0.1:1', apiKey: 'the-key-of-the-model' },
      tools: [taskAgent('http://127.0.0.1:1')],
      ...more,
    }).mcp;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const url = 'https://agents.example.com/a2a';
  it.each<[string, () => A2AOptions, string]>([
    ['what is no agent server', () => ({ mcp: {} as never }), 'mcp is not an agent server'],
    ['no URL', () => ({ mcp: create(), url: 'agents' }), 'url must be an http or https URL'],
    ['the URL of MCP', () => ({ mcp: create(), url: 'https://agents.example.com/mcp' }), '/mcp is the path of MCP'],
    ['a key without a URL', () => ({ mcp: create(), signingKey: privateKey }), 'signingKey needs url'],
    ['a public key', () => ({ mcp: create(), url, signingKey: publicKey }), 'signingKey is not a private key'],
    [
      'a short RSA key',
      () => ({ mcp: create(), url, signingKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey }),
      'signingKey is an RSA key of 1024 bits, and must have at least 2048',
    ],
    [
      'tasks in a store of the user',
      () => ({ mcp: create({ tasks: { store: new InMemoryTaskStore() } }) }),
      'store of your own',
    ],
  ])('%s', (_, options, text) => {
    const error = expect.objectContaining({
      findings: [expect.objectContaining({ code: 'AGS001', message: expect.stringContaining(text) })],
    });
    expect(() => createA2A(options())).toThrow(error);
  });
});
