import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentToolConfig, AgentToolsServer } from '@schemakit/agent-server';
import { createScriptedModel, type ScriptedCall, type ScriptedRequest } from '@schemakit/agent-server/testing';
import type { SuiteServer } from './fixture-server.ts';

/** What each of the suite's tools does, if it is an agent: its calls, one a round. The last answer of a tool is what it answers. */
const scripts: Record<string, (args: Record<string, unknown>) => ScriptedCall[]> = {
  greet: ({ name }) => [submit(`Hello, ${name}!`)],
  slow_compute: (args) => [{ name: 'compute', args }, submit(`Computed ${args.label}.`)],
  failing_job: () => [{ name: 'compute', args: { seconds: 1 } }],
  confirm_delete: ({ filename }) => [
    ask(`Delete ${filename}?`, { confirm: { type: 'boolean' } }),
    submit(`Deleted ${filename}.`),
  ],
  multi_input: () => [
    ask('What is your name?', { name: { type: 'string' } }),
    ask('Where do you live?', { town: { type: 'string' } }),
    submit('Got both.'),
  ],
};

/** An agent server with the tools that the suite's scenarios of tasks call, as far as an agent can be one. */
export async function startAgentTaskServer(): Promise<SuiteServer> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const model = await createScriptedModel({ respond });
  const { mcp } = AgentToolsServer.create({
    name: 'conformance',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'not-needed' },
    tasks: `sqlite:${join(folder, 'runs.db')}`,
    tools: Object.keys(scripts).map(agent),
  });
  const { url } = await mcp.http();
  return {
    url: `${url}/mcp`,
    async close() {
      await mcp.close();
      await model.close();
      await rm(folder, { recursive: true });
    },
  };
}

function agent(name: string): AgentToolConfig {
  const taskSupport = name === 'failing_job' ? 'required' : 'optional';
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    agent: { systemPrompt: name, model: 'lab/model', answerSchema: { type: 'object' } },
    toolSources: [
      {
        type: 'tools',
        tools: [
          {
            name: 'compute',
            description: 'Takes its time.',
            inputSchema: { type: 'object' },
            execute: ({ seconds = 0 }) => sleep(Number(seconds) * 1000, 'done'),
          },
        ],
      },
    ],
    ...(name !== 'greet' && { execution: { taskSupport } }),
  };
}

function respond({ system, messages }: ScriptedRequest) {
  const [name = ''] = system.split('\n');
  const calls = scripts[name]?.(JSON.parse(messages[0]?.text || '{}'));
  const call = calls?.[messages.filter(({ role }) => role === 'assistant').length];
  return call === undefined ? { status: 400 } : { calls: [call] };
}

function submit(text: string): ScriptedCall {
  return { name: 'submit_answer', args: { text } };
}

function ask(message: string, fields: object): ScriptedCall {
  return { name: 'ask_user', args: { message, fields } };
}
