// An agent as one MCP tool of an Express application. The model is scripted, so that the example runs offline and costs nothing.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AgentToolsServer } from '@schemakit/agent-server';
import { createScriptedModel } from '@schemakit/agent-server/testing';
import { SchemaKit } from '@schemakit/core';
import express from 'express';
import { startTideApi } from '../first-schema/api.ts';

const api = await startTideApi();
const tides = await SchemaKit.loadSchema({ filePath: new URL('../first-schema/tides.mjs', import.meta.url).pathname });
if (!tides.status || tides.main === null) throw new Error(tides.messages.join('\n'));
// The file names port 4849; this program's API took any free one.
tides.main.root = api.url;

// In place of `llm: { baseURL: 'https://api.anthropic.com', apiKey }`.
const model = await createScriptedModel({
  turns: [
    { text: 'I look the tides up.', calls: [{ name: 'tides__getTides', args: { harbour: 'dover' } }] },
    { calls: [{ name: 'submit_answer', args: { hour: '11:20', reason: 'High water, 6.5 m.' } }] },
  ],
});

const { mcp } = AgentToolsServer.create({
  name: 'harbour-pilot',
  version: '1.0.0',
  llm: { baseURL: model.url, apiKey: 'not-needed' },
  tools: [
    {
      name: 'chooseHour',
      description: 'Chooses the best hour for entering a harbour.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
      agent: {
        systemPrompt: 'You help sailors to choose an hour for entering a harbour.',
        model: 'anthropic/claude-sonnet-5',
        answerSchema: {
          type: 'object',
          properties: { hour: { type: 'string' }, reason: { type: 'string' } },
          required: ['hour', 'reason'],
        },
      },
      toolSources: [{ type: 'flowmcp', schemas: [tides] }],
    },
  ],
});

const app = express();
app.use(express.json());
app.use(mcp.middleware());
app.get('/', (_request, response) => void response.send('My application'));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
console.log(await (await fetch(url)).text());

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
const query = 'When should I enter Dover?';
const onprogress = ({ message }: { message?: string | undefined }) => console.log(message?.replace(/\d+ ms/, '… ms'));
// Without the second option, the client gives up after 60 seconds.
const options = { onprogress, resetTimeoutOnProgress: true };
const result = await client.callTool({ name: 'chooseHour', arguments: { query } }, options);
console.log(result.structuredContent);

const { rounds, usage } = Object(result._meta?.['schemakit/run']) as { rounds: number; usage: object };
console.log(rounds, usage);

await client.close();
await mcp.close();
server.close();
await model.close();
api.close();
