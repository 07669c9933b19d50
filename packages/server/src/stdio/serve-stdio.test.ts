import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openTides } from '../fixtures/tides.ts';

const folder = openTides();
afterAll(() => folder.remove());

const info = { name: 'test', version: '1.0.0' };
const command = {
  command: process.execPath,
  args: ['--conditions=@schemakit/source', join(import.meta.dirname, '..', 'fixtures', 'serve-schema.ts'), folder.file],
};

async function connectNew(): Promise<Client> {
  const client = new Client(info);
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport(command));
  return client;
}

async function connectOld(): Promise<Client> {
  const client = new OldClient(info);
  onTestFinished(() => client.close());
  await client.connect(new OldStdioClientTransport(command));
  return client as unknown as Client;
}

describe.each([
  ['second', connectNew],
  ['first', connectOld],
])('over stdio, a client of the %s generation', (_, connect) => {
  test('finds a query and reads its rows', async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('schemakit://tides/guide');
    const { resourceTemplates } = await client.listResourceTemplates();
    const [find] = resourceTemplates;
    expect(find?.uriTemplate).toBe('schemakit://tides/stations/find{?coast,limit}');
    const { contents } = await client.readResource({ uri: 'schemakit://tides/stations/find?coast=east' });
    expect(contents).toMatchObject([{ mimeType: 'application/json', text: '[{"name":"Kiel"}]' }]);
  });

  test('gets an answer to each of many readings at a time', async () => {
    const client = await connect();
    const uris = Array.from({ length: 50 }, (_, index) => `schemakit://tides/guide?lines=${(index % 5) + 1}`);
    const readings = await Promise.all(uris.map((uri) => client.readResource({ uri })));
    expect(readings.map(({ contents }) => contents[0]?.uri)).toEqual(uris);
  });
});
