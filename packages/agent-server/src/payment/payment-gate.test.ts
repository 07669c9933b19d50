import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type FacilitatorDouble,
  network,
  openFacilitatorDouble,
  payTo,
  solana,
} from './fixtures/facilitator-double.ts';
import { account, callOf, openBehindGate, payFor, payingFetch, plainHandler, post } from './fixtures/paid-server.ts';
import { paymentGate } from './index.ts';
import type { Message } from './paid-calls.ts';

let facilitator: FacilitatorDouble;
beforeEach(async () => {
  facilitator = await openFacilitatorDouble();
});
afterEach(() => {
  facilitator.close();
  vi.useRealTimers();
});

const text = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } });

type Options = Partial<Parameters<typeof openBehindGate>[1]> & {
  answer?: (message: Message) => object | Promise<object>;
};

/** A server that counts its runs. */
async function open({ answer, ...options }: Options = {}) {
  const runs: Message[] = [];
  const handler = plainHandler((message) => {
    runs.push(message);
    return answer?.(message) ?? text(`answer ${runs.length}`);
  });
  const server = await openBehindGate(facilitator, { handler, ...options });
  onTestFinished(server.close);
  return { ...server, runs };
}

function sqliteUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), 'receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'receipts.db')}`;
}

/** A request as bytes, for what `fetch` does not send. */
async function raw(url: string, head: string[], body: string | Buffer): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(['POST /mcp HTTP/1.1', 'Host: localhost', ...head, '', ''].join('\r\n'));
  socket.write(body);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

const wrongNonce = {
  'X-PAYMENT': JSON.stringify({
    ...{ x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
    payload: { signature: '0x', authorization: { from: '0xA', nonce: { toString: 1 } } },
  }),
};

describe('a call that is not paid', () => {
  test('gets 402 with the price in header and body, and is not run', async () => {
    const { url, runs } = await open();
    const { status, headers, body } = await post(url, callOf());
    expect(status).toBe(402);
    expect(body).toMatchObject({
      id: 1,
      error: { code: 402, data: { x402Version: 2, accepts: [{ scheme: 'exact', network, amount: '10000', payTo }] } },
      x402Version: 1,
      accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000', payTo }],
    });
    expect(JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString())).toEqual(
      body.error.data,
    );
    expect(runs).toEqual([]);
  });

  test('gets 200 and nothing but JSON-RPC with status: 200', async () => {
    const { url, runs } = await open({ status: 200 });
    const { status, body } = await post(url, callOf());
    expect([status, Object.keys(body).sort()]).toEqual([200, ['error', 'id', 'jsonrpc']]);
    expect([body.error.code, runs.length]).toEqual([402, 0]);
  });

  test.each([
    ['nothing', {}],
    ['no x402', { 'PAYMENT-SIGNATURE': 'aGVsbG8=' }],
    ['no base64', { 'X-PAYMENT': '{' }],
    ['a nonce that is no number', wrongNonce],
  ])('is refused if the payment is %s', async (_, headers) => {
    const { url, runs } = await open();
    expect([(await post(url, callOf(), headers)).status, runs.length]).toEqual([402, 0]);
  });

  test.each([
    ['compressed', ['Content-Type: application/json', 'Content-Encoding: gzip'], gzipSync(JSON.stringify(callOf()))],
    [
      'in another charset',
      ['Content-Type: application/json; charset=utf-16le'],
      Buffer.from(JSON.stringify(callOf()), 'utf16le'),
    ],
  ])('does not get past the gate %s', async (_, head, body) => {
    const { url, runs } = await open();
    expect(await raw(url, [...head, `Content-Length: ${body.length}`], body)).toMatch(/^HTTP\/1.1 415 /);
    expect(runs).toEqual([]);
  });

  test('is found in a body that comes in chunks, behind a byte order mark', async () => {
    const { url, runs } = await open();
    const body = Buffer.from(`\ufeff${JSON.stringify(callOf())}`);
    const chunks = [body.subarray(0, 10), body.subarray(10)];
    const sent = `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`).join('')}0\r\n\r\n`;
    expect(
      await raw(url, ['Content-Type: application/json', 'Transfer-Encoding: chunked'], Buffer.from(sent, 'latin1')),
    ).toMatch(/^HTTP\/1.1 402 /);
    expect(runs).toEqual([]);
  });

  test('is refused with 413 if it is too large', async () => {
    const { url } = await open({ maxBodyBytes: 100 });
    expect((await post(url, callOf({ text: 'x'.repeat(200) }))).status).toBe(413);
  });
});

describe('what costs nothing passes', () => {
  test('a free tool, beside a paid one', async () => {
    const { url } = await open();
    expect((await post(url, callOf({}, { name: 'free' }))).body).toMatchObject(text('answer 1'));
    expect(facilitator.asked).toEqual([]);
  });

  test('other methods, notifications, DELETE and GET', async () => {
    const { url, runs } = await open();
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(200);
    expect((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(200);
    expect(runs).toHaveLength(2);
    const other = await openBehindGate(facilitator, {
      handler: (request, response) => void response.end(request.method),
    });
    onTestFinished(other.close);
    for (const method of ['GET', 'DELETE']) expect(await (await fetch(other.url, { method })).text()).toBe(method);
  });

  test('a body that is not JSON, whole', async () => {
    const server = await openBehindGate(facilitator, { handler: (request, response) => void request.pipe(response) });
    onTestFinished(server.close);
    const body = 'not json, '.repeat(20_000);
    expect(await (await fetch(server.url, { method: 'POST', body })).text()).toBe(body);
  });
});

describe('a call that is paid', () => {
  test('by @x402/fetch is answered with the settlement', async () => {
    const { url, runs } = await open();
    const { status, headers, body } = await post(url, callOf(), {}, payingFetch);
    expect(status).toBe(200);
    expect(body.result._meta['x402/payment-response']).toMatchObject({ success: true, transaction: '0x1' });
    expect(headers.get('payment-response')).toBeTruthy();
    expect([runs.length, facilitator.count('verify'), facilitator.count('settle')]).toEqual([1, 1, 1]);
  });

  test('by a client of version 1 is answered with its header', async () => {
    const { url } = await open();
    const client = new x402Client().registerV1('base-sepolia', new ExactEvmSchemeV1(account));
    // A client of version 1 knows no header.
    const old: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const headers = new Headers(response.headers);
      headers.delete('payment-required');
      return new Response(response.body, { status: response.status, headers });
    };
    const { status, headers } = await post(url, callOf(), {}, wrapFetchWithPayment(old, client));
    expect(status).toBe(200);
    expect(JSON.parse(Buffer.from(headers.get('x-payment-response') ?? '', 'base64').toString())).toMatchObject({
      success: true,
    });
    expect(facilitator.asked.filter(({ path }) => path !== 'supported').map(({ body }) => body.x402Version)).toEqual([
      1, 1,
    ]);
  });

  test('in _meta is answered with the settlement in _meta', async () => {
    const { url } = await open({ status: 200 });
    const { meta } = await payFor(url);
    const { body } = await post(url, callOf({}, { meta }));
    expect(body.result._meta['x402/payment-response'].success).toBe(true);
  });

  test('on Solana goes to the facilitator as it is', async () => {
    const receiver = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const { url } = await open({ network: solana, payTo: receiver });
    const { body } = await post(url, callOf());
    const [accepted] = body.error.data.accepts;
    expect(accepted).toMatchObject({
      network: solana,
      payTo: receiver,
      amount: '10000',
      extra: { feePayer: expect.any(String) },
    });
    expect(body.accepts).toMatchObject([{ network: 'solana-devnet' }]);
    const transaction = Buffer.concat([Buffer.from([2]), Buffer.alloc(128, 7), Buffer.from('message')]);
    const pay = (bytes: Buffer) => ({
      'x402/payment': { x402Version: 2, accepted, payload: { transaction: bytes.toString('base64') } },
    });
    expect(
      (await post(url, callOf({}, { meta: pay(transaction) }))).body.result._meta['x402/payment-response'].success,
    ).toBe(true);
    expect(facilitator.asked.at(-1)?.body).toMatchObject({
      paymentPayload: { payload: { transaction: transaction.toString('base64') } },
    });
    // The same message with other signatures is the same payment.
    transaction[5] = 8;
    const { body: refusal } = await post(url, callOf({ other: 1 }, { meta: pay(transaction) }));
    expect(refusal.error.data.error).toBe('The payment was used for another call.');
  });

  test('costs what one of several prices says', async () => {
    const asset = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
    const { url } = await open({
      payTo: { [network]: payTo, [solana]: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      prices: {
        ask: [
          { amount: '25', asset, network },
          { amount: '26', asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', network: solana },
        ],
      },
    });
    const { body } = await post(url, callOf());
    expect(body.error.data.accepts).toMatchObject([
      { network, amount: '25', extra: { name: 'USDC' } },
      { network: solana, amount: '26' },
    ]);
    expect((await post(url, callOf(), {}, payingFetch)).status).toBe(200);
  });

  test('runs once for 50 calls with the same receipt', async () => {
    const { url, runs } = await open();
    const { header } = await payFor(url);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, id) => post(url, callOf({}, { id }), header)));
    expect(new Set(answers.map(({ body }) => body.result.content[0].text))).toEqual(new Set(['answer 1']));
    expect(answers.map(({ body }) => body.id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
    expect([runs.length, facilitator.count('settle')]).toEqual([1, 1]);
  });
});

describe('a receipt', () => {
  test('is refused for other arguments and for another tool, in whatever form', async () => {
    const { url, runs } = await open({ prices: { ask: '$0.01', other: '$0.01' } });
    const { header, meta } = await payFor(url);
    expect((await post(url, callOf({ a: 1, b: 2 }), header)).status).toBe(200);
    const varied = { ...meta['x402/payment'], extensions: { note: 'new' } };
    for (const call of [
      callOf({ a: 2 }, { meta }),
      callOf({ a: 1, b: 2 }, { name: 'other', meta }),
      callOf({ a: 3 }, { meta: { 'x402/payment': varied } }),
    ])
      expect((await post(url, call)).body.error.data.error).toBe('The payment was used for another call.');
    // The order of keys makes no difference.
    expect((await post(url, callOf({ b: 2, a: 1 }, { meta }))).body.result.content[0].text).toBe('answer 1');
    expect([runs.length, facilitator.count('settle')]).toEqual([1, 1]);
  });

  test('gets the same answer for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { url, runs } = await open();
    const { header } = await payFor(url);
    const first = await post(url, callOf(), header);
    vi.setSystemTime(Date.now() + 9 * 60_000);
    const again = await post(url, callOf(), header);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'));
    vi.setSystemTime(Date.now() + 2 * 60_000);
    expect((await post(url, callOf(), header)).body.error.data.error).toContain('ten minutes');
    expect([runs.length, facilitator.count('settle')]).toEqual([1, 1]);
  });

  test('is deleted after a day', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const tasks = sqliteUrl();
    const { url } = await open({ tasks });
    const { header } = await payFor(url);
    expect((await post(url, callOf(), header)).status).toBe(200);
    const file = new DatabaseSync(tasks.slice('sqlite:'.length));
    onTestFinished(() => file.close());
    const records = () => file.prepare('SELECT count(*) AS count FROM records').get()?.count;
    expect(records()).toBeGreaterThan(0);
    vi.advanceTimersByTime(25 * 60 * 60_000);
    await expect.poll(records).toBe(0);
  });

  test('is remembered across a restart', async () => {
    const tasks = sqliteUrl();
    const first = await open({ tasks });
    const { header } = await payFor(first.url);
    await post(first.url, callOf(), header);
    const second = await open({ tasks });
    expect((await post(second.url, callOf(), header)).body.result.content[0].text).toBe('answer 1');
    expect((await post(second.url, callOf({ other: 1 }), header)).status).toBe(402);
    expect([second.runs.length, facilitator.count('settle')]).toEqual([0, 1]);
  });

  test.each([
    ['before the facilitator settled', false],
    ['after the facilitator settled', true],
  ])('whose server ended %s gets its answer from the next one, charged once', async (_, isSettled) => {
    const tasks = sqliteUrl();
    const first = await open({ tasks });
    const { header, meta } = await payFor(first.url);
    const asked = Promise.withResolvers<void>();
    facilitator.intercept = async (path) => {
      if (path !== 'settle') return undefined;
      facilitator.intercept = undefined;
      // As if the answer of the facilitator never arrived.
      if (isSettled) await fetch(`${facilitator.url}/settle`, settleRequest(meta));
      asked.resolve();
      return new Promise(() => {});
    };
    const given = post(first.url, callOf(), header).catch(() => undefined);
    await asked.promise;
    first.close();
    await given;
    // The first one could still be at it: the payment is not settled twice at once.
    const early = await open({ tasks });
    const { status, headers } = await post(early.url, callOf(), header);
    expect([status, headers.get('retry-after'), facilitator.count('settle')]).toEqual([503, '10', isSettled ? 2 : 1]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    const second = await open({ tasks });
    const { body } = await post(second.url, callOf(), header);
    expect(body.result).toMatchObject({
      content: [{ text: 'answer 1' }],
      _meta: { 'x402/payment-response': { success: true } },
    });
    expect([first.runs.length, early.runs.length, second.runs.length]).toEqual([1, 0, 0]);
  });

  test('that two servers of one file settle at the same time goes to the facilitator once', async () => {
    const task = { taskId: 'task-1', status: 'completed', ttl: 60_000 };
    const tasks = sqliteUrl();
    const answer = ({ method }: Message) =>
      method === 'tools/call' ? { result: { content: [], task } } : text('done');
    const servers = [await open({ tasks, answer }), await open({ tasks, answer })] as const;
    const { header, meta } = await payFor(servers[0].url);
    await post(servers[0].url, callOf(), header);
    const asked = Promise.withResolvers<void>();
    const going = Promise.withResolvers<undefined>();
    facilitator.intercept = (path) => {
      if (path !== 'settle') return undefined;
      asked.resolve();
      return going.promise;
    };
    const result = { jsonrpc: '2.0', id: 2, method: 'tasks/result', params: { taskId: 'task-1', _meta: meta } };
    const first = post(servers[0].url, result);
    await asked.promise;
    expect((await post(servers[1].url, result)).status).toBe(503);
    going.resolve(undefined);
    for (const { body } of [await first, await post(servers[1].url, result)])
      expect(body.result.content[0].text).toBe('done');
    expect(facilitator.count('settle')).toBe(1);
  });

  function settleRequest({ 'x402/payment': paymentPayload }: Awaited<ReturnType<typeof payFor>>['meta']): RequestInit {
    const { accepted } = paymentPayload;
    return { method: 'POST', body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: accepted }) };
  }
});

describe('a call that fails', () => {
  test.each([
    ['isError', { result: { content: [], isError: true } }],
    ['an error of JSON-RPC', { error: { code: -32602, message: 'no' } }],
    ['a question to the user', { result: { resultType: 'input_required', inputRequests: {} } }],
  ])('with %s is not charged, and its payment can be used again', async (_, failure) => {
    let answer: object = failure;
    const { url } = await open({ answer: () => answer });
    const { header } = await payFor(url);
    expect((await post(url, callOf(), header)).body).toMatchObject(failure);
    expect(facilitator.count('settle')).toBe(0);
    answer = text('now');
    expect((await post(url, callOf(), header)).body).toMatchObject(answer);
    expect(facilitator.count('settle')).toBe(1);
  });

  test('is not charged if its answer cannot be read', async () => {
    const server = await openBehindGate(facilitator, { handler: (_, response) => void response.end('<html>') });
    onTestFinished(server.close);
    const { header } = await payFor(server.url);
    const { status, body } = await post(server.url, callOf(), header);
    expect([status, body.error.message, facilitator.count('settle')]).toEqual([
      502,
      expect.stringContaining('JSON'),
      0,
    ]);
  });
});

describe('a settlement', () => {
  test('that is declined withholds the answer and says so, until it succeeds', async () => {
    const { url, runs } = await open();
    const { header } = await payFor(url);
    facilitator.intercept = (path) =>
      path === 'settle' ? { success: false, errorReason: 'insufficient_funds', transaction: '', network } : undefined;
    const { status, headers, body } = await post(url, callOf(), header);
    expect([status, body.result, body.error.data.error]).toEqual([
      402,
      undefined,
      'The payment could not be settled: insufficient_funds',
    ]);
    expect(JSON.parse(Buffer.from(headers.get('payment-response') ?? '', 'base64').toString()).success).toBe(false);
    facilitator.intercept = undefined;
    expect((await post(url, callOf(), header)).body.result.content[0].text).toBe('answer 1');
    expect(runs).toHaveLength(1);
  });

  test('that was declined because the payment was used elsewhere never gives the answer', async () => {
    const { url } = await open();
    const { header } = await payFor(url);
    facilitator.intercept = (path) =>
      path === 'settle'
        ? { success: false, errorReason: 'invalid_exact_evm_nonce_already_used', transaction: '', network }
        : undefined;
    for (const _ of [1, 2, 3]) expect((await post(url, callOf(), header)).status).toBe(402);
  });

  test('that nobody knows about withholds the answer, and the next call settles', async () => {
    const { url, runs } = await open();
    const { header } = await payFor(url);
    const pending = { success: false, errorReason: 'settlement_pending', transaction: '0x1', network };
    for (const answer of [{ status: 500 }, pending]) {
      facilitator.intercept = (path) => (path === 'settle' ? answer : undefined);
      const { status, headers } = await post(url, callOf(), header);
      expect([status, headers.get('retry-after')]).toEqual([503, '10']);
    }
    facilitator.intercept = undefined;
    expect((await post(url, callOf(), header)).status).toBe(200);
    expect(runs).toHaveLength(1);
  });
});

describe('a facilitator', () => {
  test.each([
    ['is no settlement', { success: 'true', transaction: 1, network: 5 }],
    ['says no in a text', { success: 'false', errorReason: 'x', transaction: '', network }],
    ['is of another network', { success: true, transaction: '0x1', network: 'eip155:1' }],
    ['has no transaction', { success: true, transaction: '', network }],
    ['has the status of an error', { success: true, transaction: '0x1', network, status: 500 }],
  ])('whose settlement %s has not settled', async (_, answer) => {
    const { url } = await open();
    const { header } = await payFor(url);
    facilitator.intercept = (path) => (path === 'settle' ? answer : undefined);
    const { status, body } = await post(url, callOf(), header);
    expect([status, body.error.message]).toEqual([
      503,
      'Nobody knows yet whether the payment was settled. The facilitator gave no usable answer at /settle. Send the same payment again in a moment.',
    ]);
  });

  test('that says no is obeyed, before the call', async () => {
    const { url, runs } = await open();
    const { meta } = await payFor(url);
    const { payload } = meta['x402/payment'];
    payload.signature = `0x${'1'.repeat(128)}1b`;
    const { status, body } = await post(url, callOf({}, { meta }));
    expect([status, body.error.data.error, runs.length]).toEqual([
      402,
      'The payment is not valid: invalid_exact_evm_payload_signature',
      0,
    ]);
  });

  test.each(['supported', 'verify'] as const)('that is slow at /%s refuses the call for now', async (slow) => {
    const { url, runs } = await open({ facilitator: { url: facilitator.url, timeoutMs: 200 } });
    const { header } = await payFor((await open()).url);
    facilitator.intercept = (path) => (path === slow ? new Promise(() => {}) : undefined);
    expect((await post(url, callOf(), header)).status).toBe(503);
    facilitator.intercept = undefined;
    expect([(await post(url, callOf(), header)).status, runs.length]).toEqual([200, 1]);
  });

  test.each([
    ['the same headers', { 'x-api-key': 'secret-key' }, 'secret-key'],
    ['headers that are made', async (request: string) => ({ 'x-api-key': `secret-${request}` }), undefined],
  ])('that needs a key gets %s with each request', async (_, headers, same) => {
    const { url } = await open({ facilitator: { url: facilitator.url, headers } });
    expect((await post(url, callOf(), {}, payingFetch)).status).toBe(200);
    const sent = facilitator.asked.map(({ path, headers }) => [path, headers['x-api-key']]);
    expect(sent).toEqual(['supported', 'verify', 'settle'].map((path) => [path, same ?? `secret-${path}`]));
  });

  test('whose headers cannot be made refuses the call, without their words', async () => {
    const headers = () => Promise.reject(new Error('secret-key is wrong'));
    const errors: string[] = [];
    const onError = ({ message }: Error) => void errors.push(message);
    const { url } = await open({ facilitator: { url: facilitator.url, headers }, onError });
    const { status, body } = await post(url, callOf());
    const text = 'The headers for the facilitator could not be made';
    expect([status, body.error.message]).toEqual([503, `Payments cannot be checked at the moment: ${text}.`]);
    expect(errors).toEqual([`${text}: secret-key is wrong`]);
    const wrong = { facilitator: { url: 'http://localhost', headers: { 'x key': 'secret-key' } }, payTo, network };
    expect(() => paymentGate({ ...wrong, prices: {} })).toThrow(/facilitator\.headers must be(?!.*secret)/);
  });

  test('says at once that the store of payments cannot be opened', async () => {
    const errors: string[] = [];
    const onError = ({ message }: Error) => void errors.push(message);
    const tasks = 'redis://127.0.0.1:1';
    paymentGate({ facilitator: { url: facilitator.url }, payTo, network, prices: {}, tasks, onError });
    await expect.poll(() => errors).toEqual([expect.stringContaining(`Cannot open the runs at ${tasks}`)]);
  });

  test('is asked whether it has the network, and every network has an address', async () => {
    const prices = { ask: '$0.01' };
    const settings = { facilitator: { url: facilitator.url }, payTo, network, prices };
    await expect(paymentGate(settings).check()).resolves.toBeUndefined();
    await expect(paymentGate({ ...settings, network: 'eip155:10' }).check()).rejects.toMatchObject({
      name: 'PriceError',
      message: 'The facilitator carries out no payments on eip155:10',
    });
    const asset = '0x808456652fdb597867f38412077A9182bf77359F';
    const tokenPrices = [
      [{ amount: '1', asset: 'USDC' }, 'USDC is no address of a token on eip155:84532'],
      [{ amount: '1', asset }, `The price in ${asset} needs extra`],
    ] as const;
    for (const [ask, message] of tokenPrices)
      await expect(paymentGate({ ...settings, prices: { ask } }).check()).rejects.toThrow(message);
    const extra = { name: 'EURC', version: '2' };
    await paymentGate({ ...settings, prices: { ask: { amount: '1', asset, extra } } }).check();
    const both = { ask: ['$0.01', { amount: '1', asset: 'mint', network: solana }] };
    await expect(paymentGate({ ...settings, prices: both }).check()).rejects.toThrow(
      `payTo has no address for ${solana}`,
    );
  });

  test('that is down refuses the call for now', async () => {
    const { url, runs } = await open({ facilitator: { url: 'http://127.0.0.1:9' } });
    const { status, body } = await post(url, callOf());
    expect([status, runs.length]).toEqual([503, 0]);
    expect(body.error).toMatchObject({ code: -32000, message: expect.stringContaining('cannot be reached') });
  });
});

describe('a batch', () => {
  test('runs if each paid call has its own payment', async () => {
    const { url, runs } = await open();
    const [one, two] = await Promise.all([payFor(url), payFor(url)]);
    const batch = [
      callOf({}, { id: 1, meta: one.meta }),
      callOf({}, { id: 2, name: 'free' }),
      callOf({}, { id: 3, meta: two.meta }),
    ];
    const { status, body } = await post(url, batch);
    expect(status).toBe(200);
    expect(body.map(({ id, result }: Message) => [id, Object.hasOwn(Object(result), '_meta')])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
    expect([runs.length, facilitator.count('settle')]).toEqual([3, 2]);
  });

  test.each([
    ['no payment', () => undefined],
    ['the payment of another', (meta: object) => meta],
  ])('is refused as a whole if one has %s', async (_, second) => {
    const { url, runs } = await open();
    const { meta, header } = await payFor(url);
    const other = second(meta);
    const batch = [
      callOf({}, { id: 1, meta }),
      callOf({ x: 1 }, { id: 2, ...(other && { meta: other }) }),
      callOf({}, { id: 3, name: 'free' }),
    ];
    const { status, body } = await post(url, batch, header);
    expect([status, body.map(({ id }: Message) => id), runs.length]).toEqual([402, [1, 2, 3], 0]);
    expect(body[1].error.code).toBe(402);
    // The payment that was there is as good as before.
    expect((await post(url, callOf({}, { meta }))).status).toBe(200);
  });
});

test('two calls of a batch, or of a session, with one id are refused: one could get the answer of the other', async () => {
  const { url, runs } = await open();
  const [one, two] = await Promise.all([payFor(url), payFor(url)]);
  const batch = [callOf({}, { meta: one.meta }), callOf({ x: 1 }, { meta: two.meta }), { method: 'notifications/x' }];
  expect([(await post(url, batch)).status, runs.length]).toEqual([400, 0]);
  const asked = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const slow = await open({
    async answer() {
      asked.resolve();
      await going.promise;
      return text('slow');
    },
  });
  const session = { 'mcp-session-id': 'a' };
  const first = post(slow.url, callOf({}, { meta: one.meta }), session);
  await asked.promise;
  const second = await post(slow.url, callOf({ x: 1 }, { meta: two.meta }), session);
  expect([second.status, second.body.id]).toEqual([400, 1]);
  going.resolve();
  expect((await first).body.result.content[0].text).toBe('slow');
  expect((await post(slow.url, callOf({ x: 1 }, { meta: two.meta }), session)).status).toBe(200);
});

test('a price may depend on the name that is called', async () => {
  const { url } = await open({ prices: (name) => (/^ask$|^alias$/.test(name) ? '$0.01' : undefined) });
  const statuses = ['ask', 'alias', 'free'].map(async (name) => (await post(url, callOf({}, { name }))).status);
  expect(await Promise.all(statuses)).toEqual([402, 402, 200]);
});

test('a request that cannot be checked is not passed on', async () => {
  const { url, runs } = await open({
    prices: () => {
      throw new Error('no list');
    },
  });
  const { status, body } = await post(url, callOf());
  expect([status, body.error.message, runs.length]).toEqual([500, expect.stringContaining('no list'), 0]);
});

describe('tasks of another server', () => {
  const task = { taskId: 'task-1', status: 'working', ttl: 60_000 };
  const answers = (message: Message): object => {
    if (message.method === 'tools/call') return { result: { content: [], task } };
    return message.method === 'tasks/get' ? { result: task } : text('done');
  };
  const resultOf = (meta?: object) => ({
    jsonrpc: '2.0',
    id: 9,
    method: 'tasks/result',
    params: { taskId: 'task-1', ...(meta && { _meta: meta }) },
  });

  test('are charged when their result is fetched, once', async () => {
    const { url, runs } = await open({ answer: answers });
    const { header } = await payFor(url);
    expect((await post(url, callOf(), header)).body.result.task).toEqual(task);
    expect((await post(url, callOf(), header)).body.result.task).toEqual(task);
    expect((await post(url, { jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { taskId: 'task-1' } })).status).toBe(
      200,
    );
    expect(facilitator.count('settle')).toBe(0);
    for (const _ of [1, 2])
      expect((await post(url, resultOf())).body.result._meta['x402/payment-response'].success).toBe(true);
    expect([runs.filter(({ method }) => method === 'tools/call').length, facilitator.count('settle')]).toEqual([1, 1]);
  });

  test('need the payment again after a restart', async () => {
    const tasks = sqliteUrl();
    const first = await open({ tasks, answer: answers });
    const { header, meta } = await payFor(first.url);
    await post(first.url, callOf(), header);
    const second = await open({ tasks, answer: answers });
    expect((await post(second.url, resultOf())).body).toMatchObject({
      error: { message: expect.stringContaining('Send the payment') },
    });
    const status = { jsonrpc: '2.0', id: 3, method: 'tasks/get', params: { taskId: 'task-1' } };
    expect((await post(second.url, status)).body.result).toEqual(task);
    expect((await post(second.url, resultOf(meta))).body.result.content[0].text).toBe('done');
    expect((await post(second.url, resultOf())).status).toBe(200);
    expect(facilitator.count('settle')).toBe(1);
  });

  test.each(['failed', 'cancelled'])('that %s cost nothing, and their payment can be used again', async (status) => {
    let answer = answers;
    const { url } = await open({ answer: (message) => answer(message) });
    const { header } = await payFor(url);
    await post(url, callOf(), header);
    answer = () => ({ result: { ...task, status } });
    const get = { jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { taskId: 'task-1' } };
    expect((await post(url, get)).body.result.status).toBe(status);
    answer = () => text('another');
    expect((await post(url, callOf({ other: 1 }), header)).body.result.content[0].text).toBe('another');
    expect(facilitator.count('settle')).toBe(1);
  });

  test('of 2026-07-28 are charged where `tasks/get` has the result, or when the server says that they ended', async () => {
    const flat = { resultType: 'task', taskId: 'task-2', status: 'working', ttlMs: 60_000 };
    const result = { resultType: 'complete', ...text('done').result };
    const done = { ...flat, resultType: 'complete', status: 'completed', result };
    const { url, gate } = await open({ answer: ({ method }) => ({ result: method === 'tools/call' ? flat : done }) });
    const { header } = await payFor(url);
    await post(url, callOf(), header);
    await gate.settleTask('task-2', text('done').result);
    expect(facilitator.count('settle')).toBe(1);
    const { body } = await post(url, { jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { taskId: 'task-2' } });
    expect(body.result.result).toMatchObject(result);
    expect(body.result.result._meta['x402/payment-response'].success).toBe(true);
    expect(facilitator.count('settle')).toBe(1);
  });
});

test('a task that is done at once is charged at once', async () => {
  const done = { resultType: 'task', taskId: 'task-3', status: 'completed', ttlMs: 1, result: text('done').result };
  const { url } = await open({ answer: () => ({ result: done }) });
  const { header } = await payFor(url);
  const { body } = await post(url, callOf(), header);
  expect(body.result.result._meta['x402/payment-response'].success).toBe(true);
  expect(facilitator.count('settle')).toBe(1);
});

test('options that cannot work are reported together', () => {
  const options = {
    facilitator: { url: 'x' },
    payTo: '0x1',
    network: 'base',
    prices: { ask: 'free', little: '$0.0000001' },
    tasks: 'redis://',
  };
  expect(() => paymentGate(options)).toThrow(
    /facilitator\.url .*network .*payTo|prices\.ask .*prices\.little .*tasks/s,
  );
});
