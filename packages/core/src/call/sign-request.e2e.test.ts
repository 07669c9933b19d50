import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import type { Signature } from '../schema/format/format-types.generated.ts';
import { startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { fetchTool } from './fetch-tool.ts';
import { previewCall } from './preview-call.ts';

const serverParams = { KEY: 'k3y-of-the-desk', SECRET: 's3cret-of-the-desk' };
const parameter = (key: string, location: string) => ({
  position: { key, value: '{{USER_PARAM}}', location },
  z: { primitive: 'string()', options: ['optional()'] },
});
const tool = (method: string, location: string) => ({
  method,
  path: '/v1/order',
  description: 'Orders',
  parameters: [parameter('note', location)],
});
const desk = {
  namespace: 'desk',
  name: 'Desk',
  description: 'Orders',
  version: '3.0.0',
  requiredServerParams: Object.keys(serverParams),
  headers: {},
  tools: { order: tool('POST', 'body'), find: tool('GET', 'query'), open: { ...tool('GET', 'query'), auth: false } },
};
const hmac = { type: 'hmac', algorithm: 'sha256', secret: '{{SECRET}}', encoding: 'hex' } as const;
const note = 'two & a half – größer';

async function sent(signature: Signature, routeName = 'order', params: Record<string, string> = serverParams) {
  const api = await startEchoApi(() => ({}));
  const main = { ...desk, root: api.origin, signature };
  const { findings } = await fetchTool({ main, routeName, serverParams: params, userParams: { note } });
  expect(findings).toEqual([]);
  const [request = { method: '', url: '', headers: {} as IncomingHttpHeaders, body: '' }] = api.arrived;
  return { ...request, query: request.url.replace(/^[^?]*\??/, '') };
}

const mac = (text: string, secret: string | Buffer = serverParams.SECRET) => createHmac('sha256', secret).update(text);

test('a header signs the body, as GitHub and Stripe do', async () => {
  const github = await sent({
    ...hmac,
    message: '{{body}}',
    in: 'header',
    name: 'X-Hub-Signature-256',
    prefix: 'sha256=',
  });
  expect(github.headers['x-hub-signature-256']).toBe(`sha256=${mac(github.body).digest('hex')}`);
  const stripe = await sent({
    ...{ ...hmac, message: '{{timestamp}}.{{body}}', in: 'header', name: 'Stripe-Signature' },
    prefix: 't={{timestamp}},v1=',
  });
  const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(stripe.headers['stripe-signature'])) ?? [];
  expect(signature).toBe(mac(`${time}.${stripe.body}`).digest('hex'));
  expect(Math.abs(Number(time) * 1000 - Date.now())).toBeLessThan(60_000);
});

test('the query is signed with what is added to it, as Binance does', async () => {
  const signature: Signature = {
    ...{ ...hmac, message: '{{query}}{{body}}', in: 'query', name: 'signature' },
    query: { recvWindow: 5000, timestamp: '{{timestampMs}}' },
  };
  const { query } = await sent(signature, 'find');
  const [, signed = '', found] = /^(.*)&signature=(\w+)$/.exec(query) ?? [];
  expect(found).toBe(mac(signed).digest('hex'));
  const fields = new URLSearchParams(signed);
  expect(fields.get('note')).toBe(note);
  expect([...fields.keys()]).toEqual(['note', 'recvWindow', 'timestamp']);
  expect((await sent(signature, 'open')).query).not.toContain('signature');
});

test('further headers repeat the time that is signed; a secret may be base64', async () => {
  const secret = Buffer.from([0, 255, 1, 254, 7, 8, 9, 10]);
  const { headers, body, method, url } = await sent(
    {
      ...{ ...hmac, encoding: 'base64', secretEncoding: 'base64' },
      ...{ message: '{{timestampIso}}{{method}}{{target}}{{body}}', in: 'header', name: 'OK-SIGN' },
      headers: { 'OK-KEY': '{{KEY}}', 'OK-TIME': '{{timestampIso}}', 'OK-NONCE': '{{nonce}}' },
    },
    'order',
    { ...serverParams, SECRET: secret.toString('base64') },
  );
  expect(headers['ok-sign']).toBe(mac(`${headers['ok-time']}${method}${url}${body}`, secret).digest('base64'));
  expect([headers['ok-key'], headers['ok-nonce']]).toEqual([serverParams.KEY, expect.stringMatching(/^[\w-]{36}$/)]);
});

test.for(['hex', 'base64'] as const)('a key that is not %s signs nothing', async (secretEncoding) => {
  const signature = { ...hmac, secretEncoding, message: '{{body}}', in: 'header', name: 'X-Sign' } as const;
  const main = { ...desk, root: 'http://127.0.0.1:9', signature };
  const { findings } = await fetchTool({ main, routeName: 'order', serverParams: { KEY: 'k', SECRET: 'no key!' } });
  expect(findings).toMatchObject([
    {
      code: 'SECRET_INVALID',
      message: `Server parameter SECRET is not ${secretEncoding}, which main.signature expects`,
    },
  ]);
});

test('a preview shows where the signature goes, and no secret', async () => {
  const signature: Signature = {
    ...hmac,
    message: '{{body}}',
    in: 'header',
    name: 'X-Sign',
    prefix: 't={{timestamp}},v1=',
  };
  const main = { ...desk, root: 'https://desk.example', signature };
  const { request, messages, curl } = await previewCall({
    main,
    routeName: 'order',
    serverParams,
    userParams: { note },
  });
  expect(request?.headers['X-Sign']).toBe('t={{timestamp}},v1={{signature}}');
  expect(messages).toEqual(['The signature and its time are made when the request is sent.']);
  expect(curl).not.toContain('s3cret');
});
