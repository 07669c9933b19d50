import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSseTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../create-server.ts';
import { openTides } from '../fixtures/tides.ts';
import type { HttpServer } from './http-server.ts';

const info = { name: 'test', version: '1.0.0' };
const folder = openTides();
let listening: HttpServer;

beforeAll(async () => {
  const schema = await SchemaKit.loadSchema({ filePath: folder.file });
  listening = await createServer(schema, { name: 'tides' }).http();
});
afterAll(async () => {
  await listening.close();
  folder.remove();
});

type Connect = (path: string) => Promise<Client>;
const at = (path: string) => new URL(path, listening.url);

const connectNew =
  (mode: 'legacy' | 'auto' | { pin: string }): Connect =>
  async (path) => {
    const client = new Client(info, { versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(at(`/mcp${path}`)));
    return client;
  };

const connectOld: Connect = async (path) => {
  const client = new OldClient(info);
  onTestFinished(() => client.close());
  await client.connect(new OldHttpTransport(at(`/mcp${path}`)) as never);
  return client as unknown as Client;
};

const connectSse: Connect = async (path) => {
  const client = new Client(info);
  onTestFinished(() => client.close());
  await client.connect(new SSEClientTransport(at(`/sse${path}`)));
  return client;
};

const connectOldSse: Connect = async (path) => {
  const client = new OldClient(info);
  onTestFinished(() => client.close());
  await client.connect(new OldSseTransport(at(`/sse${path}`)) as never);
  return client as unknown as Client;
};

describe.each<[string, Connect]>([
  ['of the second SDK, stateless', connectNew({ pin: '2026-07-28' })],
  ['of the second SDK that finds out', connectNew('auto')],
  ['of the second SDK with a session', connectNew('legacy')],
  ['of the first SDK', connectOld],
  ['of the second SDK over events', connectSse],
  ['of the first SDK over events', connectOldSse],
])('a client %s', (_, connect) => {
  test('lists, calls and reads', async () => {
    const client = await connect('');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('tides__stations_find');
    const result = await client.callTool({ name: 'tides__stations_find', arguments: { coast: 'east' } });
    expect(result.content).toEqual([{ type: 'text', text: '[{"name":"Kiel"}]' }]);
    const { contents } = await client.readResource({ uri: 'schemakit://tides/guide?section=Signs' });
    expect(contents).toMatchObject([{ text: '## Signs\n\nA plus is high.' }]);
  });

  test('gets only the tools that its URL selects', async () => {
    const client = await connect('?tools=tides__stations_find');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['tides__stations_find']);
    await expect(client.callTool({ name: 'tides__guide' })).rejects.toThrow('not found');
  });
});
