import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createScriptedModel, type ScriptedModelOptions } from '@schemakit/agent-server/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { startCommand } from './support/command.ts';
import { freePort } from './support/free-port.ts';
import { connect, names, serve } from './support/served.ts';

const command = resolve('packages/cli/bin/schemakit.js');
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
    const next = created.json.next as string[];
    expect(next.at(-1)).toBe(`schemakit agent test ${file} --record`);
    for (const line of next.slice(0, -1)) expect(run(...line.split(' ').slice(1))).toMatchObject({ status: 0 });
    const replayed = run('agent', 'test', file, '--replay', '--report', 'junit=report.xml', '--review', 'review.md');
    expect(replayed).toMatchObject({
      status: 0,
      json: { status: true, total: 3, passed: 3, failed: 0, review: 'review.md' },
    });
    const times = (replayed.json.results as { durationMs: number }[]).map(({ durationMs }) => durationMs);
    expect(Math.max(...times)).toBeGreaterThan(0);
    expect(read('project/report.xml')).toMatch(/<testcase [^>]* time="(?!0\.000)/);
    expect(read('project/report.xml')).toContain('<testsuites name="schemakit agent test"');
    expect(json('project/agents/helper/recordings/helper/what-to-sow-in-a-month.json')).toMatchObject({
      agent: 'helper',
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
    expect(has('project/schemakit-agent-test.html')).toBe(false);
    expect(run('agent', 'test', file, '--replay', '--report', 'xml').json).toMatchObject({
      error: 'Unknown report "xml".',
      fix: 'Kinds: junit, json.',
    });
  });

  test('names the part of the request that a recording does not have, and asks nobody', async () => {
    const { run, file, model, folder } = await agentProject();
    const path = join(folder, file);
    await writeFile(path, (await readFile(path, 'utf8')).replace('Answer briefly', 'Answer at length'));
    const { status, json } = run('agent', 'test', file, '--replay');
    expect(status).toBe(4);
    const [{ messages }] = (json as { results: [{ messages: string[] }] }).results;
    expect(messages).toEqual([
      expect.stringMatching(
        /^agents\/helper\/recordings\/helper\/what-.*\.json: POST .* is not in the recording: body\.system\[0\]\.text: req/,
      ),
    ]);
    expect(messages[0]).toContain('Answer at length');
    expect(json.fix).toContain('record the test again');
    expect(String(json.summary).length).toBeLessThan(130);
    expect(model.requests).toHaveLength(0);
  });

  test('replays recordings of earlier versions, also where tests have changed places', async () => {
    const { run, file, folder } = await agentProject();
    const recordings = join(folder, 'agents/helper/recordings');
    const old = ['a-search-then-the-soil-of-a-bed', 'what-to-sow-in-a-month', 'two-facts-about-one-plant'];
    for (const [index, name] of old.entries())
      await rename(join(recordings, 'helper', `${name}.json`), join(recordings, `${index + 1}.json`));
    expect(run('agent', 'test', file, '--replay')).toMatchObject({ status: 0, json: { passed: 3 } });
  });

  test('keeps the recordings of agents in one folder apart', async () => {
    const upstream = createServer((_request, response) => response.end('{"height":3}'));
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const root = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const model = await createScriptedModel({
      respond: ({ messages, tools: [tool] }) =>
        messages.length > 1 ? submit : { calls: [{ name: tool?.name ?? '', args: {} }] },
    });
    const env = { LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model', TIDE_KEY: 'the-key-of-the-tides' };
    const guide = inlineAgent({ getHeight: root });
    const files = { 'project/guide.mjs': guide, 'project/watch.mjs': guide.replace('tide-guide', 'tide-watch') };
    const { start, run } = await cliProject(files, env);
    for (const file of ['guide.mjs', 'watch.mjs'])
      expect((await start('agent', 'test', file, '--record')).json).toMatchObject({ passed: 3, recorded: 3 });
    await model.close();
    upstream.close();
    for (const file of ['guide.mjs', 'watch.mjs'])
      expect(run('agent', 'test', file, '--replay')).toMatchObject({ status: 0, json: { passed: 3 } });
  });

  test('runs only the tests that are named', async () => {
    const { run, file } = await agentProject();
    const replay = ['agent', 'test', file, '--replay', '--only'];
    expect(run(...replay, 'LEEKS').json).toMatchObject({ total: 1, results: [{ test: 3 }] });
    expect(run(...replay, 'apples')).toMatchObject({ status: 3, json: { error: 'No test contains "apples".' } });
  });

  test('compares the called tools and the answer', async () => {
    const { start, file } = await agentProject({ respond: () => submit });
    const { status, json } = await start('agent', 'test', file, '--record');
    expect(status).toBe(4);
    expect(json).toMatchObject({ status: false, total: 3, failed: 3, recorded: 0 });
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
    expect(json.summary).toMatch(/^3 of 3 tests failed in 6 of 6 runs: /);
    expect(json).toMatchObject({ total: 6, stability: [{ test: 1, passed: 0, runs: 2 }, {}, {}] });
    expect(count).toBe(6);
  });

  test.each([
    ['of APIs', 'the-key-of-the-tides'],
    ['without a key', ''],
  ])('replays failed calls %s as they failed, and says that there was no data', async (_name, TIDE_KEY) => {
    const upstream = createServer((_request, response) => response.writeHead(500).end('{"why":"broken"}'));
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const { port } = upstream.address() as AddressInfo;
    const roots = { getHeight: `http://127.0.0.1:${port}`, getTemperature: 'http://127.0.0.1:1' };
    const names = Object.keys(roots);
    const model = await createScriptedModel({
      respond: ({ messages }) =>
        messages.length > 1 ? submit : { calls: names.map((name) => ({ name: `tideguide__${name}`, args: {} })) },
    });
    onTestFinished(() => model.close());
    const env = { LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model', TIDE_KEY };
    const { start, run } = await cliProject({ 'project/agent.mjs': inlineAgent(roots) }, env);
    const recorded = await start('agent', 'test', 'agent.mjs', '--record');
    upstream.close();
    expect(recorded).toMatchObject({
      status: 0,
      json: {
        summary: '3 tests passed. In 3 of 3, every tool call failed.',
        results: [{ messages: [expect.stringContaining('every tool call failed')] }, {}, {}],
      },
    });
    const timeless = ({ json }: { json: unknown }) =>
      JSON.stringify(json).replace(/"durationMs":\d+|,"recorded":3/g, '');
    expect(timeless(run('agent', 'test', 'agent.mjs', '--replay'))).toBe(timeless(recorded));
  });

  test.each(['md', 'html'])('writes a review sheet in %s that no answer can break', async (kind) => {
    const hostile = '<script>alert(1)</script> | `a` ``` # \n## b';
    const { start, file, folder, read } = await agentProject({
      respond: ({ messages }) =>
        messages.length > 1
          ? { calls: [{ name: 'submit_answer', args: { ...answer, analysis: hostile.repeat(500) } }] }
          : { calls: [{ name: 'garden__searchPlants', args: { q: hostile } }] },
    });
    const path = join(folder, file);
    const text = (await readFile(path, 'utf8')).replace(
      /What can I sow in March\?|What to sow in a month/g,
      hostile.replace('\n', '\\n'),
    );
    await writeFile(path, text);
    await start('agent', 'test', file, '--review', `sheet.${kind}`);
    const sheet = read(`project/sheet.${kind}`);
    // Markdown shows what is in fences and spans of code as it is.
    const markup = sheet.replace(/^(`{3,})\n[\s\S]*?\n\1$/gm, '').replace(/(?<!`)(`+) .*? \1(?!`)/g, '');
    expect(markup).not.toMatch(kind === 'md' ? /(?<!\\)<script|^## b/m : /<script/);
    expect(sheet).toContain('Your assessment');
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
    const { start, run, read } = await cliProject({ 'project/agent.mjs': inlineAgent({ getHeight: root }) }, env);
    expect(await start('agent', 'test', 'agent.mjs', '--record')).toMatchObject({ status: 0, json: { passed: 3 } });
    await model.close();
    upstream.close();
    const recording = read('project/recordings/tide-guide/one.json');
    for (const secret of [env.LLM_API_KEY, env.TIDE_KEY]) expect(recording).not.toContain(secret);
    expect(run('agent', 'test', 'agent.mjs', '--replay')).toMatchObject({ status: 0, json: { passed: 3 } });
  });
});

/** @param roots of its tools, by name. */
function inlineAgent(roots: Readonly<Record<string, string>>): string {
  const names = Object.keys(roots);
  const tools = names.map((name) => ({
    root: roots[name],
    method: 'GET',
    path: '/height',
    description: 'Gets the height.',
    parameters: [],
    headers: { 'X-Key': '{{TIDE_KEY}}' },
  }));
  const cases = ['One', 'Two', 'Three'].map((input) => ({
    _description: input,
    input,
    expectedTools: names,
    expectedContent: ['march'],
  }));
  const agent = {
    name: 'tide-guide',
    version: 'schemakit/3.0.0',
    description: 'Knows heights.',
    model: 'anthropic/claude-test',
    systemPrompt: 'You know heights.',
    tools: Object.fromEntries(names.map((name, index) => [name, tools[index]])),
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

  test('prints its address as one line, and takes the flags of who may connect', async () => {
    const { folder, home, file, model } = await agentProject();
    const flags = ['--port', '0', '--token', 'a-token', '--allowed-host', 'agents.example.com'];
    const child = spawn(process.execPath, [command, 'agent', 'serve', file, ...flags], {
      cwd: folder,
      env: { ...process.env, SCHEMAKIT_HOME: home, LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(createInterface(child.stdout), 'line');
    const url = expect.stringMatching(/^http:\/\/agents\.example\.com:\d+\/mcp$/);
    expect(JSON.parse(line)).toEqual({ url, status: true, agents: 1 });
  });

  test('serves agents over A2A, with a card that inspect approves', async () => {
    const { folder, home, file, model, run } = await agentProject({ respond: () => submit });
    const env = { SCHEMAKIT_HOME: home, LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model' };
    const { url, document } = await serve([file, '--a2a'], env, { cwd: folder, words: ['agent', 'serve'] });
    expect(document.agentCard).toBe(new URL('/.well-known/agent-card.json', url).href);
    const { json } = run('inspect', url, '--all', '--probe', 'none');
    const { categories, entries, messages } = (json.layers as Record<string, Record<string, object>>).a2a ?? {};
    expect(messages).toEqual([]);
    expect(categories).toMatchObject({ isReachable: true, hasValidStructure: true, hasSkills: true });
    expect(entries).toMatchObject({
      skills: [{ id: 'helper' }],
      interfaces: [{ state: 'answers' }, { state: 'answers' }],
    });
  });

  test('signs the agent card with a key, which inspect finds', async () => {
    const { folder, home, file, model, run } = await agentProject();
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(join(folder, 'card.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const env = { SCHEMAKIT_HOME: home, LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model' };
    const port = String(await freePort());
    const a2a = ['--a2a', '--a2a-url', `http://127.0.0.1:${port}/a2a`, '--a2a-key', 'card.pem'];
    const flags = [...a2a, '--port', port, '--token', 'sesame-token'];
    const { url } = await serve([file, ...flags], env, { cwd: folder, words: ['agent', 'serve'] });
    const { json } = run('inspect', url, '--all', '--probe', 'none', '--header', 'Authorization: Bearer sesame-token');
    const { entries, messages } = (json.layers as Record<string, Record<string, object>>).a2a ?? {};
    expect(messages).toEqual([]);
    // One for clients that lose security schemes, and one for the others.
    expect(entries).toMatchObject({ signatures: [{ state: 'valid' }, { state: 'valid' }] });
  });

  test('limits the cost of runs by the prices of the model', async () => {
    const usage = { inputTokens: 500_000, outputTokens: 0 };
    const look = { calls: [{ name: 'garden__searchPlants', args: {} }], usage };
    const { folder, home, file, model, run } = await agentProject({ respond: () => look });
    expect(run('agent', 'serve', file, '--max-cost', '1')).toMatchObject({
      json: { fix: expect.stringContaining('--prices <input>,<output>') },
    });
    const env = { SCHEMAKIT_HOME: home, LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model' };
    const flags = ['--max-cost', '1', '--prices', '2,10'];
    const { url } = await serve([file, ...flags], env, { cwd: folder, words: ['agent', 'serve'] });
    const result = await (await connect(url)).callTool({ name: 'helper', arguments: { query: 'What can I sow?' } });
    expect(result).toMatchObject({ isError: true, _meta: { 'schemakit/run': { rounds: 1, cost: 1 } } });
  });

  test('names the file and the place of what is wrong in a manifest', async () => {
    const { run } = await agentProject();
    const { folder } = await cliProject();
    await writeFile(join(folder, 'agent.mjs'), "export const agent = {\n  name: 'No name',\n};\n");
    const { status, json, stderr } = run('--cwd', folder, 'agent', 'serve', 'agent.mjs');
    expect(status).toBe(4);
    expect(json).toMatchObject({ error: 'agent.mjs:2:3: agent.name cannot be "No name"' });
    expect(stderr).toContain('agent.mjs:2:3: error');
  });

  test.each([
    [['--host', '0.0.0.0'], 'no authentication'],
    [['--events'], '--events needs a token'],
    [['--a2a-key', 'card.pem'], 'need --a2a.'],
    [['--a2a', '--a2a-key', 'missing.pem'], '--a2a-key: ENOENT'],
    [['--a2a', '--a2a-key', 'empty.pem'], '--a2a-key: this is no private key (PEM)'],
    [['--a2a', '--a2a-key', 'card.pem'], '--a2a-key needs --a2a-url'],
    [['--max-cost', 'much'], 'max-cost: expected a number above 0'],
  ])('refuses %j', async (flags, text) => {
    const { run, file, folder } = await agentProject();
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(join(folder, 'card.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(join(folder, 'empty.pem'), '');
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
  expect(json).toMatchObject({
    error: '1 of 1 agent has errors.',
    results: [{ findings: [{ code: 'AGS005', hint: 'Did you mean garden/tool/readSoil?' }] }],
  });
  expect(JSON.stringify(json)).toContain('garden/tool/readSoul');
});

describe('schemakit agent run', () => {
  test('masks the secrets of its tools, and no other variables', async () => {
    const { model, folder, home, file } = await agentProject({ respond: () => submit });
    const env = { ...{ LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model' }, FRUIT: 'tomatoes' };
    const secrets = { GARDEN_API_KEY: 'the-key-of-the-garden', LLM_API: 'anthropic', SCHEMAKIT_HOME: home };
    const question = 'Which tomatoes like the-key-of-the-garden?';
    await startCommand(['agent', 'run', file, question], { cwd: folder, env: { ...env, ...secrets } });
    expect(model.requests[0]?.messages[0]?.text).toBe('Which tomatoes like [REDACTED]?');
  });

  test('answers as the manifest says', async () => {
    const own = { month: 3, plants: ['broad bean'] };
    const { start, file, folder } = await agentProject({ turns: [{ calls: [{ name: 'submit_answer', args: own }] }] });
    const path = join(folder, file);
    const answerSchema = "answerSchema: { type: 'object', properties: { month: { type: 'number' } } }";
    await writeFile(path, (await readFile(path, 'utf8')).replace('maxRounds: 6', answerSchema));
    expect((await start('agent', 'run', file, 'What can I sow?')).json).toMatchObject({ status: true, answer: own });
  });

  test('says that an answer has no data', async () => {
    const look = { calls: [{ name: 'garden__searchPlants', args: {} }] };
    const { folder, home, file, model } = await agentProject({ turns: [look, submit] });
    const env = { LLM_BASE_URL: model.url, LLM_API_KEY: 'the-key-of-the-model', SCHEMAKIT_HOME: home };
    const { json, stderr } = await startCommand(['agent', 'run', file, 'What grows?'], { cwd: folder, env });
    expect(stderr).toContain('GARDEN_API_KEY is not set');
    expect(json).toMatchObject({ status: true, warnings: [expect.stringContaining('every tool call failed')] });
  });

  test('ends at the limits of cost and time', async () => {
    const usage = { inputTokens: 500_000, outputTokens: 0 };
    const { start, file } = await agentProject({ respond: () => ({ text: 'Well.', usage }) });
    const limits = ['--max-cost', '1', '--prices', '2,10', '--timeout', '60000'];
    const { json } = await start('agent', 'run', file, 'What grows?', ...limits);
    expect(json).toMatchObject({
      error: expect.stringContaining('(--max-cost 1)'),
      run: { status: 'incomplete', rounds: 1, cost: 1 },
    });
  });

  test('says how to go on after a question', async () => {
    const ask = { calls: [{ name: 'ask_user', args: { message: 'Which bed?' } }] };
    const { start, file } = await agentProject({ turns: [ask] });
    const { json } = await start('agent', 'run', file, 'Is it dry?');
    expect(json).toMatchObject({
      error: 'The agent needs to know: Which bed?',
      fix: 'Run it again with the answer in its input.',
      run: { status: 'needs_input' },
    });
  });

  test.each([
    ['localhost:11434', 'LLM_BASE_URL must be an http or https URL.'],
    ['https://key@127.0.0.1', 'LLM_BASE_URL must be'],
  ])('names the variable that has %s', async (LLM_BASE_URL, error) => {
    const { file, folder, home } = await agentProject();
    const env = { LLM_BASE_URL, LLM_API_KEY: 'the-key-of-the-model', SCHEMAKIT_HOME: home };
    const { json } = await startCommand(['agent', 'run', file, 'Hello'], { cwd: folder, env });
    expect(json.error).toContain(error);
  });

  test('prints usage errors as JSON when piped', async () => {
    const { run, file } = await agentProject();
    expect(run('agent', 'run', file, 'Hello', '--unknown')).toMatchObject({
      status: 2,
      json: { error: 'No flag registered for --unknown' },
    });
  });

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

  test('ends at once on Ctrl-C, and says what it has used', async () => {
    const model = createServer();
    onTestFinished(() => void model.close());
    await once(model.listen(0, '127.0.0.1'), 'listening');
    const { port } = model.address() as AddressInfo;
    const { folder, home, file } = await agentProject();
    const child = spawn(process.execPath, [command, 'agent', 'run', file, 'What can I sow?'], {
      cwd: folder,
      env: { ...process.env, SCHEMAKIT_HOME: home, LLM_BASE_URL: `http://127.0.0.1:${port}`, LLM_API_KEY: 'a-key' },
    });
    let stdout = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    await once(model, 'request');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(JSON.parse(stdout)).toMatchObject({ status: false, run: { status: 'error', rounds: 1 } });
  });

  test('counts a model that cannot be reached as a failure of an API', async () => {
    const { run, file, model } = await agentProject();
    await model.close();
    const { status, json } = run('agent', 'run', file, 'What can I sow?');
    expect(status).toBe(5);
    expect(json).toMatchObject({
      error: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining(`LLM_BASE_URL (${model.url})`),
      run: { status: 'error' },
    });
  });

  test('says which settings of the model are missing', async () => {
    const { run } = await cliProject();
    run('agent', 'init', 'helper');
    const { status, json } = run('agent', 'run', 'agents/helper/agent.mjs', 'Hello');
    expect(status).toBe(6);
    expect(json).toMatchObject({ error: 'LLM_BASE_URL and LLM_API_KEY are not set.' });
  });
});
