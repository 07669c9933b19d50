import { expect, onTestFinished, test } from 'vitest';
import type { Exchange } from './recorded-answer.ts';
import { startReplayServer } from './replay-server.ts';

const exchange: Exchange = {
  request: { method: 'GET', path: '/v1/rates', query: { base: 'EUR', quotes: 'USD,GBP' } },
  answer: { status: 200, headers: { 'content-type': 'application/json' }, body: [1] },
};

async function openServer() {
  const server = await startReplayServer();
  onTestFinished(() => server.close());
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${server.origin}${path}`, {
      method,
      headers: { accept: '*/*', 'user-agent': 'schemakit', 'accept-language': '', 'sec-fetch-mode': '', ...headers },
    });
  return { server, ask };
}

// The global fetch has headers of its own; here they are part of what is documented.
const fromFetch = { 'accept-language': '', 'sec-fetch-mode': 'cors' };

test('the documented request is answered, once', async () => {
  const { server, ask } = await openServer();
  server.expect([{ ...exchange, request: { ...exchange.request, headers: fromFetch } }]);
  expect(await (await ask('/v1/rates?quotes=USD%2CGBP&base=EUR')).json()).toEqual([1]);
  expect(server.complaints()).toEqual([]);
  expect((await ask('/v1/rates?quotes=USD%2CGBP&base=EUR')).status).toBe(404);
  expect(server.complaints()).toEqual(['GET /v1/rates: nothing more is documented']);
});

test.each([
  ['another path', '/v2/rates?base=EUR&quotes=USD,GBP', {}, 'GET', /^path: "\/v2\/rates" arrived/],
  ['another query', '/v1/rates?base=EUR', {}, 'GET', /^query: \[\["base","EUR"\]\] arrived/],
  ['a value twice', '/v1/rates?base=EUR&base=EUR&quotes=USD,GBP', {}, 'GET', /^query: /],
  ['another method', '/v1/rates?base=EUR&quotes=USD,GBP', {}, 'DELETE', /^method: "DELETE" arrived, "GET"/],
  [
    'a header that is not documented',
    '/v1/rates?base=EUR&quotes=USD,GBP',
    { 'x-more': '1' },
    'GET',
    /^headers: .*x-more/,
  ],
])('%s is refused', async (_name, path, headers, method, difference) => {
  const { server, ask } = await openServer();
  server.expect([{ ...exchange, request: { ...exchange.request, headers: fromFetch } }]);
  const response = await ask(path, headers, method);
  expect(response.status).toBe(404);
  const { differences } = (await response.json()) as { differences: string[] };
  expect(differences).toEqual([expect.stringMatching(difference)]);
  expect(server.complaints()).toEqual([...differences, 'GET /v1/rates was not asked']);
});
