import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { createAnswer, interceptRequests } from '@schemakit/http';
import { afterEach, describe, expect, it } from 'vitest';
import { createScriptedModel, type ScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';
import { aiSdkModel, type Prices } from './ai-sdk-model.ts';
import type { ModelRequest } from './model.ts';
import { type LlmConfig, openModel } from './open-model.ts';
import { triesOf, withRetries } from './retry.ts';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((model) => model.close()));
});

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await createScriptedModel(options);
  open.push(model);
  return model;
}

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const tools = ['add', 'submit_answer'].map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { one: { type: 'number' } } },
  }));
  return {
    instructions: 'Be exact.',
    messages: [{ role: 'user', content: 'Add 1 and 2.' }],
    tools,
    maxTokens: 77,
    signal: new AbortController().signal,
    ...more,
  };
}

const apis = ['anthropic', 'chat'] as const;
type Api = (typeof apis)[number];

function connect({ url }: { url: string }, api: Api, prices?: Prices) {
  return aiSdkModel(openModel({ baseURL: url, apiKey: 'key-1', api }, 'lab/model-1'), prices);
}

describe('openModel', () => {
  /** Sends one request and says where it went. Requests to other hosts are passed on to a scripted model. */
  async function sent(llm: Exclude<LlmConfig, { model: unknown }>, id = 'lab/model-1') {
    const scripted = await start({ turns: [{ text: 'Here.' }] });
    const urls: string[] = [];
    await interceptRequests(
      async ({ url, headers = {}, body }) => {
        urls.push(url);
        const target = scripted.url + new URL(url).pathname;
        const answer = await fetch(target, { method: 'POST', headers, body: String(body) });
        return createAnswer({ url, status: answer.status, headers: {}, body: Buffer.from(await answer.arrayBuffer()) });
      },
      () => aiSdkModel(openModel(llm, id))(request()),
    );
    const [asked] = scripted.requests;
    const { 'x-api-key': key, authorization } = asked?.headers ?? {};
    return { url: urls[0], model: asked?.model, key, authorization };
  }

  it.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com/v1/messages', 'model-1'],
    ['https://api.anthropic.com/v1/', 'https://api.anthropic.com/v1/messages', 'model-1'],
    ['https://models.example.com/anthropic', 'https://models.example.com/anthropic/v1/messages', 'lab/model-1'],
    ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434/v1/messages', 'lab/model-1'],
  ])('asks Anthropic Messages at %s with one key header', async (baseURL, url, model) => {
    expect(await sent({ baseURL, apiKey: 'key-1' })).toEqual({ url, model, key: 'key-1', authorization: undefined });
  });

  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions', 'model-1'],
    ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1/chat/completions', 'lab/model-1'],
  ])('asks chat completions at %s with a Bearer token', async (baseURL, url, model) => {
    const authorization = 'Bearer key-1';
    expect(await sent({ baseURL, apiKey: 'key-1', api: 'chat' })).toEqual({
      url,
      model,
      key: undefined,
      authorization,
    });
  });

  it.each([
    ['https://openrouter.ai/api', 'anthropic', 'https://openrouter.ai/api/v1/messages'],
    ['https://openrouter.ai/api/v1', 'chat', 'https://openrouter.ai/api/v1/chat/completions'],
  ] as const)('sends both key headers and the whole id to %s (%s)', async (baseURL, api, url) => {
    const both = { key: 'key-1', authorization: 'Bearer key-1' };
    expect(await sent({ baseURL, apiKey: 'key-1', api })).toEqual({ url, model: 'lab/model-1', ...both });
  });

  it('does not take other hosts for OpenRouter or Anthropic', async () => {
    const { model, authorization } = await sent({ baseURL: 'https://notopenrouter.ai', apiKey: 'key-1' });
    expect([model, authorization]).toEqual(['lab/model-1', undefined]);
    const bare = await sent({ baseURL: 'https://api.anthropic.com', apiKey: 'key-1' }, 'claude-x');
    expect(bare.model).toBe('claude-x');
  });

  it('does not carry the key to another host by a redirect', async () => {
    const scripted = await start({ turns: [{ text: 'Here.' }] });
    const stranger = `http://localhost:${new URL(scripted.url).port}`;
    const server = createServer((_request, response) =>
      response.writeHead(307, { Location: `${stranger}/v1/messages` }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    await expect(connect({ url }, 'anthropic')(request())).rejects.toThrow();
    server.close();
    expect(scripted.requests).toEqual([]);
  });

  it('takes a ready model as it is', async () => {
    const scripted = await start({ turns: [{ text: 'Here.' }] });
    const model = openModel({ baseURL: scripted.url, apiKey: 'key-1' }, 'ready');
    expect(openModel({ model }, 'other')).toBe(model);
  });
});

describe.each(apis)('aiSdkModel with %s', (api) => {
  it('answers with text, calls, tokens and their cost', async () => {
    const usage = { inputTokens: 1000, outputTokens: 200, cachedTokens: 600 };
    const turn = { text: 'Adding.', calls: [{ name: 'add', args: { one: 1 }, id: 'call-1' }], usage };
    const scripted = await start({ turns: [turn, turn, turn] });
    const answer = await connect(scripted, api, { input: 3, output: 15, cachedInput: 0.3 })(request());
    expect(answer).toMatchObject({
      text: 'Adding.',
      calls: [{ id: 'call-1', name: 'add', args: { one: 1 } }],
      isCutOff: false,
      usage: { ...usage, requests: 1 },
    });
    expect(answer.usage.cost).toBeCloseTo((400 * 3 + 600 * 0.3 + 200 * 15) / 1e6, 12);
    const { usage: full } = await connect(scripted, api, { input: 3, output: 15 })(request());
    expect(full.cost).toBeCloseTo((1000 * 3 + 200 * 15) / 1e6, 12);
    expect((await connect(scripted, api)(request())).usage).not.toHaveProperty('cost');
  });

  it('sends tools with their schemas, the token limit and the forced tool', async () => {
    const scripted = await start({ turns: [{ text: 'Here.' }] });
    await connect(scripted, api)(request({ force: 'submit_answer' }));
    expect(scripted.requests[0]).toMatchObject({
      system: 'Be exact.',
      forcedTool: 'submit_answer',
      maxTokens: 77,
      tools: request().tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
    });
  });

  it('says why a call with malformed arguments cannot be run', async () => {
    const turn = { calls: [{ name: 'add', args: { one: 1 } }] };
    const scripted = await start({ turns: [turn], faults: { 0: { malformedArguments: true } } });
    const { calls } = await connect(scripted, api)(request());
    // Anthropic's arguments are JSON already: there, they are no object.
    expect(calls).toMatchObject([{ name: 'add', args: '{"on' }]);
    if (api === 'chat') expect(calls[0]?.problem).toContain('JSON parsing failed');
  });

  it.each([[[1, 2]], ['text'], [null], [7]])(
    'keeps arguments %j, and sends back a message that providers accept',
    async (args) => {
      const scripted = await start({ turns: [{ calls: [{ name: 'add', args, id: 'call-1' }] }, { text: 'Here.' }] });
      const model = connect(scripted, api);
      const { calls, message } = await model(request());
      expect(calls).toMatchObject([{ args }]);
      const output = { type: 'error-text' as const, value: 'Must be an object.' };
      const result = { type: 'tool-result' as const, toolCallId: 'call-1', toolName: 'add', output };
      const { messages } = request();
      await model(request({ messages: [...messages, message, { role: 'tool', content: [result] }] }));
      expect(scripted.requests[1]?.messages[1]?.calls).toEqual([{ id: 'call-1', name: 'add', args: {} }]);
    },
  );

  it('passes on calls of tools that do not exist', async () => {
    const scripted = await start({ turns: [{ calls: [{ name: 'subtract', args: { one: 1 } }] }] });
    const { calls } = await connect(scripted, api)(request());
    expect(calls).toMatchObject([{ name: 'subtract', args: { one: 1 }, problem: expect.stringContaining('subtract') }]);
  });

  it('says that an answer was cut off', async () => {
    const scripted = await start({ turns: [{ calls: [{ name: 'add', args: { one: 1 } }], cutOff: true }] });
    expect(await connect(scripted, api)(request())).toMatchObject({ isCutOff: true });
  });
});

it('marks the system prompt for the cache of Anthropic', async () => {
  const scripted = await start({ turns: [{ text: 'Here.' }] });
  await connect(scripted, 'anthropic')(request());
  expect(scripted.requests[0]?.body.system).toEqual([
    { type: 'text', text: 'Be exact.', cache_control: { type: 'ephemeral' } },
  ]);
});

const endsIn =
  (ms: number, start = Date.now()) =>
  () =>
    start + ms;

describe.each(apis)('withRetries with %s', (api) => {
  const turns = [{ text: 'Here.' }];
  const soon = () => ({ deadline: endsIn(60_000) });

  it.each([
    { status: 429, retryAfter: 0 },
    { status: 500, retryAfter: 0 },
    { status: 529, retryAfter: 0 },
    { status: 429, retryAfter: 'Mon, 23 Nov 2020 12:00:00 GMT' },
  ])('asks again after %j', async (fault) => {
    const scripted = await start({ turns, faults: { 0: fault, 1: fault } });
    const { text, usage } = await withRetries(connect(scripted, api), soon())(request());
    expect([text, usage.requests, scripted.requests.length]).toEqual(['Here.', 3, 3]);
  });

  it.each(['before', 'middle'] as const)('asks again after a cut connection (%s)', async (cut) => {
    const scripted = await start({ turns, faults: { 0: { cut } } });
    expect((await withRetries(connect(scripted, api), soon())(request())).usage.requests).toBe(2);
  });

  it('waits as long as Retry-After says, in seconds or until a date', async () => {
    const faults = { 0: { status: 429, retryAfter: 1 } };
    const scripted = await start({ turns, faults });
    const begin = performance.now();
    await withRetries(connect(scripted, api), soon())(request());
    expect(performance.now() - begin).toBeGreaterThanOrEqual(990);
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const later = await start({ turns, faults: { 0: { status: 429, retryAfter: inAnHour } } });
    await expect(withRetries(connect(later, api), soon())(request())).rejects.toMatchObject({ statusCode: 429 });
    expect(later.requests).toHaveLength(1);
  });

  it('gives up after four tries', async () => {
    const fault = { status: 529, retryAfter: 0 };
    const scripted = await start({ turns, faults: { 0: fault, 1: fault, 2: fault, 3: fault, 4: fault } });
    const error: unknown = await withRetries(connect(scripted, api), soon())(request()).catch((reason) => reason);
    expect(error).toMatchObject({ statusCode: 529 });
    expect([triesOf(error), scripted.requests.length]).toEqual([4, 4]);
  });

  it('does not ask again where that is of no use', async () => {
    const scripted = await start({ turns, faults: { 0: { status: 401 } } });
    await expect(withRetries(connect(scripted, api), soon())(request())).rejects.toMatchObject({ statusCode: 401 });
    const broken = withRetries(connect(scripted, api), soon())(request({ messages: [] }));
    await expect(broken).rejects.toThrow();
    expect(scripted.requests).toHaveLength(1);
  });

  it('does not repeat what fails in the program itself', async () => {
    let tries = 0;
    const broken = async () => {
      tries += 1;
      throw new TypeError('messages.map is not a function');
    };
    await expect(withRetries(broken, soon())(request())).rejects.toThrow('messages.map');
    expect(tries).toBe(1);
  });

  it('gives up at once if its deadline passes while it waits', async () => {
    const scripted = await start({ turns, faults: { 0: { status: 503, retryAfter: 30 } } });
    const asked = withRetries(connect(scripted, api), { deadline: endsIn(5_000) })(request());
    await expect(asked).rejects.toMatchObject({ statusCode: 503 });
  });

  it.each([
    ['the model answers', { delayMs: 60_000 }],
    ['it waits', { status: 429, retryAfter: 50 }],
  ])('stops within 100 ms while %s, and knows its tries', async (_when, fault) => {
    const scripted = await start({ turns, faults: { 0: { status: 500, retryAfter: 0 }, 1: fault } });
    const gone = new AbortController();
    const asked = withRetries(connect(scripted, api), soon())(request({ signal: gone.signal })).catch((error) => error);
    await expect.poll(() => scripted.requests.length).toBe(2);
    const begin = performance.now();
    gone.abort();
    expect(triesOf(await asked)).toBe(2);
    expect(performance.now() - begin).toBeLessThan(100);
  });
});

describe('with another double of the providers', () => {
  it.each(apis)('speaks %s', async (api) => {
    const mock = new LLMock({ port: 0 });
    mock.on({ turnIndex: 0 }, { content: 'Adding.', toolCalls: [{ name: 'add', arguments: { one: 1 } }] });
    mock.on({ turnIndex: 1 }, { content: 'It is 3.' });
    await mock.start();
    try {
      const base = api === 'chat' ? `${mock.url}/v1` : mock.url;
      const model = withRetries(connect({ url: base }, api), { deadline: endsIn(30_000) });
      mock.nextRequestError(529);
      const { text, calls, message, usage } = await model(request());
      expect({ text, calls, requests: usage.requests }).toMatchObject({
        text: 'Adding.',
        calls: [{ name: 'add', args: { one: 1 } }],
        requests: 2,
      });
      const output = { type: 'text' as const, value: 'three' };
      const toolCallId = calls[0]?.id ?? '';
      const result = { type: 'tool-result' as const, toolCallId, toolName: 'add', output };
      const { messages } = request();
      const last = await model(request({ messages: [...messages, message, { role: 'tool', content: [result] }] }));
      expect(last).toMatchObject({ text: 'It is 3.', calls: [], isCutOff: false });
    } finally {
      await mock.stop();
    }
  });
});
