import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type FacilitatorDouble, openFacilitatorDouble } from './fixtures/facilitator-double.ts';
import { callOf, openBehindGate, payFor, payingFetch, plainHandler, post } from './fixtures/paid-server.ts';

let facilitator: FacilitatorDouble;
beforeEach(async () => {
  facilitator = await openFacilitatorDouble();
  onTestFinished(facilitator.close);
});

const text = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } });

async function open(options: Partial<Parameters<typeof openBehindGate>[1]> = {}) {
  const runs: unknown[] = [];
  const handler = plainHandler((message) => {
    runs.push(message);
    return text(`answer ${runs.length}`);
  });
  const server = await openBehindGate(facilitator, { handler, ...options });
  onTestFinished(server.close);
  return { ...server, runs };
}

describe('a call that is not paid', () => {
  test('gets 402 with the price in header and body, and is not run', async () => {
    const { url, runs } = await open();
    const { status, headers, body } = await post(url, callOf());
    expect(status).toBe(402);
    expect(body).toMatchObject({
      id: 1,
      error: { code: 402, data: { x402Version: 2, accepts: [{ scheme: 'exact', amount: '10000' }] } },
      x402Version: 1,
      accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000' }],
    });
    expect(JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString())).toEqual(
      body.error.data,
    );
    expect(runs).toEqual([]);
  });
});

describe('a call that is paid', () => {
  test('by @x402/fetch is answered with the settlement', async () => {
    const { url, runs } = await open();
    const { status, headers, body } = await post(url, callOf(), {}, payingFetch);
    expect(body).toMatchObject({ result: { content: [{ text: 'answer 1' }] } });
    expect(status).toBe(200);
    expect(body.result._meta['x402/payment-response']).toMatchObject({ success: true, transaction: '0x1' });
    expect(headers.get('payment-response')).toBeTruthy();
    expect([runs.length, facilitator.count('verify'), facilitator.count('settle')]).toEqual([1, 1, 1]);
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
void [beforeAll, afterAll];
