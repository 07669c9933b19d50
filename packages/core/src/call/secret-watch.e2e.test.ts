import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type EchoApi, startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { SchemaKit } from '../schemakit.ts';

const KEY = 'k3y+of/the=cellar';
const PIN = 'p1n-of-the-safe';

/** Parameters that put both secrets into the query, so that they are in `_allParams` and in the planned request. */
const placed = `[
  { position: { key: 'key', value: '{{SERVER_PARAM:KEY}}', location: 'query' }, z: { primitive: 'string()', options: [] } },
  { position: { key: 'auth', value: 'Pin {{SERVER_PARAM:PIN}}', location: 'query' }, z: { primitive: 'string()', options: [] } },
  { position: { key: 'q', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'string()', options: [] } },
]`;

const format3 = ({ origin }: EchoApi, hooks: string) => `export const main = {
  namespace: 'vault', name: 'Vault', description: 'Things in a vault', version: '3.0.0', root: '${origin}',
  requiredServerParams: ['KEY', 'PIN'], requiredLibraries: ['crypto'], headers: {},
  tools: { getThing: { method: 'GET', path: '/thing', description: 'Get a thing', parameters: ${placed} } },
};
const webCrypto = crypto;
export const handlers = ({ libraries: { crypto } }) => ({ getThing: { ${hooks} } });`;

const format1 = ({ origin }: EchoApi, phase: string, body: string) => `export const schema = {
  namespace: 'vault', name: 'Vault', description: 'Things in a vault', docs: [], tags: [], flowMCP: '1.2.0', root: '${origin}',
  requiredServerParams: ['KEY', 'PIN'], headers: {},
  routes: { getThing: { requestMethod: 'GET', description: 'Get a thing', route: '/thing', tests: [],
    parameters: ${placed}, modifiers: [{ phase: '${phase}', handlerName: 'handle' }] } },
  handlers: { handle: async ({ struct, payload, userParams }) => { ${body}; return { struct, payload }; } },
};`;

/** Loads the text as a file and calls its tool. */
async function call(text: string, granted: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'secret-watch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const filePath = join(folder, 'vault.mjs');
  await writeFile(filePath, text);
  const schema = await SchemaKit.loadSchema({ filePath, source: 'tests', grants: { secrets: [...granted] } });
  expect(schema.status, schema.messages.join('\n')).toBe(true);
  return SchemaKit.fetch({ schema, routeName: 'getThing', userParams: { q: 'tea' }, serverParams: { KEY, PIN } });
}

async function expectRefused(api: EchoApi, text: string, names: readonly string[]): Promise<void> {
  const { status, data, findings } = await call(text);
  expect({ status, data, arrived: api.arrived }).toEqual({ status: false, data: null, arrived: [] });
  expect(findings).toEqual(
    names.map((name) => ({
      code: 'SECRET_NOT_GRANTED',
      severity: 'error',
      path: 'getThing',
      message: `A handler of getThing computes with the secret ${name} but sees only a token for it`,
      hint: expect.stringContaining(`grants: { secrets: ["${name}"] }`),
    })),
  );
}

const hmac = (key: string) => `crypto.createHmac('sha256', ${key}).update('x').digest('hex')`;

describe('a secret that a handler computes with, without a grant, although its token is in the request too', () => {
  test.each([
    ['an HMAC', hmac('userParams._allParams.key'), ['KEY']],
    ['an HMAC of bytes', hmac("Buffer.from(payload._allParams.key + ':x')"), ['KEY']],
    ['an HMAC of a decoded key', hmac("Buffer.from(userParams._allParams.key, 'base64')"), ['KEY']],
    ['a hash of a longer value', "crypto.createHash('md5').update(userParams._allParams.auth).digest('hex')", ['PIN']],
    [
      'a hash of both',
      "crypto.createHash('md5').update(struct.serverParams.KEY + struct.serverParams.PIN).digest('hex')",
      ['KEY', 'PIN'],
    ],
    ['a hash in one step', "crypto.hash('sha1', userParams._allParams.key)", ['KEY']],
    ['base64', 'btoa(`user:${userParams._allParams.key}`)', ['KEY']],
    ['hexadecimal', "Buffer.from(userParams._allParams.key).toString('hex')", ['KEY']],
  ])('as %s in preRequest', async (_name, value, names) => {
    const api = await startEchoApi();
    const hooks = `preRequest: async ({ struct, payload, userParams }) => { struct.headers.sign = ${value}; return { struct }; }`;
    await expectRefused(api, format3(api, hooks), names);
  });

  test('with Web Crypto', async () => {
    const api = await startEchoApi();
    const hooks = `preRequest: async ({ struct, userParams }) => {
      const bytes = new TextEncoder().encode(userParams._allParams.key);
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      const key = await webCrypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
      struct.headers.sign = Buffer.from(await webCrypto.subtle.sign('HMAC', key, bytes)).toString('hex');
      return { struct };
    }`;
    await expectRefused(api, format3(api, hooks), ['KEY']);
  });

  test('as a private key that cannot be read', async () => {
    const api = await startEchoApi();
    const hooks = `preRequest: async ({ struct, userParams }) => {
      struct.headers.sign = crypto.createSign('sha256').update('x').sign(userParams._allParams.key, 'hex');
      return { struct };
    }`;
    await expectRefused(api, format3(api, hooks), ['KEY']);
  });

  test.each(['userParams._allParams', 'payload._allParams', 'payload.userParams._allParams'])(
    'from %s in executeRequest, even if the handler swallows the error',
    async (place) => {
      const api = await startEchoApi();
      const hooks = `executeRequest: async ({ struct, payload, userParams }) => {
        const headers = { sign: ${hmac(`${place}.key`)} };
        try {
          struct.data = await (await fetch(payload.url, { headers })).json();
        } catch (error) {
          struct.data = 'no answer';
        }
        return { struct };
      }`;
      await expectRefused(api, format3(api, hooks), ['KEY']);
    },
  );

  test.each([
    [
      'payload.serverParams',
      'with a value that no host knows',
      "payload.serverParams.KEY.split('').reverse().join('')",
    ],
    ['serverParams', 'in base64', 'btoa(serverParams.KEY)'],
  ])('from %s in executeRequest, %s', async (_place, _name, value) => {
    const api = await startEchoApi();
    const hooks = `executeRequest: async ({ payload, serverParams }) => {
      const answer = await fetch(payload.url.split('?')[0], { headers: { sign: ${value} } });
      return { response: await answer.json() };
    }`;
    await expectRefused(api, format3(api, hooks), ['KEY']);
  });
});

describe('a handler of format 1', () => {
  test.each(['pre', 'execute'])('that signs in phase %s is refused', async (phase) => {
    const api = await startEchoApi();
    const body = `const { key } = userParams._allParams;
      const bytes = new TextEncoder().encode(key);
      const hash = await crypto.subtle.digest('SHA-256', bytes);
      payload.headers = { ...payload.headers, sign: Buffer.from(hash).toString('hex') };
      if ('${phase}' === 'execute') struct.data = await (await fetch(payload.url, { headers: payload.headers })).json()`;
    await expectRefused(api, format1(api, phase, body), ['KEY']);
  });

  test('that copies its token into the request sends the secret', async () => {
    const api = await startEchoApi();
    const body = `const { key, q } = userParams._allParams;
      payload.url = payload.url.split('?')[0] + '?q=' + q;
      payload.headers = { authorization: 'Bearer ' + key }`;
    const { status, messages } = await call(format1(api, 'pre', body));
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(api.arrived).toMatchObject([{ url: '/thing?q=tea', headers: { authorization: `Bearer ${KEY}` } }]);
  });

  test('may write to its parameters', async () => {
    const api = await startEchoApi();
    const body = `userParams._allParams.key = 'mine'; payload.url += '&mine=' + userParams._allParams.key`;
    const { status, messages } = await call(format1(api, 'pre', body));
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(api.arrived[0]?.url).toMatch(/&mine=mine$/);
  });
});

describe('not a computation', () => {
  test('a hash of something else', async () => {
    const api = await startEchoApi();
    const hooks = `preRequest: async ({ struct, userParams }) => {
      struct.headers.trace = crypto.createHash('md5').update(userParams._allParams.q).digest('hex');
      return { struct };
    }`;
    const { status, messages } = await call(format3(api, hooks));
    expect({ status, messages, requests: api.arrived.length }).toEqual({ status: true, messages: [], requests: 1 });
  });

  test('requests without the secret after it was sent unchanged, as after a login', async () => {
    const api = await startEchoApi(({ url }) => ({ session: url.length }));
    const hooks = `executeRequest: async ({ payload, serverParams }) => {
      const url = payload.url.split('?')[0];
      const login = await fetch(url, { method: 'POST', body: JSON.stringify({ key: serverParams.KEY }) });
      const { session } = await login.json();
      return { response: await (await fetch(url + '?session=' + session)).json() };
    }`;
    const { status, messages } = await call(format3(api, hooks));
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(api.arrived).toMatchObject([{ body: JSON.stringify({ key: KEY }) }, { url: '/thing?session=6' }]);
  });

  test('requests of a handler that reads no secret', async () => {
    const api = await startEchoApi();
    const hooks = `executeRequest: async ({ payload: { url, userParams } }) => {
      const { q } = userParams._allParams;
      return { response: await (await fetch(url.split('?')[0] + '?q=' + q)).json() };
    }`;
    expect(await call(format3(api, hooks))).toMatchObject({ status: true, data: { url: '/thing?q=tea' } });
  });

  test('listing the argument', async () => {
    const api = await startEchoApi();
    const hooks = `preRequest: async (context) => { JSON.stringify(context); return { struct: { ...context.struct } }; }`;
    expect(await call(format3(api, hooks))).toMatchObject({ status: true });
    expect(api.arrived).toHaveLength(1);
  });
});

test('with the grant, the signature is made with the value', async () => {
  const api = await startEchoApi();
  const hooks = `preRequest: async ({ struct, userParams }) => {
    struct.headers.sign = ${hmac('userParams._allParams.key')};
    return { struct };
  }`;
  const { status, messages } = await call(format3(api, hooks), ['KEY']);
  expect({ status, messages }).toEqual({ status: true, messages: [] });
  expect(api.arrived).toMatchObject([{ headers: { sign: createHmac('sha256', KEY).update('x').digest('hex') } }]);
});

test('a grant for one secret does not cover another that goes into the same hash', async () => {
  const api = await startEchoApi();
  const hooks = `preRequest: async ({ struct, serverParams: { KEY, PIN } }) => {
    struct.headers.key = KEY;
    struct.headers.sign = crypto.createHash('sha1').update(KEY + PIN).digest('hex');
    return { struct };
  }`;
  const { findings } = await call(format3(api, hooks), ['PIN']);
  expect(findings).toMatchObject([{ code: 'SECRET_NOT_GRANTED', message: expect.stringContaining('secret KEY') }]);
  expect(api.arrived).toEqual([]);
  expect(await call(format3(api, hooks), ['PIN', 'KEY'])).toMatchObject({ status: true });
});
