import { describe, expect, it } from 'vitest';
import { resourceDocument, serveOAuth, serverDocument } from '../fixtures/oauth-site.ts';
import { send, serveScript } from '../fixtures/scripted-server.ts';
import { plainTool, serveSdk2 } from '../fixtures/sdk-servers.ts';
import { compare } from './compare/compare.ts';
import { toText } from './report/to-text.ts';
import { type StartResult, start } from './start.ts';

const codesOf = ({ findings }: StartResult): string[] => findings.map(({ code }) => code);

describe('parts that are unknown are reported:', () => {
  it.each([[1], [{ page: 1 }], [true]])('tools behind the cursor %j', async (nextCursor) => {
    const { endpoint } = await serveScript({ 'tools/list': { tools: [plainTool], nextCursor } });
    const { messages, entries } = await start({ endpoint });
    expect(messages[0]).toContain('CON-008 tools: tools/list: `nextCursor` is not a string');
    expect(entries.complete.tools).toBe(false);
  });

  it('tools of a list that could not be read', async () => {
    const { endpoint } = await serveScript({ 'tools/list': ({ response }) => send(response, 500, 'broken') });
    const result = await start({ endpoint });
    expect(result.messages.at(-1)).toContain('PRB-005 tools: No tools to probe are known');
    expect(toText(result)).toMatch(/^Latency +connect \d+ ms$/m);
  });

  it.each([
    ['are no list', { tools: {} }],
    ['have no name', { tools: [plainTool, { inputSchema: {} }] }],
  ])('tools that %s', async (_, list) => {
    const { endpoint } = await serveScript({ 'tools/list': list });
    expect((await start({ endpoint })).entries.complete.tools).toBe(false);
  });

  it('authorization that only calls need', async () => {
    const challenge = (origin: string) =>
      `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const { endpoint } = await serveOAuth({
      resource: resourceDocument,
      server: serverDocument,
      script: {
        'tools/call': ({ request, response }) =>
          send(response, 401, {}, { 'www-authenticate': challenge(`http://${request.headers.host}`) }),
      },
    });
    const result = await start({ endpoint });
    expect(codesOf(result)).toEqual(['PRB-004', 'AUTH-010']);
    expect(result.messages.at(-1)).toContain('requires authorization');
    expect(result.entries.oauth.isRequired).toBe(true);
  });

  it('parts that only one of two runs saw', async () => {
    const { endpoint } = await serveSdk2();
    const before = await start({ endpoint });
    const after = structuredClone(before);
    after.entries.tools = [];
    after.entries.complete.tools = false;
    expect(compare({ before, after }).summary).toEqual([
      'Nothing changed in what both runs saw.',
      expect.stringContaining('Tools: unknown'),
    ]);
  });
});

it('a result is the same after it was stored as JSON, for any numbers of the server', async () => {
  const schema = '{"type":"object","properties":{"n":{"type":"number","minimum":-0,"maximum":1e400}}}';
  const { endpoint } = await serveScript({
    'tools/list': ({ response, id }) =>
      send(response, 200, `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"one","inputSchema":${schema}}]}}`),
  });
  const before = JSON.parse(JSON.stringify(await start({ endpoint }))) as StartResult;
  const after = await start({ endpoint });
  expect(compare({ before, after }).hasChanges).toBe(false);
  expect(JSON.parse(JSON.stringify(after))).toStrictEqual(after);
});

it('deeply nested capabilities are kept as empty objects', async () => {
  const deep = `${'{"a":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
  const { endpoint } = await serveScript({
    initialize: ({ response, id }) =>
      send(
        response,
        200,
        `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":${deep}},"serverInfo":{"name":"a","version":"1"}}}`,
      ),
  });
  const { entries } = await start({ endpoint });
  expect(entries.tools).toHaveLength(1);
});

it('any number of concurrent calls respects the deadline', async () => {
  const { endpoint } = await serveScript({ 'tools/call': () => {} });
  const begin = performance.now();
  await start({ endpoint, timeout: 1000, probeLimits: { concurrency: 1e9 } });
  expect(performance.now() - begin).toBeLessThan(8000);
});

it.each([
  [{ maxCalls: 1.5 }, 'VAL-005 start.probeLimits.maxCalls: Must be a whole number'],
  [{ concurrency: 0.5 }, 'VAL-005 start.probeLimits.concurrency: Must be a whole number'],
])('the limits %j are refused', async (probeLimits, message) => {
  expect((await start({ endpoint: 'http://127.0.0.1:1/', probeLimits })).messages).toEqual([message]);
});

it('no tool with any spelling of destructiveHint is called', async () => {
  const { endpoint } = await serveScript({
    'tools/list': {
      tools: [
        { ...plainTool, name: 'delete_all', annotations: { destructive_hint: true } },
        { ...plainTool, name: 'drop', annotations: { DestructiveHint: true } },
        { ...plainTool, name: 'wipe', destructiveHint: true },
        { ...plainTool, name: 'read', annotations: { destructiveHint: false } },
      ],
    },
  });
  const { entries } = await start({ endpoint });
  expect(entries.probe.filter(({ outcome }) => outcome !== 'skipped').map(({ name }) => name)).toEqual(['read']);
});
