import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createScriptedModel, type ScriptedModelOptions } from '@schemakit/agent-server/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { connect, names, serve } from './support/served.ts';

const answer = { title: 'March', analysis: 'Sow broad beans.', keyFindings: [], sources: [] };
const submit = { calls: [{ name: 'submit_answer', args: answer }] };

/** A project with the agent of `agent init`, and a model. */
async function agentProject(script: ScriptedModelOptions = { turns: [] }) {
  const model = await createScriptedModel(script);
  onTestFinished(() => model.close());
  const project = await cliProject(
    {},
    { LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model', GARDEN_API_KEY: 'the-key-of-the-garden' },
  );
  const created = project.run('agent', 'init', 'helper');
  return { ...project, model, created, file: 'agents/helper/agent.mjs' };
}

describe('schemakit agent init', () => {
  test('creates an agent whose tests pass without a key, a model or a network', async () => {
    const { run, created, file, json, read } = await agentProject();
    expect(created).toMatchObject({ status: 0, json: { status: true, file, agent: 'helper' } });
    const replayed = run('agent', 'test', file, '--replay', '--report', 'junit=report.xml', '--review', 'review.md');
    expect(replayed).toMatchObject({
      status: 0,
      json: { status: true, total: 3, passed: 3, failed: 0, review: 'review.md' },
    });
    const times = (replayed.json.results as { durationMs: number }[]).map(({ durationMs }) => durationMs);
    expect(Math.max(...times)).toBeGreaterThan(0);
    expect(read('project/report.xml')).toMatch(/<testcase [^>]* time="(?!0\.000)/);
    expect(json('project/agents/helper/recordings/1.json')).toMatchObject({
      agent: 'gardener',
      llm: { api: 'anthropic' },
    });
  });

  test.each([
    ['Not a name', 2],
    ['helper', 2],
  ])('refuses %j and writes nothing', async (name, status) => {
    const { run, read } = await agentProject();
    const before = read('project/agents/helper/agent.mjs');
    expect(run('agent', 'init', name).status).toBe(status);
    expect(read('project/agents/helper/agent.mjs')).toBe(before);
  });
});

describe('schemakit agent test', () => {
  test('refuses a report that is made for schemas', async () => {
    const { run, file, has } = await agentProject();
    expect(run('agent', 'test', file, '--replay', '--report', 'html')).toMatchObject({
      status: 2,
      json: { error: 'There is no html report of an agent.', fix: expect.stringContaining('--review review.html') },
    });
    expect(has('project/schemakit-test.html')).toBe(false);
  });

  test('names the part of the request that a recording does not have, and asks nobody', async () => {
    const { run, file, model, folder } = await agentProject();
    const path = join(folder, file);
    await writeFile(path, (await readFile(path, 'utf8')).replace('Answer briefly', 'Answer at length'));
    const { status, json } = run('agent', 'test', file, '--replay');
    expect(status).toBe(5);
    expect(JSON.stringify(json)).toContain('body.system[0].text: requested');
    expect(model.requests).toHaveLength(0);
  });

  test('compares the called tools and the answer', async () => {
    const { start, file } = await agentProject({ respond: () => submit });
    const { status, json } = await start('agent', 'test', file);
    expect(status).toBe(4);
    expect(json).toMatchObject({ status: false, total: 3, failed: 3 });
    const [{ messages }] = (json as { results: [{ messages: string[] }] }).results;
    expect(messages).toEqual(['garden/tool/getCalendar was not called']);
  });

  test('shows how stable a test is', async () => {
    let count = 0;
    const { start, file } = await agentProject({
      respond() {
        count += 1;
        return submit;
      },
    });
    const { json } = await start('agent', 'test', file, '--repeat', '2');
    expect(json).toMatchObject({ total: 6, stability: [{ test: 1, passed: 0, runs: 2 }, {}, {}] });
    expect(count).toBe(6);
  });

  test('records what can be replayed, without secrets', async () => {
    const upstream = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ seen: request.headers['x-key'], height: 3 }));
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const root = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const model = await createScriptedModel({
      respond: ({ messages }) =>
        messages.length > 1 ? submit : { calls: [{ name: 'tideguide__getHeight', args: {} }] },
    });
    const env = { LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model', TIDE_KEY: 'the-key-of-the-tides' };
    const { start, run, read } = await cliProject({ 'project/agent.mjs': inlineAgent(root) }, env);
    expect(await start('agent', 'test', 'agent.mjs', '--record')).toMatchObject({ status: 0, json: { passed: 3 } });
    await model.close();
    upstream.close();
    const recording = read('project/recordings/1.json');
    for (const secret of [env.LLM_API_KEY, env.TIDE_KEY]) expect(recording).not.toContain(secret);
    expect(run('agent', 'test', 'agent.mjs', '--replay')).toMatchObject({ status: 0, json: { passed: 3 } });
  });
});

function inlineAgent(root: string): string {
  const tool = {
    root,
    method: 'GET',
    path: '/height',
    description: 'Gets the height.',
    parameters: [],
    headers: { 'X-Key': '{{TIDE_KEY}}' },
  };
  const cases = ['One', 'Two', 'Three'].map((input) => ({
    _description: input,
    input,
    expectedTools: ['getHeight'],
    expectedContent: ['march'],
  }));
  const agent = {
    name: 'tide-guide',
    version: 'schemakit/3.0.0',
    description: 'Knows heights.',
    model: 'anthropic/claude-test',
    systemPrompt: 'You know heights.',
    tools: { getHeight: tool },
    requiredServerParams: ['TIDE_KEY'],
    tests: cases,
  };
  return `export const agent = ${JSON.stringify(agent)};`;
}

describe('schemakit agent serve', () => {
  test('serves each agent as one tool', async () => {
    const { folder, home, file, model } = await agentProject({ respond: () => submit });
    const env = { SCHEMAKIT_HOME: home, LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model' };
    const { url, document } = await serve([file], env, { cwd: folder, words: ['agent', 'serve'] });
    expect(document).toMatchObject({ status: true, agents: 1 });
    const client = await connect(url);
    expect(await names(client)).toEqual(['helper']);
    const result = await client.callTool({ name: 'helper', arguments: { query: 'What can I sow?' } });
    expect(result.structuredContent).toEqual(answer);
  });

  test.each([
    [['--host', '0.0.0.0'], 'no authentication'],
    [['--events'], '--events needs a token'],
    [['--max-cost', 'much'], '--max-cost much is not an amount'],
  ])('refuses %j', async (flags, text) => {
    const { run, file } = await agentProject();
    const { status, json } = run('agent', 'serve', file, ...flags);
    expect(status).toBe(2);
    expect(JSON.stringify(json)).toContain(text);
  });
});

test('schemakit agent validate finds a tool that no schema has', async () => {
  const { run, file, folder } = await agentProject();
  const path = join(folder, file);
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll('garden/tool/readSoil', 'garden/tool/readSoul'));
  const { status, json } = run('agent', 'validate', file);
  expect(status).toBe(4);
  expect(JSON.stringify(json)).toContain('garden/tool/readSoul');
});

describe('schemakit agent run', () => {
  test('prints the answer with its report', async () => {
    const { start, file } = await agentProject({ turns: [submit] });
    const { status, json } = await start('agent', 'run', file, 'What can I sow in March?');
    expect(status).toBe(0);
    expect(json).toMatchObject({ status: true, answer, run: { status: 'success', rounds: 1 } });
  });

  test('fails with what there is', async () => {
    const { start, file } = await agentProject({ respond: () => ({ text: 'I do not know.' }) });
    const { status, json } = await start('agent', 'run', file, 'What can I sow in March?');
    expect(status).toBe(1);
    expect(json).toMatchObject({ status: false, run: { status: 'incomplete' } });
  });

  test('says which settings of the model are missing', async () => {
    const { run } = await cliProject();
    run('agent', 'init', 'helper');
    const { status, json } = run('agent', 'run', 'agents/helper/agent.mjs', 'Hello');
    expect(status).toBe(6);
    expect(json).toMatchObject({ error: 'LLM_BASE_URL and LLM_API_KEY are not set.' });
  });
});
