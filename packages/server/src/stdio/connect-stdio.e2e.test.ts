import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
  env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
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

  test('gets an answer to each of many concurrent reads', async () => {
    const client = await connect();
    const uris = Array.from({ length: 50 }, (_, index) => `schemakit://tides/guide?lines=${(index % 5) + 1}`);
    const readings = await Promise.all(uris.map((uri) => client.readResource({ uri })));
    expect(readings.map(({ contents }) => contents[0]?.uri)).toEqual(uris);
  });
});

/** The responses to an input that no client library would send, and the log. */
async function answersTo(input: string): Promise<{ answers: { id: number | string | null }[]; log: string }> {
  const { stdin, stdout, stderr } = spawn(command.command, command.args, { stdio: 'pipe' });
  stdin.end(input);
  const [said, log] = await Promise.all([text(stdout), text(stderr)]);
  return {
    answers: said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    log,
  };
}

const padding = 'x'.repeat(11 * 1024 * 1024);

describe('a line that is not a message', () => {
  const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}\n';
  const pong = { jsonrpc: '2.0', id: 9, result: {} };
  const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}\n`;

  test.each<[string, string, { id: number | string | null; error: object }]>([
    ['no JSON', 'hello', { id: null, error: { code: -32700 } }],
    ['no message, with an id', '{"jsonrpc":"2.0","id":2}', { id: 2, error: { code: -32600 } }],
    ['a batch', '[]', { id: null, error: { code: -32600 } }],
    ['longer than is read', padding, { id: null, error: { code: -32600 } }],
    [
      'too long, with an id at its beginning',
      `{"jsonrpc":"2.0","id":3,"method":"a","params":{"id":4,"a":"${padding}"}}`,
      { id: 3, error: { code: -32600 } },
    ],
    [
      'too long, with an id at its end',
      `{"method":"a","params":{"id":4,"a":"${padding}"},"jsonrpc":"2.0","id":"b"}`,
      { id: 'b', error: { code: -32600 } },
    ],
  ])('since it is %s is answered so, and the next one is read', async (_, line, answer) => {
    const { answers, log } = await answersTo(`${hello}${line}\n${ping}`);
    // Errors overtake pending requests.
    const ofLine = answers.filter(({ id }) => id !== 1 && id !== pong.id);
    expect(ofLine).toMatchObject([answer]);
    expect(answers).toContainEqual(pong);
    expect(answers).toHaveLength(3);
    expect(log).toBe('');
  });

  test.each([
    ['empty', '\r\n\n'],
    ['an answer, to which none is due', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n'],
  ])('since it is %s is left out', async (_, lines) => {
    const { answers } = await answersTo(`${hello}${lines}${ping}`);
    expect(answers).toMatchObject([{ id: 1 }, pong]);
  });
});

test('a client that does not read its answers is not read either, and gets all of them in the end', async () => {
  const child = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}\n`;
  child.stdin.write(hello);
  const count = 20_000;
  // Long ids make long answers: 40 MB of requests and as much of answers.
  const id = (number: number) => `${number}-${'x'.repeat(2000)}`;
  let written = 0;
  const writeUntilFull = () => {
    while (written < count) {
      written += 1;
      if (!child.stdin.write(`{"jsonrpc":"2.0","id":"${id(written)}","method":"ping"}\n`)) return false;
    }
    return true;
  };
  // Nothing more is taken once writing stalls for good: a drain would come at once.
  const stalls = async () => {
    const drained = new Promise<boolean>((resolve) => child.stdin.once('drain', () => resolve(true)));
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, 2000, false);
    return !(await Promise.race([drained, late]).finally(() => clearTimeout(timer)));
  };
  while (!writeUntilFull()) if (await stalls()) break;
  expect(written).toBeLessThan(count / 2);
  const said = text(child.stdout);
  child.stdin.on('drain', () => {
    if (writeUntilFull()) child.stdin.end();
  });
  expect((await said).trimEnd().split('\n')).toHaveLength(count + 1);
});
