import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createScriptedModel } from '@schemakit/agent-server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { serve } from './support/served.ts';

const answer = { title: 'March', analysis: 'Sow broad beans.', keyFindings: ['beans'], sources: [] };
const submit = { calls: [{ name: 'submit_answer', args: answer }] };
const tasks = ['--tasks', 'sqlite:runs.db'];

/** A project whose agent is served with a file of runs, and a client that starts tasks. */
async function agentProject() {
  const model = await createScriptedModel({
    respond: ({ messages }) => (JSON.stringify(messages).includes('weeds') ? { text: 'No.' } : submit),
  });
  onTestFinished(() => model.close());
  const env = {
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'the-key-of-the-model',
    GARDEN_API_KEY: 'the-key-of-the-garden',
    TASKS_KEY: `k1:${'ab'.repeat(32)}`,
  };
  const project = await cliProject({}, env);
  project.run('agent', 'init', 'helper');
  const start = async () => {
    const words = ['agent', 'serve', 'agents/helper/agent.mjs'];
    const served = await serve(tasks, { ...env, SCHEMAKIT_HOME: project.home }, { cwd: project.folder, words });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)) as never);
    onTestFinished(() => client.close());
    await client.listTools();
    const ask = async (query: string) => {
      const stream = client.experimental.tasks.callToolStream({ name: 'helper', arguments: { query } }, undefined, {
        task: { ttl: 60_000 },
      });
      for await (const message of stream) if (message.type === 'taskCreated') return message.task.taskId;
      throw new Error('No task was created.');
    };
    const result = (taskId: string) => client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    return { ...served, ask, result };
  };
  const page = (...args: string[]) => {
    const options = { cwd: project.folder, env: { ...process.env, ...env, SCHEMAKIT_HOME: project.home } };
    return execFileSync(process.execPath, [resolve('packages/cli/bin/schemakit.js'), ...args], options).toString();
  };
  return { ...project, model, start, page };
}

test('runs of a server are listed, shown and tried again, while it is running or not', async () => {
  const { run, start, model, page, read } = await agentProject();
  const server = await start();
  const id = await server.ask('What can I sow in <March>?');
  await server.result(id);
  const failed = await server.ask('What about weeds?');
  await server.result(failed);
  const { length: requests } = model.requests;
  expect(run('agent', 'runs', 'list', ...tasks)).toMatchObject({
    status: 0,
    json: {
      status: true,
      runs: [
        { id, state: 'ended', kills: 0, report: { status: 'success', rounds: 1 } },
        { id: failed, state: 'ended', report: { status: 'incomplete' } },
      ],
    },
  });
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');

  const { json } = run('agent', 'runs', 'show', id, ...tasks);
  expect((json.events as { type: string }[]).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['run.started', 'round.started', 'model.answered', 'run.ended']),
  );
  const html = page('agent', 'runs', 'show', id, ...tasks, '--html');
  expect(html).toContain('<!DOCTYPE html>');
  expect(html).toContain('What can I sow in &lt;March&gt;?');
  expect(html).toContain('model, round 1');
  expect(html).not.toMatch(/<script|the-key-of/);
  expect(read('project/runs.db')).not.toContain('Sow broad beans');

  expect(run('agent', 'runs', 'retry', id, ...tasks)).toMatchObject({
    status: 1,
    json: { error: expect.stringContaining('has succeeded already') },
  });
  expect(run('agent', 'runs', 'retry', failed, ...tasks)).toMatchObject({ json: { run: { state: 'waiting' } } });
  expect(run('agent', 'runs', 'cancel', failed, ...tasks)).toMatchObject({ json: { run: { state: 'cancelled' } } });
  expect(model.requests).toHaveLength(requests);
});

test.each([
  [['list', '--tasks', 'memory:'], 'in the server alone'],
  [['list', '--tasks', 'sqlite:none.db'], 'does not exist'],
  [['list', '--tasks', 'redis://'], 'names no server'],
  [['list', '--tasks', 'redis://127.0.0.1:1'], 'Cannot open the runs'],
  [['list'], '--tasks'],
])('agent runs %j says what is wrong', async (words, text) => {
  const { run, has } = await agentProject();
  const { status, stderr, json } = run('agent', 'runs', ...words);
  expect(status).not.toBe(0);
  expect(`${JSON.stringify(json)}${stderr}`).toContain(text);
  expect(has('project/none.db')).toBe(false);
});

test('unknown runs, and runs that have not ended or have ended already, are refused', async () => {
  const { run, start } = await agentProject();
  const server = await start();
  const id = await server.ask('What can I sow?');
  await server.result(id);
  expect(run('agent', 'runs', 'show', 'nobody', ...tasks)).toMatchObject({ status: 3 });
  expect(run('agent', 'runs', 'cancel', id, ...tasks)).toMatchObject({
    status: 1,
    json: { error: `The run ${id} has ended already.` },
  });
});
