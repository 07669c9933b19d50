import { expect, test } from 'vitest';
import { startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { fetchTool } from './fetch-tool.ts';
import { previewCall } from './preview-call.ts';

const main = {
  namespace: 'shop',
  name: 'Shop',
  description: 'Orders',
  version: '3.0.0',
  headers: {},
  tools: {
    order: {
      method: 'POST',
      path: '/',
      description: 'Order something',
      parameters: [],
      idempotency: { header: 'Idempotency-Key' },
    },
  },
};

test('a call sends its key, the same for all of its requests, or a random one', async () => {
  const api = await startEchoApi();
  const keyOf = async (options: { idempotencyKey?: string }) => {
    const { data } = await fetchTool({ main: { ...main, root: api.origin }, routeName: 'order', ...options });
    return (data as { headers: Record<string, string> }).headers['idempotency-key'];
  };
  expect(await keyOf({ idempotencyKey: 'order-17' })).toBe('order-17');
  const random = await Promise.all([keyOf({}), keyOf({})]);
  expect(new Set(random).size).toBe(2);
  expect(random).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
});

test('a preview shows the key; one that cannot be in a header is refused', async () => {
  const schema = { ...main, root: 'https://shop.example' };
  const { request } = await previewCall({ main: schema, routeName: 'order', idempotencyKey: 'order-17' });
  expect(request?.headers).toMatchObject({ 'Idempotency-Key': 'order-17' });
  const { status, messages } = await fetchTool({ main: schema, routeName: 'order', idempotencyKey: 'line\nbreak' });
  expect([status, messages[0]]).toEqual([
    false,
    'fetch expects idempotencyKey to be 1 to 255 visible ASCII characters, got a value of type string',
  ]);
});
