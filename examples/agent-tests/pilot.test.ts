// Tests of an agent without a model: a script says what the model answers, and the tests look at what the agent makes of it.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, test } from 'node:test';
import { createScriptedModel, type ScriptedModelOptions } from '@schemakit/agent-server/testing';
import { startTideApi } from '../first-schema/api.ts';
import { servePilot } from './serve-pilot.ts';

const api = await startTideApi();
after(() => api.close());

/** Asks the agent once, while the model follows a script. */
async function ask(query: string, script: ScriptedModelOptions) {
  const model = await createScriptedModel(script);
  const { mcp, findings } = await servePilot({ llm: { baseURL: model.url, apiKey: 'not-needed' }, apiUrl: api.url });
  const result = await mcp.callTool({ name: 'pilot', arguments: { query } });
  await mcp.close();
  await model.close();
  const run = Object(result._meta?.['schemakit/run']) as { status: string; cost: number; degraded?: string };
  const answers = model.requests.at(-1)?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
  return { result, run, findings, requests: model.requests, answers };
}

const getTides = (harbour: string) => ({ calls: [{ name: 'tides__getTides', args: { harbour } }] });
const submit = (hour: string) => ({ calls: [{ name: 'submit_answer', args: { hour, reason: 'High water.' } }] });

test('the model gets its instructions, its tools and the question', async () => {
  const { requests, findings } = await ask('When should I enter Dover?', { turns: [submit('11:20')] });
  deepEqual(findings, []);
  const [first] = requests;
  match(first?.system ?? '', /You help sailors/);
  match(first?.system ?? '', /choose-hour: Choose an hour/);
  equal(first?.messages[0]?.text, 'When should I enter Dover?');
  ok(first?.tools.some(({ name }) => name === 'tides__getTides'));
});

test('the answer of the API reaches the model, and its answer the caller', async () => {
  const { result, answers } = await ask('When?', { turns: [getTides('dover'), submit('11:20')] });
  match(answers[0] ?? '', /"time":"11:20"/);
  deepEqual(result.structuredContent, { hour: '11:20', reason: 'High water.' });
});

test('a wrong harbour is told to the model with the right ones', async () => {
  const { answers, run } = await ask('When?', { turns: [getTides('dovre'), getTides('dover'), submit('11:20')] });
  match(answers[0] ?? '', /Did you mean "dover"\?/);
  equal(run.status, 'success');
});

test('an hour that is none goes back to the model', async () => {
  const { answers, result } = await ask('When?', { turns: [submit('noon'), submit('11:20')] });
  match(answers[0] ?? '', /hour does not fit/);
  equal(Object(result.structuredContent).hour, '11:20');
});

test('an overloaded model is asked again', async () => {
  const { run } = await ask('When?', { turns: [submit('11:20')], faults: { 0: { status: 529, retryAfter: 0 } } });
  equal(run.status, 'success');
});

test('a run does not cost more than it may', async () => {
  const usage = { inputTokens: 20_000 };
  const { run, result } = await ask('When?', { turns: [{ ...getTides('dover'), usage }] });
  deepEqual([run.status, run.cost, result.isError], ['incomplete', 0.0603, true]);
});
