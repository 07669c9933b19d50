import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Auth } from '../schema/format/format-types.generated.ts';
import { startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { SchemaKit } from '../schemakit.ts';
import { fetchTool } from './fetch-tool.ts';
import { startParsingApi } from './fixtures/parsing-api.ts';
import { client, type Issuer, startIssuer, startProtectedApi } from './fixtures/token-issuer.ts';
import { previewCall } from './preview-call.ts';

const serverParams = { ...client, TOKEN: 't0ken-of-the-depot' };

const depot = {
  namespace: 'depot',
  name: 'Depot',
  description: 'Things in a depot',
  version: '3.0.0',
  requiredServerParams: Object.keys(serverParams),
  headers: {},
};
const list = { method: 'GET', path: '/', description: 'Things', parameters: [] };
const tools = { list, about: { ...list, auth: false } };

function oauth2({ tokenUrl }: Issuer, parts: Partial<Extract<Auth, { type: 'oauth2' }>> = {}): Auth {
  const ids = { clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' };
  return { type: 'oauth2', flow: 'clientCredentials', tokenUrl, ...ids, ...parts };
}

describe('fixed credentials', () => {
  async function sent(auth: Auth, routeName = 'list') {
    const api = await startEchoApi(() => ({}));
    const main = { ...depot, root: api.origin, auth, tools };
    expect(await fetchTool({ main, routeName, serverParams })).toMatchObject({ messages: [], status: true });
    return api.arrived[0];
  }
  const bearer: Auth = { type: 'bearer', token: '{{TOKEN}}' };
  const key = { type: 'apiKey', name: 'k', value: '{{TOKEN}}' } as const;

  test('are sent where they belong, and not for a tool without auth', async () => {
    expect((await sent(bearer))?.headers.authorization).toBe('Bearer t0ken-of-the-depot');
    expect((await sent(bearer, 'about'))?.headers.authorization).toBeUndefined();
    const basic = await sent({ type: 'basic', username: 'api', password: '{{TOKEN}}' });
    expect(basic?.headers.authorization).toBe(`Basic ${btoa('api:t0ken-of-the-depot')}`);
    expect((await sent({ ...key, in: 'header' }))?.headers.k).toBe('t0ken-of-the-depot');
    expect((await sent({ ...key, in: 'query' }))?.url).toBe('/?k=t0ken-of-the-depot');
    expect((await sent({ ...key, in: 'cookie' }))?.headers.cookie).toBe('k=t0ken-of-the-depot');
  });

  test('are not shown in a preview, which says what a computed one is', async () => {
    const main = { ...depot, root: 'https://depot.example', tools };
    const shown = await previewCall({ main: { ...main, auth: bearer }, routeName: 'list', serverParams });
    expect(shown.curl).toContain(`'Authorization: Bearer '"$TOKEN"`);
    const basic: Auth = { type: 'basic', username: 'api', password: '{{TOKEN}}' };
    const computed = await previewCall({ main: { ...main, auth: basic }, routeName: 'list', serverParams });
    expect(computed.request?.headers).toEqual({ Authorization: 'Basic {{BASIC_CREDENTIALS}}' });
    expect(computed.messages).toEqual([
      'BASIC_CREDENTIALS in this request is the base64 text of <user name>:<password>.',
    ]);
    expect(JSON.stringify([shown, computed])).not.toMatch(/t0ken|dDBrZW4/);
  });
});

describe('client credentials', () => {
  test('one token serves many calls, with either way to authenticate', async () => {
    for (const [method, authMethod] of [
      ['client_secret_basic', 'basic'],
      ['client_secret_post', 'body'],
    ] as const) {
      const issuer = await startIssuer({ method });
      const root = await startProtectedApi((token) => token === issuer.issued);
      const main = { ...depot, root, auth: oauth2(issuer, { authMethod, scopes: ['stock'] }), tools };
      const call = () => fetchTool({ main, routeName: 'list', serverParams });
      const results = await Promise.all([call(), call(), call()]);
      results.push(await call());
      // The API tells the header, whose token no caller sees.
      for (const { data } of results) expect(data).toEqual({ url: '/', authorization: 'Bearer [REDACTED]' });
      expect(issuer.asked).toBe(1);
    }
  });

  test('a rejected token is renewed once, one that nears its end before it is used', async () => {
    const issuer = await startIssuer();
    let revoked = '';
    const root = await startProtectedApi((token) => token === issuer.issued && token !== revoked);
    const main = { ...depot, root, auth: oauth2(issuer), tools };
    const call = () => fetchTool({ main, routeName: 'list', serverParams });
    expect((await call()).status).toBe(true);
    revoked = issuer.issued;
    expect((await call()).status).toBe(true);
    expect(issuer.asked).toBe(2);
    const brief = await startIssuer({ lifetime: 1 });
    const open = await startProtectedApi((token) => token === brief.issued);
    const short = { ...main, root: open, auth: oauth2(brief) };
    await expect
      .poll(async () => {
        expect((await fetchTool({ main: short, routeName: 'list', serverParams })).status).toBe(true);
        return brief.asked;
      })
      .toBe(2);
  });

  test('a token that ends between two pages is renewed, and the pages are read again', async () => {
    const issuer = await startIssuer();
    let revoked = '';
    const api = await startParsingApi(({ query, headers }) => {
      if (headers.authorization !== `Bearer ${issuer.issued}` || issuer.issued === revoked)
        return { status: 401, body: {} };
      const { page = '1' } = query as { page?: string };
      if (page === '2' && revoked === '') revoked = issuer.issued;
      return { body: page === '3' ? [] : [page] };
    });
    const page = { position: { key: 'page', value: '{{USER_PARAM}}', location: 'query' } };
    const parameters = [{ ...page, z: { primitive: 'number()', options: ['optional()'] } }];
    const paged = { ...list, parameters, pagination: { style: 'page', parameter: 'page', items: '' } };
    const main = { ...depot, root: api.origin, auth: oauth2(issuer), tools: { list: paged } };
    expect(await fetchTool({ main, routeName: 'list', serverParams, userParams: { page: 3 } })).toMatchObject({
      data: [],
    });
    const result = await fetchTool({ main, routeName: 'list', serverParams });
    expect(result).toMatchObject({ status: true, data: ['1', '2'], messages: [] });
    expect(issuer.asked).toBe(2);
  });

  test('an API that takes no token is asked once with a new one', async () => {
    const issuer = await startIssuer();
    const root = await startProtectedApi(() => false);
    const main = { ...depot, root, auth: oauth2(issuer), tools };
    const { findings } = await fetchTool({ main, routeName: 'list', serverParams });
    expect([findings[0]?.code, issuer.asked]).toEqual(['HTTP_401', 1]);
  });

  test('a refusal of the token endpoint names it and what it said, without the secret', async () => {
    const issuer = await startIssuer();
    const main = { ...depot, root: 'https://depot.example', auth: oauth2(issuer), tools };
    const wrong = { ...serverParams, CLIENT_SECRET: 'an0ther-secret' };
    const { findings } = await fetchTool({ main, routeName: 'list', serverParams: wrong });
    expect(findings).toMatchObject([
      {
        code: 'TOKEN_REFUSED',
        message: expect.stringContaining(`${issuer.tokenUrl} gave no access token (HTTP 401: invalid_client`),
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain('an0ther');
    const page = await startEchoApi(() => ({ access_token: 'x\ny', token_type: 'Bearer' }));
    const other = { ...main, auth: oauth2({ ...issuer, tokenUrl: page.origin }) };
    // The echo answers 200 with a token that no header can carry.
    expect(await fetchTool({ main: other, routeName: 'list', serverParams })).toMatchObject({
      findings: [{ code: 'TOKEN_INVALID' }],
    });
    const down = { ...main, auth: oauth2({ ...issuer, tokenUrl: 'http://127.0.0.1:1/token' }) };
    expect(await fetchTool({ main: down, routeName: 'list', serverParams })).toMatchObject({
      findings: [{ code: 'ECONNREFUSED' }],
    });
  });

  test('a preview asks for no token', async () => {
    const issuer = await startIssuer();
    const main = { ...depot, root: 'https://depot.example', auth: oauth2(issuer), tools };
    const { request, curl, messages } = await previewCall({ main, routeName: 'list', serverParams });
    expect(request?.headers).toEqual({ Authorization: 'Bearer {{ACCESS_TOKEN}}' });
    expect(curl).toContain(`'Authorization: Bearer '"$ACCESS_TOKEN"`);
    expect(messages).toEqual([`ACCESS_TOKEN in this request is the token that ${issuer.tokenUrl} gives.`]);
    expect(issuer.asked).toBe(0);
  });
});

describe('a schema from elsewhere', () => {
  async function foreign(handlers = '') {
    const issuer = await startIssuer();
    const api = await startEchoApi();
    const folder = await mkdtemp(join(tmpdir(), 'auth-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const filePath = join(folder, 'depot.mjs');
    const main = { ...depot, requiredServerParams: Object.keys(client), root: api.origin, auth: oauth2(issuer), tools };
    await writeFile(
      filePath,
      `export const main = ${JSON.stringify({ ...main, requiredLibraries: [] })};\n${handlers}`,
    );
    const origins = { api: api.origin, issuer: new URL(issuer.tokenUrl).origin };
    async function call(send: Record<string, string[]>, network: string[] = Object.values(origins)) {
      const schema = await SchemaKit.loadSchema({ filePath, approveRoot: false, grants: { send, network } });
      return SchemaKit.fetch({ schema, routeName: 'list', serverParams: client });
    }
    return { call, origins, issuer, api };
  }

  test('sends its client secret only to a token endpoint that was granted for it, and the token only to such a root', async () => {
    const { call, origins, issuer, api } = await foreign();
    const { findings } = await call({ CLIENT_ID: [origins.api], CLIENT_SECRET: [origins.api] });
    expect(findings).toMatchObject([
      {
        code: 'SEND_NOT_GRANTED',
        message: `This schema would send the secrets CLIENT_ID, CLIENT_SECRET to ${origins.issuer}, which you have not allowed. Nothing was sent.`,
      },
    ]);
    const lent = await call({ CLIENT_ID: Object.values(origins), CLIENT_SECRET: [origins.issuer] });
    expect(lent.messages).toEqual([
      `This schema would send the secret CLIENT_SECRET to ${origins.api}, which you have not allowed. Nothing was sent.`,
    ]);
    const send = { CLIENT_ID: Object.values(origins), CLIENT_SECRET: Object.values(origins) };
    expect((await call(send, [origins.api])).findings[0]?.code).toBe('ADDRESS_BLOCKED');
    expect([issuer.asked, api.arrived.length]).toEqual([0, 0]);
    expect((await call(send)).status).toBe(true);
    expect([issuer.asked, api.arrived.length]).toEqual([1, 1]);
  });

  test('has handlers that see neither the client secret nor the token', async () => {
    const { call, origins, api } = await foreign(`export const handlers = () => ({ list: {
      executeRequest: async ({ payload }) => {
        const { url, headers, serverParams } = payload;
        await fetch(url, { method: 'POST', body: JSON.stringify({ headers, serverParams }) });
        return { struct: { status: true, data: await (await fetch(url, { headers })).json() } };
      } } });`);
    const send = { CLIENT_ID: Object.values(origins), CLIENT_SECRET: Object.values(origins) };
    const { data, findings } = await call(send);
    expect(findings).toEqual([]);
    const [told, asked] = api.arrived;
    // A token of the sandbox stands for the access token, and is replaced on its way to the root.
    expect(asked?.headers.authorization).toMatch(/^Bearer [\w-]{20,}$/);
    expect(Object.keys(JSON.parse(told?.body ?? '').serverParams)).toEqual(['ACCESS_TOKEN']);
    expect(JSON.stringify([data, api.arrived])).not.toContain(client.CLIENT_SECRET);
    expect((data as { headers: unknown }).headers).toMatchObject({ authorization: 'Bearer [REDACTED]' });
  });
});
