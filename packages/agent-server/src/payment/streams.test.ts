import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type FacilitatorDouble, openFacilitatorDouble } from './fixtures/facilitator-double.ts';
import { callOf, openBehindGate, payFor } from './fixtures/paid-server.ts';

let facilitator: FacilitatorDouble;
beforeEach(async () => {
  facilitator = await openFacilitatorDouble();
});
afterEach(() => facilitator.close());

const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'done' }] } };
const frame = (message: object) => `event: message\nid: 7\ndata: ${JSON.stringify(message)}\n\n`;
const stream = { 'Content-Type': 'text/event-stream' };

/** A server whose event streams the test writes. */
async function openStreams() {
  const posts: ServerResponse[] = [];
  const gets: ServerResponse[] = [];
  const waiting: (() => void)[] = [];
  const server = await openBehindGate(facilitator, {
    async handler(request, response) {
      if (request.method === 'POST') await json(request);
      (request.method === 'POST' ? posts : gets).push(response);
      waiting.shift()?.();
    },
  });
  onTestFinished(server.close);
  /** Resolves when the server has got the request. */
  async function send(init: RequestInit, path = ''): Promise<{ got: ServerResponse; response: Promise<Response> }> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const response = fetch(`${server.url}${path}`, init);
    await promise;
    const got = (init.method === 'POST' ? posts : gets).at(-1);
    if (got === undefined) throw new Error('no request');
    return { got, response };
  }
  return { url: server.url, send };
}

function call(headers: Record<string, string>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(callOf()),
  };
}

/** Reads the frames of a response one by one. */
function reader(response: Response): () => Promise<string> {
  const chunks = (response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let rest = '';
  return async () => {
    while (!rest.includes('\n\n')) {
      const { value, done } = await chunks.read();
      if (done) return rest;
      rest += value;
    }
    const [first = '', ...others] = rest.split('\n\n');
    rest = others.join('\n\n');
    return first;
  };
}

test('progress passes at once, the result after the settlement', async () => {
  const { url, send } = await openStreams();
  const { header } = await payFor(url);
  const { got, response } = await send(call(header));
  got.writeHead(200, stream);
  got.write(': ping\n\n');
  const next = reader(await response);
  expect(await next()).toBe(': ping');
  got.write(frame(progress));
  expect(await next()).toBe(frame(progress).trim());
  const settling = Promise.withResolvers<void>();
  const going = Promise.withResolvers<undefined>();
  facilitator.intercept = (path) => {
    if (path === 'settle') settling.resolve();
    return going.promise;
  };
  // In pieces, with the other line ends.
  const text = frame(answer).replaceAll('\n', '\r\n');
  got.write(text.slice(0, 40));
  got.end(text.slice(40) + frame(progress));
  await settling.promise;
  const last = next();
  expect(await Promise.race([last, Promise.resolve('held')])).toBe('held');
  going.resolve(undefined);
  const [event, id, data = ''] = (await last).split('\n');
  expect([event, id]).toEqual(['event: message', 'id: 7']);
  expect(JSON.parse(data.slice(6)).result).toMatchObject({
    content: [{ text: 'done' }],
    _meta: { 'x402/payment-response': { success: true } },
  });
  expect(await next()).toBe(frame(progress).trim());
});

test('a result that comes first has the settlement in a header, too', async () => {
  const { url, send } = await openStreams();
  const { header } = await payFor(url);
  const { got, response } = await send(call(header));
  got.writeHead(200, stream).end(frame(answer));
  expect((await response).headers.get('payment-response')).toBeTruthy();
});

test('a result is withheld if the settlement fails', async () => {
  const { url, send } = await openStreams();
  const { header } = await payFor(url);
  const { got, response } = await send(call(header));
  facilitator.intercept = () => ({ success: false, errorReason: 'insufficient_funds', transaction: '', network: '' });
  // Without the empty line that ends a frame.
  got.writeHead(200, stream).end(frame(progress) + frame(answer).trimEnd());
  const text = await (await response).text();
  expect(text).toContain('insufficient_funds');
  expect(text).not.toContain('done');
});

test.each([
  ['the stream of a session', { 'mcp-session-id': 'a' }, '', ''],
  ['the stream of the transport of 2024-11-05', {}, '?sessionId=a', 'event: endpoint\ndata: /messages?sessionId=a\n\n'],
])('an answer on %s is held, too', async (_, headers, path, hello) => {
  const { url, send } = await openStreams();
  const { got: events, response: opened } = await send({ headers });
  events.writeHead(200, stream).flushHeaders();
  const next = reader(await opened);
  if (hello !== '') events.write(hello);
  if (hello !== '') await next();
  // An answer of another session passes.
  events.write(frame({ ...answer, id: 2 }));
  expect(await next()).toBe(frame({ ...answer, id: 2 }).trim());
  const { header } = await payFor(url);
  const { got, response } = await send(call({ ...header, ...headers }), path);
  got.writeHead(202).end('Accepted');
  expect((await response).status).toBe(202);
  expect(facilitator.count('settle')).toBe(0);
  events.write(frame(answer));
  expect(await next()).toContain('x402/payment-response');
  expect(facilitator.count('settle')).toBe(1);
});

test('a call whose client has left is charged if it succeeds, and answered when the client asks again', async () => {
  const { url, send } = await openStreams();
  const { header } = await payFor(url);
  const leaving = new AbortController();
  const { got, response } = await send({ ...call(header), signal: leaving.signal });
  // The server does not hear of it.
  got.once('close', () => expect(facilitator.count('settle')).toBe(1));
  const closed = new Promise((resolve) => got.req.socket.once('close', resolve));
  leaving.abort();
  await Promise.all([closed, response.catch(() => {})]);
  got.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  const again = await fetch(url, call(header));
  expect(((await again.json()) as typeof answer).result.content).toEqual(answer.result.content);
  expect(facilitator.count('settle')).toBe(1);
});
