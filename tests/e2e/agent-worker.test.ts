import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createScriptedModel } from '@schemakit/agent-server/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasDatabase, startRedis } from '../../packages/agent-server/fixtures/database-servers.ts';
import { cliProject } from './support/cli-project.ts';
import { connect, serve } from './support/served.ts';

const answer = { title: 'March', analysis: 'Sow broad beans.', keyFindings: ['beans'], sources: [] };
const words = (command: string) => ['agent', command, 'agents/helper/agent.mjs', '--tasks', 'sqlite:runs.db'];

test('a server without keys queues runs, and a worker with keys answers them', async () => {
  const model = await createScriptedModel({ respond: () => ({ calls: [{ name: 'submit_answer', args: answer }] }) });
  onTestFinished(() => model.close());
  const project = await cliProject({});
  project.run('agent', 'init', 'helper');
  const home = { SCHEMAKIT_HOME: project.home };
  const queue = await serve(['--no-work', '--max-waiting', '1'], home, { cwd: project.folder, words: words('serve') });
  expect(queue.stderr()).toBe('');
  const client = await connect(queue.url);
  const called = client.callTool({ name: 'helper', arguments: { query: 'What can I sow?' } });
  const metricsOf = async (url: unknown) => (await fetch(String(url))).text();
  const metrics = new URL('/metrics', queue.url);
  await expect.poll(() => metricsOf(metrics)).toContain('agent_runs{phase="waiting"} 1\n');
  await expect(client.callTool({ name: 'helper', arguments: { query: 'And now?' } })).rejects.toMatchObject({
    data: { status: 503, text: expect.stringContaining('"code":-32000') },
  });

  const keys = {
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'the-key-of-the-model',
    GARDEN_API_KEY: 'the-key-of-the-garden',
  };
  const worker = await serve(
    ['--rate-limit', '600'],
    { ...home, ...keys },
    {
      cwd: project.folder,
      words: words('worker'),
      port: '--metrics-port',
    },
  );
  expect((await called).structuredContent).toEqual(answer);
  expect(await metricsOf(worker.document.metrics)).toContain('agent_runs_ended_total{status="success"} 1\n');
  worker.child.kill('SIGTERM');
  expect(await once(worker.child, 'exit')).toEqual([0, null]);
});

test('a worker needs tasks that servers can queue runs in, and a server without work needs tasks', async () => {
  const project = await cliProject(
    {},
    { LLM_BASE_URL: 'http://127.0.0.1:1', LLM_API_KEY: 'none', GARDEN_API_KEY: 'x' },
  );
  project.run('agent', 'init', 'helper');
  const worker = project.run('agent', 'worker', 'agents/helper/agent.mjs', '--tasks', 'memory:');
  expect(worker).toMatchObject({ status: 4, json: { error: 'tasks must be a store that servers queue runs in' } });
  const server = project.run('agent', 'serve', 'agents/helper/agent.mjs', '--no-work');
  expect(server).toMatchObject({ status: 2, json: { error: '--no-work needs --tasks.' } });
  for (const flag of ['--concurrency', '--rate-limit']) {
    const idle = project.run(...words('serve'), '--no-work', flag, '5');
    expect(idle).toMatchObject({ status: 2, json: { error: `--no-work and ${flag} exclude each other.` } });
  }
  const ordered = project.run('agent', 'serve', 'agents/helper/agent.mjs', '--priority', '3');
  expect(ordered).toMatchObject({ status: 2, json: { error: '--priority needs --tasks.' } });
  const hosted = project.run(...words('worker'), '--metrics-host', '127.0.0.1');
  expect(hosted).toMatchObject({ status: 2, json: { error: '--metrics-host needs --metrics-port.' } });
  const patient = project.run(...words('worker'), '--grace', '99999999999');
  expect(patient).toMatchObject({
    status: 2,
    json: { error: expect.stringContaining('expected a whole number from 0 to 86400000') },
  });
});

test('a worker whose port for metrics is taken says so, and ends', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const keys = { LLM_BASE_URL: 'http://127.0.0.1:1', LLM_API_KEY: 'none', GARDEN_API_KEY: 'x' };
  const project = await cliProject({}, keys);
  project.run('agent', 'init', 'helper');
  const { status, json } = project.run(...words('worker'), '--metrics-port', String(port));
  expect([status, json]).toMatchObject([1, { error: `listen EADDRINUSE: address already in use 127.0.0.1:${port}` }]);
});

describe.runIf(hasDatabase('redis'))('a server that cannot start says so, and leaves the store', () => {
  const cannotStart: [string, (port: number) => string[], RegExp][] = [
    ['its port is taken', (port) => ['--port', String(port)], /^Port \d+ of 127.0.0.1 is taken/],
    ['the URL of A2A is none', () => ['--port', '0', '--a2a', '--a2a-url', 'nope'], /^url must be an http/],
  ];
  test.each(cannotStart)('%s', async (_, flagsOf, problem) => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const keys = { LLM_BASE_URL: 'http://127.0.0.1:1', LLM_API_KEY: 'none', GARDEN_API_KEY: 'x' };
    const project = await cliProject({}, keys);
    project.run('agent', 'init', 'helper');
    const words = ['agent', 'serve', 'agents/helper/agent.mjs', '--tasks', redis.url];
    // A process that stays is ended by the helper, without a status.
    const { status, json } = project.run(...words, ...flagsOf(redis.port));
    expect(json.error).toMatch(problem);
    expect(status).toBeGreaterThan(0);
  });
});

describe.each([
  ['redis://127.0.0.1:1', 'ioredis', 'bullmq,ioredis'],
  ['postgres://127.0.0.1:1/runs', 'pg', 'bullmq,pg'],
  ['redis://127.0.0.1:1', 'ioredis', 'bullmq'],
  ['postgres://127.0.0.1:1/runs', 'pg', 'bullmq'],
])('for %s, which needs %s, without %s', (tasks, name, missing) => {
  const hook = pathToFileURL(resolve('tests/e2e/support/without-drivers.mjs')).href;

  test('the command says what to install', async () => {
    const keys = { LLM_BASE_URL: 'http://127.0.0.1:1', LLM_API_KEY: 'none', GARDEN_API_KEY: 'x' };
    const project = await cliProject({}, { ...keys, NODE_OPTIONS: `--import ${hook}`, WITHOUT: missing });
    project.run('agent', 'init', 'helper');
    const agent = 'agents/helper/agent.mjs';
    for (const words of [
      ['agent', 'worker', agent],
      ['agent', 'serve', agent],
      ['agent', 'runs', 'list'],
    ]) {
      const { status, json, stderr } = project.run(...words, '--tasks', tasks);
      expect([status, json]).toMatchObject([
        4,
        { error: `tasks needs the packages bullmq and ${name}`, fix: `Run: npm install bullmq ${name}` },
      ]);
      expect(stderr).not.toContain('    at ');
    }
  });

  test('the library says what to install', () => {
    const program = `
      import { AgentToolsServer, openRuns } from '@schemakit/agent-server';
      const agent = { systemPrompt: 'You know harbours.', model: 'lab/model' };
      const tool = { name: 'ask', description: 'Answers.', inputSchema: { type: 'object' }, agent, toolSources: [] };
      const llm = { baseURL: 'http://127.0.0.1:1', apiKey: 'none' };
      const { mcp } = AgentToolsServer.create({ name: 'depths', version: '1.0.0', tasks: '${tasks}', llm, tools: [tool] });
      for (const open of [() => mcp.http(), () => mcp.work(), () => openRuns('${tasks}')])
        await open().catch(({ name, message }) => console.log(name + ': ' + message));
      await mcp.close();
    `;
    const args = ['--import', hook, '--input-type=module', '--eval', program];
    const env = { ...process.env, WITHOUT: missing };
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    const line = `AgentConfigError: openRunStore: tasks needs the packages bullmq and ${name}. Run: npm install bullmq ${name}\n`;
    expect({ stdout, stderr }).toEqual({ stdout: line.repeat(3), stderr: '' });
  });
});
