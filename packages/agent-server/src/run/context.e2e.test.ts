import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { apis, resultsIn, run, submit, tool, userTextIn } from '../../fixtures/scripted-run.ts';
import type { ModelRequest } from '../model/model.ts';
import { fitAnswer } from './fit-answer.ts';
import { createMemoryJournal } from './journal.ts';

const done = { calls: [submit()] };
const call = (args: unknown = {}, name = 'search') => ({ name, args });

describe.each(apis)('the context of a run (%s)', (api) => {
  /** Rows that fill about as many tokens. */
  const rows = (tokens: number) =>
    JSON.stringify(Array.from({ length: tokens / 10 }, (_, id) => ({ id, text: 'x'.repeat(20) })));
  const sizes = (record: { scripted: { requests: readonly { body: unknown }[] } }) =>
    record.scripted.requests.map(({ body }) => JSON.stringify(body).length / 4);
  const page = (number: number) => ({ calls: [call({ page: number })] });
  const settings = { contextTokens: 10_000, maxTokens: 500, maxRounds: 8 };

  it('never gets too long: older answers are shortened first', async () => {
    const turns = [page(1), page(2), page(3), done];
    const record = await run({ api, tools: [tool('search', rows(3000))], settings, script: { turns } });
    expect(record.state.ended?.status).toBe('success');
    expect(Math.max(...sizes(record))).toBeLessThan(settings.contextTokens - settings.maxTokens);
    const reductions = record.events.filter(({ type }) => type === 'context.reduced');
    expect(reductions.length).toBeGreaterThan(0);
    const [first, second, third] = resultsIn(record, 3);
    expect(first).toContain('read_answer {"id":"1.1"}');
    expect(first?.length).toBeLessThan(3000);
    expect(second).toContain('read_answer {"id":"2.1"}');
    expect(third).toContain(rows(3000));
  });

  it('lets the model read a shortened answer, whole or in parts', async () => {
    const read = { calls: [call({ id: '1.1', select: '[250].id' }, 'read_answer')] };
    const turns = [page(1), page(2), page(3), read, done];
    const record = await run({ api, tools: [tool('search', rows(3000))], settings, script: { turns } });
    expect(resultsIn(record, 4).at(-1)).toContain('250');
  });

  it('never gets too long from many answers of one round', async () => {
    const calls = [1, 2, 3, 4, 5].map((number) => call({ page: number }));
    const record = await run({
      api,
      tools: [tool('search', rows(3000))],
      settings,
      script: { turns: [{ calls }, done] },
    });
    expect(record.state.ended?.status).toBe('success');
    expect(Math.max(...sizes(record))).toBeLessThan(settings.contextTokens - settings.maxTokens);
    expect(record.scripted.requests).toHaveLength(2);
  });

  it('is reduced when the provider counts more tokens than were estimated', async () => {
    const usage = { inputTokens: 9_400, outputTokens: 20 };
    const turns = [page(1), { ...page(2), usage }, done];
    const record = await run({ api, tools: [tool('search', rows(2000))], settings, script: { turns } });
    expect(record.state.ended?.status).toBe('success');
    expect(record.events.map(({ type }) => type)).toContain('context.reduced');
    expect(resultsIn(record, 2)[0]).toContain('read_answer {"id":"1.1"}');
  });

  it('is reduced once when the provider refuses a request as too long', async () => {
    const refusing = (maxLength: number) => async (request: ModelRequest) => {
      if (JSON.stringify(request.messages).length > maxLength)
        throw new APICallError({
          message: 'prompt is too long',
          statusCode: 400,
          url: 'http://x',
          requestBodyValues: {},
        });
      const isFirst = request.messages.length === 1;
      const [asked] = isFirst ? page(1).calls : done.calls;
      const calls = [{ id: 'a', name: asked?.name ?? '', args: asked?.args }];
      return { text: '.', calls, isCutOff: false, usage, message: { role: 'assistant' as const, content: '.' } };
    };
    const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0, requests: 1 };
    const ask = (maxLength: number) =>
      run({ api, tools: [tool('search', rows(2000))], settings: { ...settings, model: refusing(maxLength) } });
    const helped = await ask(4000);
    expect(helped.state.ended?.status).toBe('success');
    expect(helped.state.usage.requests).toBe(3);
    const { state } = await ask(1000);
    expect(state.ended).toMatchObject({ status: 'incomplete', reason: expect.stringContaining('prompt is too long') });
    expect(state.usage.requests).toBe(3);
  });

  it('is summarised once where that is not enough, and the run goes on from the summary', async () => {
    const long = 'y'.repeat(6000);
    let searches = 0;
    const script = {
      respond: ({ tools, forcedTool }: { tools: unknown[]; forcedTool: string | undefined }) => {
        if (tools.length === 0)
          return { text: 'The summary: 3 were found.', usage: { inputTokens: 5000, outputTokens: 50 } };
        searches += 1;
        return forcedTool === undefined ? { text: long, ...page(searches) } : done;
      },
    };
    const record = await run({ api, tools: [tool('search', 'few')], settings, script });
    const summaries = record.events.filter((event) => event.type === 'context.reduced' && event.summary !== undefined);
    expect(summaries).toHaveLength(1);
    expect(record.scripted.requests).toHaveLength(settings.maxRounds + 1);
    expect(record.state.usage.requests).toBe(settings.maxRounds + 1);
    expect(record.state.usage.inputTokens).toBe(5000 + 100 * settings.maxRounds);
    const asked = record.scripted.requests.findIndex(({ tools }) => tools.length === 0);
    expect(userTextIn(record, asked + 1)).toMatch(
      /^How many\?\n\nWhat you have found out so far:\nThe summary: 3 were found\./,
    );
    expect(record.scripted.requests[asked + 1]?.messages.length).toBeLessThan(5);
    expect(record.state.ended).toMatchObject({ status: 'success', degraded: 'forced' });
  });

  it('counts a summary towards the limits, before the next request', async () => {
    const long = 'y'.repeat(9000);
    const script = {
      respond: ({ tools }: { tools: unknown[] }) =>
        tools.length === 0 ? { text: 'Summary.', usage: { inputTokens: 50_000 } } : { text: long, ...page(1) },
    };
    const limited = { ...settings, maxTotalTokens: 20_000 };
    const record = await run({ api, tools: [tool('search', 'few')], settings: limited, script });
    expect(record.scripted.requests.at(-1)?.tools).toEqual([]);
    expect(record.state.ended?.status).toBe('incomplete');
  });

  it('is forced to its answer where nothing more can be left out, and ends before a request would be too long', async () => {
    const long = 'y'.repeat(1900);
    const script = {
      respond: ({ tools, forcedTool }: { tools: unknown[]; forcedTool: string | undefined }) => {
        if (tools.length === 0) return { text: 'Summary.' };
        return forcedTool === undefined ? { text: long, ...page(1) } : done;
      },
    };
    const many = { ...settings, contextTokens: 5_000, maxRounds: 60 };
    const record = await run({ api, tools: [tool('search', 'few')], settings: many, script });
    const { length } = record.scripted.requests;
    expect(length).toBeLessThan(60);
    expect(Math.max(...sizes(record))).toBeLessThan(many.contextTokens - many.maxTokens);
    expect(record.events.filter((event) => event.type === 'context.reduced' && event.summary)).toHaveLength(1);
    expect(record.scripted.requests.map(({ forcedTool }) => forcedTool).lastIndexOf(undefined)).toBe(length - 2);
    expect(record.state.ended).toMatchObject({ status: 'success', degraded: 'forced' });
  });

  const reason = "The conversation does not fit the model's context of 10000 tokens (contextTokens).";

  it('is not sent if the arguments of the caller alone are too long', async () => {
    const args = { query: 'long '.repeat(20_000) };
    const { state, scripted } = await run({ api, args, settings, script: { turns: [done] } });
    expect(state.ended).toEqual(expect.objectContaining({ status: 'incomplete', answer: null, reason }));
    expect(scripted.requests).toEqual([]);
  });

  it('is not sent if the arguments of a call are too long', async () => {
    const turns = [{ calls: [call({ text: 'long '.repeat(20_000) })] }, done];
    const record = await run({ api, tools: [tool('search', rows(3000))], settings, script: { turns } });
    expect(record.state.ended).toMatchObject({ status: 'incomplete', reason });
    expect(record.scripted.requests).toHaveLength(1);
  });

  it('is not sent if the model has no room beside its answer', async () => {
    const full = { ...settings, maxTokens: 10_000 };
    const { state, scripted } = await run({ api, settings: full, script: { turns: [done] } });
    expect(state.ended).toMatchObject({ status: 'incomplete', reason });
    expect(scripted.requests).toEqual([]);
    const nearly = await run({ api, settings: { ...settings, maxTokens: 9_000 }, script: { turns: [done] } });
    expect(nearly.state.ended).toMatchObject({ status: 'success', answer: { total: 3 } });
  });

  it('keeps its rounds if their summary has no text', async () => {
    let searches = 0;
    const script = {
      respond: ({ tools, forcedTool }: { tools: unknown[]; forcedTool: string | undefined }) => {
        searches += 1;
        if (tools.length === 0) return { text: ' ' };
        return forcedTool === undefined ? { text: `${'y'.repeat(6000)} ${searches}`, ...page(searches) } : done;
      },
    };
    const record = await run({ api, tools: [tool('search', 'few')], settings, script });
    const { messages = [] } = record.scripted.requests.at(-1) ?? {};
    expect(messages.some(({ text }) => text.endsWith('y 1'))).toBe(true);
    expect(record.state.ended).toMatchObject({ status: 'success', degraded: 'forced' });
  });

  it('keeps the request for its summary short as well, if the run goes on with a smaller model', async () => {
    const script = {
      respond: ({ tools, forcedTool }: { tools: unknown[]; forcedTool: string | undefined }) => {
        if (tools.length === 0) return { text: 'Summary.' };
        return forcedTool === undefined ? { text: '潮'.repeat(8000), ...page(1) } : done;
      },
    };
    const tools = [tool('search', 'few')];
    const { events } = await run({ api, tools, settings: { maxRounds: 5 }, script });
    const journal = createMemoryJournal('run-1');
    for (const event of events.slice(
      0,
      events.findLastIndex(({ type }) => type === 'round.started'),
    ))
      journal.append(event);
    const { scripted } = await run({ api, tools, settings, script, journal });
    expect(scripted.requests.map(({ tools: { length } }) => length > 0)).toEqual([false, true]);
    const bytes = scripted.requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
    expect(Math.max(...bytes) / 4).toBeLessThan(settings.contextTokens - settings.maxTokens);
  });

  it('shows the beginning of shortened answers, whatever was shortened before', async () => {
    const tools = [tool('search', `${rows(3000)}\nThis answer is incomplete.`, { effect: 'write' })];
    const turns = [page(1), page(2), page(3), done];
    const record = await run({ api, tools, settings, script: { turns } });
    expect(resultsIn(record, 3)[0]).toContain('xxxxx');
    expect(resultsIn(record, 3)[0]).toContain('This answer is incomplete, because it is too long');
    const whole = tool('search', '', {
      call: async (_args, { maxLength }) => fitAnswer(JSON.parse(rows(9000)), maxLength),
    });
    const again = await run({ api, tools: [whole], settings: { ...settings, maxToolAnswer: 3000 }, script: { turns } });
    expect(resultsIn(again, 3)[0]).toContain('[{"id":0,');
  });
});
