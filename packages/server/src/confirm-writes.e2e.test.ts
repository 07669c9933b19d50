import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedTool } from './catalog/tool-catalog.ts';
import { createServer } from './create-server.ts';
import type { ServerOptions } from './shared-server.ts';

const info = { name: 'test', version: '1.0.0' };

/** What the user answers, and the question that was asked. */
interface User {
  answer: { action: 'accept' | 'decline' | 'cancel'; content?: { confirm: boolean } };
  asked: string[];
}

const yes: User['answer'] = { action: 'accept', content: { confirm: true } };

type Connect = (url: string, user: User | undefined) => Promise<Client>;

const connectNew =
  (mode: 'legacy' | { pin: string }, isSse = false): Connect =>
  async (url, user) => {
    const capabilities = user === undefined ? {} : { elicitation: { form: {} } };
    const client = new Client(info, { capabilities, versionNegotiation: { mode } });
    onTestFinished(() => client.close());
    if (user !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        user.asked.push(params.message);
        return user.answer;
      });
    }
    const transport = isSse
      ? new SSEClientTransport(new URL(`${url}/sse`))
      : new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
    await client.connect(transport);
    return client;
  };

const connectOld: Connect = async (url, user) => {
  const client = new OldClient(info, { capabilities: user === undefined ? {} : { elicitation: {} } });
  onTestFinished(() => client.close());
  if (user !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      user.asked.push(params.message);
      return user.answer;
    });
  }
  await client.connect(new OldHttpTransport(new URL(`${url}/mcp`)) as never);
  return client as unknown as Client;
};

/** A server with a tool that reads and one that deletes; `called` has the calls that reached them. */
async function serve(options: ServerOptions): Promise<{ url: string; called: string[] }> {
  const called: string[] = [];
  const tool = (name: string, hints: object): ServedTool => ({
    listing: {
      name,
      title: name,
      description: `Would ${name} a rose.`,
      inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      annotations: { title: name, idempotentHint: true, openWorldHint: true, readOnlyHint: false, ...hints },
    },
    ...{ aliases: [], namespace: 'garden', tags: [], toolName: name, requiredServerParams: [] },
    async call(args) {
      called.push(`${name} ${JSON.stringify(args)}`);
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const tools = [tool('read', { readOnlyHint: true }), tool('delete', { destructiveHint: true })];
  const server = await createServer({ tools }, options).http();
  onTestFinished(() => server.close());
  return { url: server.url, called };
}

const declined = { isError: true, content: [{ text: expect.stringMatching(/^CONFIRM_DECLINED: The user declined/) }] };

describe.each<[string, Connect]>([
  ['of revision 2026-07-28', connectNew({ pin: '2026-07-28' })],
  ['with a session', connectNew('legacy')],
  ['over HTTP+SSE', connectNew('legacy', true)],
  ['of the first SDK', connectOld],
])('a client %s', (_, connect) => {
  test('asks its user before a call that may write, and only then', async () => {
    const { url, called } = await serve({ confirmWrites: 'required' });
    const user: User = { answer: yes, asked: [] };
    const client = await connect(url, user);
    await client.callTool({ name: 'read', arguments: { id: 'r1' } });
    expect(user.asked).toEqual([]);
    const { content } = await client.callTool({ name: 'delete', arguments: { id: 'r2' } });
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
    expect(called).toEqual(['read {"id":"r1"}', 'delete {"id":"r2"}']);
    expect(user.asked).toEqual(['Call delete? It may change or delete data.\n\n{\n  "id": "r2"\n}']);
    const refusals: User['answer'][] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { confirm: false } },
    ];
    for (const answer of refusals) {
      user.answer = answer;
      expect(await client.callTool({ name: 'delete', arguments: { id: 'r3' } })).toMatchObject(declined);
    }
    expect(called).toHaveLength(2);
  });

  test('that cannot ask is refused or not, as the operator wants', async () => {
    const strict = await serve({ confirmWrites: 'required' });
    const refused = await (await connect(strict.url, undefined)).callTool({ name: 'delete', arguments: {} });
    expect(refused).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/^CONFIRM_UNAVAILABLE: delete may change data.*\nUse a client that can/) },
      ],
    });
    expect(strict.called).toEqual([]);
    const lenient = await serve({ confirmWrites: 'ask' });
    await (await connect(lenient.url, undefined)).callTool({ name: 'delete', arguments: {} });
    expect(lenient.called).toEqual(['delete {}']);
  });

  test('is asked about the tool behind call_tool', async () => {
    const { url, called } = await serve({ confirmWrites: 'required', discovery: true });
    const user: User = { answer: { action: 'decline' }, asked: [] };
    const client = await connect(url, user);
    const call = (name: string) => client.callTool({ name: 'call_tool', arguments: { name, arguments: { id: 'r1' } } });
    await call('read');
    expect(await call('nothing')).toMatchObject({ isError: true });
    await client.callTool({ name: 'search_tools', arguments: { query: 'rose' } });
    expect(user.asked).toEqual([]);
    expect(await call('delete')).toMatchObject(declined);
    expect(user.asked).toEqual([expect.stringMatching(/^Call delete\?/)]);
    expect(called).toEqual(['read {"id":"r1"}']);
  });
});
