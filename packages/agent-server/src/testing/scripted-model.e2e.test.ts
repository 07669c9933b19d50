import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, type LanguageModel, streamText, type ToolSet, tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { createScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './index.ts';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((model) => model.close()));
});

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await createScriptedModel(options);
  open.push(model);
  return model;
}

const dialects = {
  anthropic: ({ url }: ScriptedModel) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key-1' })('claude-test'),
  chat: ({ url }: ScriptedModel) =>
    createOpenAICompatible({ name: 'chat', baseURL: url, apiKey: 'key-1', includeUsage: true })('gpt-test'),
};

function toolNamed(name: string): ToolSet {
  const inputSchema = jsonSchema({ type: 'object' });
  return Object.fromEntries([name].map((key) => [key, tool({ description: 'Adds.', inputSchema })]));
}

const turn = {
  text: 'I shall add “1” and “2”.',
  calls: [
    { name: 'add', args: { one: 1, other: 2 } },
    { name: 'add', args: { text: 'ä"\\' } },
  ],
  usage: { inputTokens: 500, outputTokens: 40, cachedTokens: 300 },
};

function request(model: LanguageModel) {
  return {
    model,
    instructions: 'Be exact.',
    prompt: 'Add 1 and 2.',
    tools: toolNamed('add'),
    maxOutputTokens: 77,
    maxRetries: 0,
  };
}

describe.each(Object.entries(dialects))('a scripted model that speaks %s', (dialect, connect) => {
  it('answers with text, tool calls and the usage of its turn', async () => {
    const scripted = await start({ turns: [turn] });
    const { text, toolCalls, usage, finishReason } = await generateText(request(connect(scripted)));
    expect(text).toBe(turn.text);
    expect(toolCalls.map(({ toolName, input }) => ({ name: toolName, args: input }))).toEqual(turn.calls);
    expect(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    expect(usage).toMatchObject({
      inputTokens: 500,
      outputTokens: 40,
      inputTokenDetails: { cacheReadTokens: 300, noCacheTokens: 200 },
    });
    expect(finishReason).toBe('tool-calls');
  });

  it('streams the same', async () => {
    const scripted = await start({ turns: [turn] });
    const stream = streamText(request(connect(scripted)));
    expect(await stream.text).toBe(turn.text);
    expect((await stream.toolCalls).map(({ input }) => input)).toEqual(turn.calls.map(({ args }) => args));
    expect(await stream.usage).toMatchObject({
      inputTokens: 500,
      outputTokens: 40,
      inputTokenDetails: { cacheReadTokens: 300 },
    });
    expect(await stream.finishReason).toBe('tool-calls');
    expect(scripted.requests[0]?.stream).toBe(true);
  });

  it('keeps what it was asked, in one form for both dialects', async () => {
    const scripted = await start({ turns: [turn, { text: 'It is 3.' }] });
    const model = connect(scripted);
    const first = await generateText({ ...request(model), toolChoice: { type: 'tool', toolName: 'add' } });
    const results = first.toolCalls.map(({ toolCallId, toolName }) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: { type: 'text' as const, value: 'three' },
    }));
    const { prompt, ...others } = request(model);
    const asked = { role: 'user' as const, content: prompt };
    const messages = [asked, ...first.response.messages, { role: 'tool' as const, content: results }];
    await generateText({ ...others, messages });
    const [forced, last] = scripted.requests;
    expect(forced).toMatchObject({
      dialect,
      stream: false,
      system: 'Be exact.',
      messages: [{ role: 'user', text: 'Add 1 and 2.', calls: [], results: [] }],
      tools: [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object' } }],
      forcedTool: 'add',
      maxTokens: 77,
    });
    const key = dialect === 'chat' ? ['authorization', 'Bearer key-1'] : ['x-api-key', 'key-1'];
    expect(forced?.headers[key[0] ?? '']).toBe(key[1]);
    expect(last?.forcedTool).toBeUndefined();
    const [, assistant, ...answers] = last?.messages ?? [];
    expect(assistant).toMatchObject({ role: 'assistant', text: turn.text, calls: turn.calls });
    const answered = answers.flatMap((message) => message.results.map(({ id, text }) => ({ id, text })));
    expect(answered).toEqual(assistant?.calls.map(({ id }) => ({ id, text: 'three' })));
  });

  it.each([429, 500, 529])('fails once with status %i and then goes on with its script', async (status) => {
    const scripted = await start({ turns: [{ text: 'Here.' }], faults: { 0: { status, retryAfter: 7 } } });
    const model = connect(scripted);
    await expect(generateText(request(model))).rejects.toMatchObject({
      statusCode: status,
      isRetryable: true,
      message: `Scripted: status ${status}.`,
      responseHeaders: { 'retry-after': '7' },
    });
    expect((await generateText(request(model))).text).toBe('Here.');
    expect(scripted.requests).toHaveLength(2);
  });

  it.each(['before', 'middle'] as const)('cuts the connection (%s)', async (cut) => {
    const scripted = await start({ turns: [{ text: 'Here.' }], faults: { 0: { cut }, 1: { cut } } });
    const model = connect(scripted);
    await expect(generateText(request(model))).rejects.toThrow();
    const stream = streamText({ ...request(model), onError: () => {} });
    await expect(stream.text).rejects.toThrow();
    expect((await generateText(request(model))).text).toBe('Here.');
  });

  it('sends malformed arguments', async () => {
    const scripted = await start({ turns: [turn], faults: { 0: { malformedArguments: true } } });
    const { toolCalls } = await generateText(request(connect(scripted)));
    expect(toolCalls[0]?.input).toBe('{"one":1,');
  });

  it.each([true, false])('ends an answer at the token limit (streaming: %s)', async (isStreaming) => {
    const scripted = await start({ turns: [turn, { ...turn, cutOff: true }], faults: { 0: { cutOff: true } } });
    const model = connect(scripted);
    for (let round = 0; round < 2; round += 1) {
      const result = isStreaming ? streamText(request(model)) : await generateText(request(model));
      expect(await result.finishReason).toBe('length');
    }
  });

  it('answers late, and does not mind when the client has gone', async () => {
    const scripted = await start({
      turns: [{ text: 'Here.' }],
      faults: { 0: { delayMs: 60_000 }, 1: { delayMs: 50 } },
    });
    const model = connect(scripted);
    const gone = new AbortController();
    const asked = generateText({ ...request(model), abortSignal: gone.signal });
    await expect.poll(() => scripted.requests.length).toBe(1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    const begin = performance.now();
    expect((await generateText(request(model))).text).toBe('Here.');
    expect(performance.now() - begin).toBeGreaterThan(45);
  });

  it('says when the script is over, with an error that is not worth a retry', async () => {
    const scripted = await start({ turns: [] });
    await expect(generateText(request(connect(scripted)))).rejects.toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: 'The script has 0 turns, and this request asks for turn 1.',
    });
  });

  it('asks a function for its answers', async () => {
    const scripted = await start({
      respond: ({ messages }) => {
        if (messages[0]?.text === 'Fail.') throw new Error('No answer for this.');
        return { text: `You said: ${messages[0]?.text}` };
      },
    });
    const model = connect(scripted);
    expect((await generateText(request(model))).text).toBe('You said: Add 1 and 2.');
    await expect(generateText({ ...request(model), prompt: 'Fail.' })).rejects.toThrow('No answer for this.');
  });

  it('refuses what the real APIs refuse', async () => {
    const scripted = await start({ respond: () => ({ text: 'Here.' }) });
    const model = connect(scripted);
    const call = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'add', input: {} };
    const user = { role: 'user' as const, content: 'Hello.' };
    const open = generateText({
      model,
      maxRetries: 0,
      allowSystemInMessages: true,
      messages: [user, { role: 'assistant', content: [call] }, user],
    });
    await expect(open).rejects.toThrow(/tool call 'a' has no result|Tool result is missing/);
    await expect(generateText({ ...request(model), tools: toolNamed('garden.search') })).rejects.toThrow(
      "the name 'garden.search'",
    );
    const post = async (body: unknown) => {
      const path = dialect === 'chat' ? '/chat/completions' : '/v1/messages';
      const answer = await fetch(scripted.url + path, { method: 'POST', body: JSON.stringify(body) });
      return [answer.status, await answer.text()] as const;
    };
    const openCall =
      dialect === 'chat'
        ? { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'add', arguments: '{}' } }] }
        : { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'add', input: {} }] };
    expect(await post({ max_tokens: 9, messages: [user, openCall, user] })).toEqual([
      400,
      expect.stringContaining("messages.1: the tool call 'a' has no result after it"),
    ]);
    expect(await post({ max_tokens: 9, messages: [{ role: 'user', content: '' }] })).toEqual([
      400,
      expect.stringContaining('messages.0: must not be empty'),
    ]);
    const choice = dialect === 'chat' ? { type: 'function', function: { name: 'add' } } : { type: 'tool', name: 'add' };
    expect(await post({ max_tokens: 9, messages: [user], tool_choice: choice })).toEqual([
      400,
      expect.stringContaining("tool_choice: there is no tool 'add'"),
    ]);
  });
});

it('answers other paths and bodies that are not JSON with an error', async () => {
  const scripted = await start({ turns: [] });
  expect((await fetch(`${scripted.url}/v1/models`)).status).toBe(404);
  expect((await fetch(`${scripted.url}/v1/messages`, { method: 'POST', body: '{' })).status).toBe(400);
  expect(scripted.requests).toEqual([]);
});

it('streams the events of Anthropic Messages by name', async () => {
  const scripted = await start({ turns: [{ text: 'Hi', calls: [{ name: 'add' }] }] });
  const body = JSON.stringify({ stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'Hello.' }] });
  const answer = await fetch(`${scripted.url}/v1/messages`, { method: 'POST', body });
  const names = (await answer.text()).match(/^event: .+$/gm)?.map((line) => line.slice(7));
  const block = ['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'];
  expect(names).toEqual(['message_start', ...block, ...block, 'message_delta', 'message_stop']);
});
