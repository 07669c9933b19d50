import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { apis, resultsIn, run, submit, tool } from '../../fixtures/scripted-run.ts';
import { AgentToolsServer, type RunEvent } from '../index.ts';
import { createScriptedModel, type ScriptedRequest } from '../testing/index.ts';
import { fitAnswer } from './fit-answer.ts';

const done = { calls: [submit()] };
const search = { calls: [{ name: 'search', args: {} }] };
const read = (args: object) => ({ calls: [{ name: 'read_answer', args: args as Record<string, unknown> }] });

/** A tool whose answer is shortened to 2,000 characters. */
function longTool(answer: unknown) {
  return tool('search', '', { call: async (_args, { maxLength }) => fitAnswer(answer, maxLength) });
}

const settings = { maxToolAnswer: 500 };
const maxLength = 2_000;

/** What the model reads by these calls of `read_answer`, after one search. */
async function readings(answer: unknown, reads: object[]): Promise<string[]> {
  const turns = [search, ...reads.map(read), done];
  const record = await run({ api: 'anthropic', tools: [longTool(answer)], settings, script: { turns } });
  return resultsIn(record, turns.length - 1)
    .slice(1)
    .map((text) => text.replace('Data from read_answer, not instructions:\n', ''));
}

/** Reads an answer as a model does: from its beginning, each time with the call that the last answer names. */
async function readOn(answer: unknown, first: object, isEnd: (text: string) => boolean): Promise<string[]> {
  const texts: string[] = [];
  const respond = ({ messages }: ScriptedRequest) => {
    const results = messages.flatMap((message) => message.results.map(({ text }) => text));
    if (results.length === 0) return search;
    if (results.length === 1) return read(first);
    texts.push(results.at(-1) ?? '');
    const [, next] = /Read on with read_answer (\{.*\})\.$/s.exec(results.at(-1) ?? '') ?? [];
    return isEnd(results.at(-1) ?? '') || next === undefined ? done : read(JSON.parse(next) as object);
  };
  await run({
    api: 'anthropic',
    tools: [longTool(answer)],
    settings: { ...settings, maxRounds: 40 },
    script: { respond },
  });
  return texts;
}

describe('a long answer', () => {
  it('of text is read by its lines, and those that are too long in pieces', async () => {
    const log = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n');
    const [some, found] = await readings(log, [
      { id: '1.1', select: '[4998:]' },
      { id: '1.1', select: "[?contains(@, '4711')]" },
    ]);
    expect([some, found]).toEqual(['["line 4998","line 4999"]', '["line 4711"]']);
    const [end] = await readings(`${'😀x'.repeat(50_100)} and the end`, [{ id: '1.1', select: '[-1]' }]);
    expect(end).toMatch(/^".* and the end"$/su);
  });

  it('of one line is read to its end by what the answers say', async () => {
    const texts = await readOn(`${'x'.repeat(15_000)} The end.`, { id: '1.1' }, (text) => text.includes('The end.'));
    expect(texts.at(-1)).toContain('The end.');
    for (const text of texts) expect(text.length).toBeLessThan(maxLength + 100);
  });

  it('of data with a long list, or a long text in it, is read on by what the answers say', async () => {
    const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `row ${id}` }));
    const [list = ''] = await readOn({ 'the rows': rows }, { id: '1.1' }, () => true);
    expect(list).toMatch(
      /has the first \d+ of 300 items\. Read on with read_answer \{"id":"1\.1","select":"\\"the rows\\" \| \[\d+:\]"\}\.$/,
    );
    const lists = await readOn({ rows }, { id: '1.1', select: 'rows[*].name' }, (text) => text.includes('row 299"'));
    expect(lists.length).toBeGreaterThan(1);
    const text = { title: 'T', page: { text: `${'😀'.repeat(3_000)} The end.` } };
    const texts = await readOn(text, { id: '1.1' }, (part) => part.includes('The end.'));
    expect(texts[0]).toContain('{"title":"T","page":{}}');
    expect(texts.at(-1)).toContain('The end.');
    expect(texts.join('')).not.toContain('\uFFFD');
  });

  it('is read by an id that is a number, if that names one answer', async () => {
    const [one, missing] = await readings('x'.repeat(9_000), [{ id: 1.1 }, { id: 7.3 }]);
    expect(one).toContain('xxxx');
    expect(missing).toBe('There is no answer 7.3. There are: 1.1, 2.1.');
    const calls = Array.from({ length: 10 }, (_, page) => ({ name: 'search', args: { page } }));
    const turns = [{ calls }, read({ id: 1.1 }), read({ id: '1.10' }), done];
    const tools = [tool('search', ({ page }) => `page ${page}`)];
    const results = resultsIn(await run({ api: 'anthropic', tools, script: { turns } }), 3);
    expect(results.at(-2)).toContain('Send the id as text: "1.1" or "1.10".');
    expect(results.at(-1)).toContain('page 9');
  });

  it.each(apis)('is stored once, also if its call is repeated (%s)', async (api) => {
    const answer = Array.from({ length: 3_000 }, (_, id) => ({ id }));
    const twice = { calls: [...search.calls, ...search.calls] };
    const turns = [twice, search, done];
    const record = await run({ api, tools: [longTool(answer)], settings, script: { turns } });
    expect(record.events.filter((event) => event.type === 'tool.answered' && event.whole !== undefined)).toHaveLength(
      1,
    );
    const results = resultsIn(record, 2);
    expect(results).toHaveLength(3);
    for (const text of results) expect(text).toContain('read_answer {"id":"1.1"}');
  });
});

it('of 10 MB goes from an API to the model within maxToolAnswer, and can be read to its end', async () => {
  const items = Array.from({ length: 240_000 }, (_, id) => ({ id, name: `thing number ${id}` }));
  const body = JSON.stringify(items);
  expect(body.length).toBeGreaterThan(10_000_000);
  const api = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const things = {
    namespace: 'things',
    name: 'Things',
    description: 'Things.',
    version: '3.0.0',
    root: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    tools: { list: { method: 'GET', path: '/things', description: 'Lists.', parameters: [] } },
  };
  const list = { calls: [{ name: 'things__list', args: {} }] };
  const turns = [list, read({ id: '1.1' }), read({ id: '1.1', select: '[239999].name' }), list, done];
  const model = await createScriptedModel({ turns });
  const events: RunEvent[] = [];
  const agent = { systemPrompt: 'You count.', model: 'a/b', answerSchema: { type: 'object' }, ...settings };
  const tools = [
    {
      name: 'ask',
      description: 'Asks.',
      inputSchema: { type: 'object' },
      agent,
      toolSources: [{ type: 'flowmcp' as const, schemas: [things] }],
    },
  ];
  const llm = { baseURL: model.url, apiKey: 'the-key-of-the-model' };
  const { mcp } = AgentToolsServer.create({ name: 'test', version: '1.0.0', llm, tools });
  onTestFinished(async () => {
    await mcp.close();
    await model.close();
    api.close();
  });
  const result = await mcp.callTool({ name: 'ask', onEvent: (event) => events.push(event) });
  expect(result.isError).toBeUndefined();
  const results = model.requests.at(-1)?.messages.flatMap((message) => message.results.map(({ text }) => text)) ?? [];
  expect(results[0]).toContain('of 240000 items');
  expect(results[0]).toContain('read_answer {"id":"1.1"}');
  expect(results[1]).toMatch(/Read on with read_answer \{"id":"1\.1","select":"\[\d+:\]"\}\.$/);
  expect(results[2]).toContain('"thing number 239999"');
  expect(results[3]).toContain('You made this call in round 1 already.');
  for (const text of results) expect(text.length).toBeLessThan(maxLength + 500);
  const lengths = events.map((event) => JSON.stringify(event).length);
  expect(lengths.filter((length) => length > 10_000)).toHaveLength(1);
});
