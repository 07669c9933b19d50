import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { listen } from '../../packages/validator/fixtures/loopback.ts';
import { sendRpc, serveScript } from '../../packages/validator/fixtures/scripted-server.ts';

type Serve = () => Promise<{ endpoint: string }>;

const program = fileURLToPath(new URL('./support/assess-peer.ts', import.meta.url));
const megabyte = Buffer.alloc(1024 * 1024, ' ');

function* repeated(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk;
}

/** Answers every request without an end. */
const endless =
  (type: string, chunk: Buffer): Serve =>
  () =>
    listen((_, response) => {
      response.writeHead(200, { 'content-type': type });
      pipeline(Readable.from(repeated(chunk)), response).catch(() => {});
    });

function messages(response: ServerResponse): void {
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
  const events = Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`.repeat(1000));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  pipeline(Readable.from(repeated(events)), response).catch(() => {});
}

/** Answers every request with a body that grows when it is decompressed. */
const bomb =
  (encoding: string, bytes: Buffer): Serve =>
  () =>
    listen((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(bytes),
    );

const tool = (name: string, size: number) => ({
  name,
  description: 'x'.repeat(size),
  inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'y'.repeat(size) } } },
});

/** Lists tools page by page; the pages never end. */
function tools(count: number, size: number): Serve {
  return () =>
    serveScript({
      'tools/list': ({ response, id, params }) => {
        const from = Number(params.cursor ?? 0);
        const page = Array.from({ length: count }, (_, index) => tool(`tool${from + index}`, size));
        sendRpc(response, { id, result: { tools: page, nextCursor: `${from + count}` } });
      },
    });
}

const capabilities = { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
const resources = Array.from({ length: 100 }, (_, index) => ({ uri: `ui://app/${index}`, name: `app${index}` }));
/** Just what is still read of an answer. */
const size = 2_900_000;
const zeros = Buffer.alloc(64 * 1024 * 1024, ' ');

const peers: [name: string, serve: Serve][] = [
  ['endless JSON', endless('application/json', megabyte)],
  ['an endless page', endless('text/html', Buffer.from(`<meta name="a" content="${'b'.repeat(1000)}">`.repeat(1000)))],
  ['endless events', endless('text/event-stream', Buffer.from(': x\n\n'.repeat(10_000)))],
  ['one endless event', endless('text/event-stream', Buffer.concat([Buffer.from('data: '), megabyte]))],
  ['endless messages at the handshake', () => serveScript({ initialize: ({ response }) => messages(response) })],
  ['endless messages at a list', () => serveScript({ 'tools/list': ({ response }) => messages(response) })],
  ['endless bytes', endless('application/octet-stream', megabyte)],
  ['a gzip bomb', bomb('gzip', gzipSync(zeros))],
  ['a brotli bomb', bomb('br', brotliCompressSync(zeros))],
  ['10,000 tools on a page', tools(10_000, 10)],
  ['endless pages of large tools', tools(100, 10_000)],
  [
    'deep JSON',
    () =>
      serveScript({
        'tools/list': ({ response, id }) => {
          const deep = `${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`;
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"a","inputSchema":${deep}}]}}`);
        },
      }),
  ],
  [
    'large UI resources',
    () =>
      serveScript({
        capabilities,
        'resources/list': { resources },
        'resources/read': ({ response, id, params }) =>
          sendRpc(response, {
            id,
            result: { contents: [{ uri: params.uri, mimeType: 'text/html', text: 'z'.repeat(size) }] },
          }),
      }),
  ],
  [
    'large answers of tools',
    () =>
      serveScript({
        'tools/list': { tools: Array.from({ length: 100 }, (_, index) => tool(`tool${index}`, 10)) },
        'tools/call': ({ response, id }) =>
          sendRpc(response, { id, result: { content: [{ type: 'text', text: 'z'.repeat(size) }] } }),
      }),
  ],
  [
    'documents that come byte by byte',
    () =>
      serveScript({}, (request: IncomingMessage, response: ServerResponse) => {
        if (request.method !== 'GET') return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(timer));
        return true;
      }),
  ],
];

test.each(peers)('an assessment takes less than 150 MB for %s', async (_, serve) => {
  const { endpoint } = await serve();
  const plain = await serveScript({});
  const child = spawn(process.execPath, ['--expose-gc', program, plain.endpoint, endpoint], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ letter, megabytes }] = (await once(child, 'message')) as [{ letter: string; megabytes: number }];
  expect(letter).toMatch(/^[A-F]$/);
  expect(megabytes).toBeLessThan(150);
});
