import { expect, it } from 'vitest';
import { clientFor, serveHttp } from '../fixtures/loopback-server.ts';
import { interceptRequests } from './http-client.ts';
import { createAnswer } from './received-answer.ts';

it('answers without a connection if send is not called', async () => {
  const server = await serveHttp((_request, response) => response.end('real'));
  const client = clientFor([server]);
  const answer = await interceptRequests(
    async ({ url }) =>
      createAnswer({ url, status: 201, headers: { 'content-type': 'text/plain' }, body: Buffer.from('given') }),
    () => client.request({ url: `${server.origin}/a`, method: 'GET' }),
  );
  expect({ status: answer.status, text: answer.text(), body: Buffer.from(answer.body).toString() }).toEqual({
    status: 201,
    text: 'given',
    body: 'given',
  });
  expect(server.connections()).toBe(0);
});

it('sees the request and the answer', async () => {
  const server = await serveHttp((_request, response) => response.end('real'));
  const client = clientFor([server]);
  const seen: string[] = [];
  const answer = await interceptRequests(
    async ({ method, url }, send) => {
      const sent = await send();
      seen.push(`${method} ${new URL(url).pathname} ${sent.text()}`);
      return sent;
    },
    () => client.request({ url: `${server.origin}/a`, method: 'GET' }),
  );
  expect(answer.text()).toBe('real');
  expect(seen).toEqual(['GET /a real']);
});

it('does not affect concurrent requests', async () => {
  const server = await serveHttp((_request, response) => response.end('real'));
  const client = clientFor([server]);
  const ask = () => client.request({ url: server.origin, method: 'GET' });
  const given = (text: string) => async () =>
    createAnswer({ url: server.origin, status: 200, headers: {}, body: Buffer.from(text) });
  const answers = await Promise.all([
    interceptRequests(given('one'), ask),
    ask(),
    interceptRequests(given('two'), async () => {
      await Promise.resolve();
      return ask();
    }),
  ]);
  expect(answers.map((answer) => answer.text())).toEqual(['one', 'real', 'two']);
});
