import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHttpServer } from '../http/create-http-server.ts';
import { createMcpServer } from '../mcp/create-mcp-server.ts';
import { createStdioTransport } from '../stdio/stdio-transport.ts';
import { createLiveOffer } from './live-offer.ts';
import { createOffer, type Offer, type ServedTool } from './offer.ts';
import { snapshotOffer } from './offer-snapshot.ts';
import { restoreOffer } from './restore-offer.ts';

const info = { name: 'made-up', version: '1.0.0' };
const stateless = '2026-07-28';
const revisions = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', stateless];

interface Message {
  id?: number;
  result?: { tools?: { name: string }[]; nextCursor?: string };
  error?: object;
}
type Ask = (id: number, method: string, params?: object) => Promise<Message>;
type Connect = (offer: Offer, options: { pageSize: number; revision: string }) => Promise<Ask>;

const hello = (revision: string) => ({ protocolVersion: revision, capabilities: {}, clientInfo: info });

/** What each request of the stateless revision says of its client. */
function withEnvelope(revision: string, params: object): object {
  if (revision !== stateless) return params;
  const said = { protocolVersion: revision, clientInfo: info, clientCapabilities: {} };
  const entries = Object.entries(said).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]);
  return { ...params, _meta: Object.fromEntries(entries) };
}

const overStdio: Connect = async (offer, { pageSize, revision }) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const waiting = new Map<number, (message: Message) => void>();
  const onLine = (line: string) => {
    const message: Message = JSON.parse(line);
    waiting.get(message.id ?? -1)?.(message);
  };
  createInterface({ input: output }).on('line', onLine);
  const transport = createStdioTransport(input, output, { onEnd: () => {} });
  serveStdio(() => createMcpServer(createLiveOffer(offer), info, { pageSize }), { transport });
  const ask: Ask = (id, method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: withEnvelope(revision, params) })}\n`);
    });
  if (revision !== stateless) await ask(0, 'initialize', hello(revision));
  return ask;
};

/** @param query Of the address: which part of the offer is meant. */
const overHttp =
  (query = ''): Connect =>
  async (offer, { pageSize, revision }) => {
    const server = createHttpServer({ ...info, offer: createLiveOffer(offer), pageSize });
    let session: string | null = null;
    const ask: Ask = async (id, method, params = {}) => {
      const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(method !== 'initialize' && { 'MCP-Protocol-Version': revision }),
        ...(session !== null && { 'MCP-Session-Id': session }),
        ...(revision === stateless && { 'Mcp-Method': method }),
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: withEnvelope(revision, params) });
      const response = await server.fetch(
        new Request(`http://127.0.0.1/mcp${query}`, { method: 'POST', headers, body }),
      );
      session ??= response.headers.get('mcp-session-id');
      const text = await response.text();
      return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    };
    if (revision !== stateless) await ask(0, 'initialize', hello(revision));
    return ask;
  };

/** All pages, and then what is answered to cursors that no page has given out like this. */
async function answersOf(ask: Ask): Promise<{ pages: Message[]; others: Message[] }> {
  let id = 0;
  const list = (cursor?: string) => {
    id += 1;
    return ask(id, 'tools/list', cursor === undefined ? {} : { cursor });
  };
  const pages = [await list()];
  const given: string[] = [];
  for (let next = pages[0]?.result?.nextCursor; next !== undefined; next = pages.at(-1)?.result?.nextCursor) {
    given.push(next);
    pages.push(await list(next));
  }
  const afterFirst = JSON.stringify([pages[0]?.result?.tools?.[0]?.name ?? '', 1]);
  const strange = ['', 'no cursor', 'WyJubyBzdWNoIHRvb2wiLDJd', Buffer.from(afterFirst).toString('base64url')];
  const others: Message[] = [];
  for (const cursor of [...given.map((one) => `${one}==`), ...strange]) others.push(await list(cursor));
  return { pages, others };
}

const text = fc.string({ unit: 'binary', maxLength: 8 });
const object = (type: fc.Arbitrary<string | undefined>) =>
  fc.record({ type, properties: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }) });
const toolOf = fc.record({
  title: text,
  description: text,
  inputSchema: object(fc.constant('object')),
  outputSchema: fc.option(object(fc.constantFrom('object', 'object', 'array', undefined)), { nil: undefined }),
  namespace: fc.constantFrom('a', 'b'),
  tags: fc.subarray(['sea', 'land']),
  aliases: fc.array(fc.constantFrom('one', 'two'), { maxLength: 1 }),
});
const offers = fc
  .tuple(fc.uniqueArray(fc.oneof(text, fc.stringMatching(/^[a-z]{1,4}$/)), { maxLength: 9 }), fc.infiniteStream(toolOf))
  .map(([names, made]) =>
    createOffer(
      names.map((name): ServedTool => {
        const { title, description, inputSchema, outputSchema, ...others } = made.next().value;
        return {
          ...others,
          listing: {
            name,
            title,
            description,
            inputSchema: inputSchema as never,
            ...(outputSchema && { outputSchema: outputSchema as never }),
            annotations: {
              title,
              readOnlyHint: true,
              destructiveHint: false,
              idempotentHint: true,
              openWorldHint: true,
            },
          },
          toolName: name,
          requiredServerParams: [],
          call: async () => ({ content: [{ type: 'text', text: name }] }),
        };
      }),
    ),
  );

describe.each<[string, Connect, (tool: ServedTool) => boolean]>([
  ['stdio', overStdio, () => true],
  ['HTTP', overHttp(), () => true],
  ['HTTP, one tag of it', overHttp('?tag=sea'), ({ tags }) => tags.includes('sea')],
])('over %s', (_, connect, isMeant) => {
  test.each(revisions)('what was kept is listed as what was not, to a client of %s', async (revision) => {
    await fc.assert(
      fc.asyncProperty(offers, fc.integer({ min: 1, max: 4 }), fc.boolean(), async (offer, pageSize, isKeptSo) => {
        // Pages of another size than the server's are not those that it sends.
        const kept = snapshotOffer(offer, { pageSize: isKeptSo ? pageSize : 5 });
        const restored = await restoreOffer(kept, async () => offer);
        const expected = await answersOf(await connect(offer, { pageSize, revision }));
        const names = expected.pages.flatMap(({ result }) => result?.tools?.map(({ name }) => name) ?? []);
        expect(names).toEqual(offer.tools.all.filter(isMeant).map(({ listing }) => listing.name));
        expect(await answersOf(await connect(restored, { pageSize, revision }))).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});
