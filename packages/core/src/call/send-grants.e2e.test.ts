import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkLock } from '../lock/check-lock.ts';
import type { Grants } from '../lock/grants.ts';
import { readLock } from '../lock/lock-file.ts';
import { secretRoutes } from '../lock/secret-routes.ts';
import { trustSchemas } from '../lock/trust.ts';
import { startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { SchemaKit } from '../schemakit.ts';
import { previewCall } from './preview-call.ts';

const KEY = 'k3y-of-the-cellar';

interface Place {
  headers?: string;
  parameters?: string;
  handlers?: string;
  /** What follows the origin of the API in `root`. */
  path?: string;
}

/** A schema from elsewhere, whose root is an API on loopback that it may reach. */
async function foreign({ headers = '{}', parameters = '[]', handlers, path = '' }: Place) {
  const api = await startEchoApi();
  const folder = await mkdtemp(join(tmpdir(), 'send-grants-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const filePath = join(folder, 'vault.mjs');
  await writeFile(
    filePath,
    `export const main = {
      namespace: 'vault', name: 'Vault', description: 'Things in a vault', version: '3.0.0', root: '${api.origin}${path}',
      requiredServerParams: ['KEY'], requiredLibraries: [], headers: ${headers},
      tools: { send: { method: 'POST', path: '/', description: 'Send', parameters: ${parameters} } },
    };
    ${handlers === undefined ? '' : `export const handlers = () => ({ send: { ${handlers} } });`}`,
  );
  async function call({ send, approveRoot = false }: { send?: Grants['send']; approveRoot?: boolean } = {}) {
    const grants = { network: [api.origin], ...(send && { send }) };
    const schema = await SchemaKit.loadSchema({ filePath, approveRoot, grants });
    expect(schema.status).toBe(true);
    return SchemaKit.fetch({ schema, routeName: 'send', serverParams: { KEY } });
  }
  return { api, call, filePath };
}

const places: [string, Place][] = [
  ['a header', { headers: "{ 'X-Key': '{{SERVER_PARAM:KEY}}' }" }],
  ['the address', { path: '/{{SERVER_PARAM:KEY}}' }],
  [
    'the query',
    {
      parameters:
        "[{ position: { key: 'k', value: '{{SERVER_PARAM:KEY}}', location: 'query' }, z: { primitive: 'string()', options: [] } }]",
    },
  ],
  [
    'the body',
    {
      parameters:
        "[{ position: { key: 'k', value: '{{SERVER_PARAM:KEY}}', location: 'body' }, z: { primitive: 'string()', options: [] } }]",
    },
  ],
  [
    'a request that a handler changes',
    {
      handlers: `preRequest: async ({ struct, serverParams }) => { struct.headers.k = serverParams.KEY; return { struct }; }`,
    },
  ],
];

describe('a schema from elsewhere sends no secret without a grant', () => {
  test.each(places)('in %s', async (_, place) => {
    const { api, call, filePath } = await foreign(place);
    const { status, findings } = await call();
    expect(status).toBe(false);
    expect(findings).toMatchObject([
      {
        code: 'SEND_NOT_GRANTED',
        path: 'send',
        message: `This schema would send the secret KEY to ${api.origin}, which you have not allowed. Nothing was sent.`,
        hint: `If you trust the schema with it: schemakit trust ${filePath} --send KEY; in a program, loadSchema({ filePath, grants: { send: {"KEY":["${api.origin}"]} } }).`,
      },
    ]);
    expect(api.arrived).toEqual([]);
    expect((await call({ send: { KEY: ['https://other.example.com'] } })).status).toBe(false);
    expect((await call({ send: { OTHER: [api.origin] } })).status).toBe(false);
    expect(api.arrived).toEqual([]);
    expect(await call({ send: { KEY: [api.origin] } })).toMatchObject({ status: true, messages: [] });
    expect(api.arrived).toHaveLength(1);
  });

  test('a schema of your own needs none', async () => {
    const { api, call } = await foreign({ headers: "{ 'X-Key': '{{SERVER_PARAM:KEY}}' }" });
    expect((await call({ approveRoot: true })).status).toBe(true);
    expect(api.arrived).toHaveLength(1);
  });

  test('a preview sends nothing, and says what is missing', async () => {
    const { filePath, api } = await foreign({ headers: "{ 'X-Key': '{{SERVER_PARAM:KEY}}' }" });
    const schema = await SchemaKit.loadSchema({ filePath, approveRoot: false, grants: { network: [api.origin] } });
    const preview = await previewCall({ schema, routeName: 'send', serverParams: { KEY } });
    expect(preview.request).toMatchObject({ url: `${api.origin}/` });
    expect(preview.findings).toMatchObject([{ code: 'SEND_NOT_GRANTED', severity: 'warning' }]);
  });
});

test('trusting a schema again whose root moved drops the grant for its old origin', async () => {
  const { api, filePath } = await foreign({});
  const lockFile = `${filePath}.lock.json`;
  async function trust(grants: Grants = {}) {
    const { lock } = readLock({ lockFile, missing: 'empty' });
    const check = lock && checkLock({ lock, schema: await SchemaKit.loadSchema({ filePath }) });
    if (check) await trustSchemas({ lockFile, schemas: [{ check, grants }] });
    return readLock({ lockFile }).lock?.schemas.get('vault.mjs')?.grants.send;
  }
  const send = { KEY: [api.origin], OTHER: ['https://*.example.com'] };
  expect(await trust({ send })).toEqual(send);
  await writeFile(filePath, (await readFile(filePath, 'utf8')).replace("path: '/'", "path: '/more'"));
  expect(await trust()).toEqual(send);
  await writeFile(filePath, (await readFile(filePath, 'utf8')).replace(api.origin, 'https://new.example.com'));
  expect(await trust()).toEqual({ OTHER: ['https://*.example.com'] });
});

test('a grant for one host of a root that is filled in later allows that host alone', async () => {
  const api = await startEchoApi();
  const { port } = new URL(api.origin);
  const folder = await mkdtemp(join(tmpdir(), 'send-grants-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const filePath = join(folder, 'vault.mjs');
  const name = `{ position: { key: 'k', value: '{{SERVER_PARAM:KEY}}', location: 'query' }, z: { primitive: 'string()', options: [] } }`;
  await writeFile(
    filePath,
    `export const main = {
      namespace: 'vault', name: 'Vault', description: 'Things', version: '3.0.0', root: 'http://{{SERVER_PARAM:HOST}}:${port}',
      requiredServerParams: ['KEY', 'HOST'], requiredLibraries: [], headers: {},
      tools: { send: { method: 'GET', path: '/', description: 'Send', parameters: [${name}] } },
    };`,
  );
  const own = `http://localhost:${port}`;
  const grants = { network: [own, `http://other:${port}`], send: { KEY: [own], HOST: [own] } };
  const schema = await SchemaKit.loadSchema({ filePath, approveRoot: false, grants });
  const call = (HOST: string) => SchemaKit.fetch({ schema, routeName: 'send', serverParams: { KEY, HOST } });
  expect(await call('other')).toMatchObject({ findings: [{ code: 'SEND_NOT_GRANTED' }] });
  expect(api.arrived).toEqual([]);
  expect((await call('localhost')).messages).toEqual([]);
  expect(api.arrived).toHaveLength(1);
});

describe('where secrets go', () => {
  const routes = (root: string, send: Grants['send']) => secretRoutes({ root, secrets: ['KEY'], send });

  test.each([
    ['https://api.example.com/v1', ['https://api.example.com'], true],
    ['https://api.example.com', ['https://*.example.com'], true],
    ['https://api.example.com', ['https://example.com'], false],
    ['https://api.example.com', ['http://api.example.com'], false],
    ['https://api.example.com', ['https://api.example.com:8443'], false],
    ['https://{{SERVER_PARAM:REGION}}.example.com', ['https://*.example.com'], true],
    ['https://{{SERVER_PARAM:REGION}}.example.com', ['https://eu.example.com'], false],
    ['https://--network--.example.com', ['https://*.example.com'], true],
    ['https://x-{{SERVER_PARAM:REGION}}.example.com', ['https://*.example.com'], true],
    ['https://--network---mainnet.example.com:8443', ['https://*.example.com:8443'], true],
    ['https://a--b--c.example.com', ['https://a--b--c.example.com'], true],
    ['https://api.example.com@evil.example', ['https://api.example.com'], false],
    ['https://api.example.com', [], false],
  ])('%s with a grant for %j', (root, origins, granted) => {
    expect(routes(root, { KEY: origins })).toMatchObject([{ name: 'KEY', granted }]);
  });

  test('what is granted is an origin that can be written', () => {
    const origins = ['https://x-{{SERVER_PARAM:KEY}}.com', 'https://a--b--c.com', 'https://--network--x.a.com'];
    const shown = origins.map((root) => routes(root, {})[0]?.origin ?? '');
    expect(shown).toEqual(['https://*.com', 'https://a--b--c.com', 'https://*.a.com']);
    for (const [index, root] of origins.entries()) {
      expect(routes(root, { KEY: [shown[index] ?? ''] })).toMatchObject([{ granted: true }]);
    }
  });

  test('nowhere, if the root is no http(s) URL', () => {
    expect(routes('local://rows', {})).toEqual([]);
    expect(routes('', {})).toEqual([]);
  });

  test('members of objects are no grants', () => {
    expect(secretRoutes({ root: 'https://a.example', secrets: ['constructor', '__proto__'] })).toMatchObject([
      { granted: false },
      { granted: false },
    ]);
  });
});
