import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { previewCall, SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { loadLoopbackSchema } from './support/loopback-schema.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { startUpstream } from './support/upstream.ts';

const secret = { requiredServerParams: ['SHOP_KEY'], headers: { 'x-key': 'Key {{SHOP_KEY}}' } };
const serverParams = { SHOP_KEY: 'value-of-the-key' };
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Everything that a preview says, as one text. */
const textOf = (preview: object) => JSON.stringify(preview);

describe('a preview', () => {
  test('shows the request without its secrets, and sends nothing', async () => {
    const { origin, requests } = await startUpstream();
    const parameters = [
      parameter('id', 'insert'),
      parameter('q', 'query'),
      parameter('token', 'query', ['string()'], '{{SERVER_PARAM:SHOP_KEY}}'),
      parameter('note', 'body'),
      parameter('key', 'body', ['string()'], '{{SERVER_PARAM:SHOP_KEY}}'),
    ];
    const tool = { method: 'POST', path: '/thing/{{id}}', parameters };
    const schema = await loadLoopbackSchema({ root: origin, tool, main: secret });
    const userParams = { id: 'a/b', q: 'ä {{SHOP_KEY}}', note: 'it says value-of-the-key' };
    const preview = await previewCall({ schema, routeName: 'getThing', userParams, serverParams });
    expect(preview).toMatchObject({
      status: true,
      findings: [],
      request: {
        method: 'POST',
        url: `${origin}/thing/a/b?q=%C3%A4+%7B%7BSHOP_KEY%7D%7D&token={{SHOP_KEY}}`,
        headers: { 'x-key': 'Key {{SHOP_KEY}}', 'Content-Type': 'application/json' },
        body: { note: 'it says [REDACTED]', key: '{{SHOP_KEY}}' },
      },
    });
    expect(textOf(preview)).not.toContain('value-of-the-key');
    expect(requests).toEqual([]);
  });

  test('warns of secrets that are not set', async () => {
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', main: secret });
    expect(await previewCall({ schema, routeName: 'getThing' })).toMatchObject({
      status: true,
      findings: [{ code: 'SECRET_MISSING', severity: 'warning' }],
      request: { headers: { 'x-key': 'Key {{SHOP_KEY}}' } },
    });
  });

  test.each([
    ['an input that is missing', { routeName: 'getThing' }, 'INP001'],
    ['an unknown tool', { routeName: 'getThin' }, 'TOOL_UNKNOWN'],
    ['no schema', { routeName: 'getThing', schema: undefined }, 'VAL002'],
    ['a value that would leave its place', { routeName: 'getThing', userParams: { id: '..' } }, 'INP010'],
    ['options of another kind', { routeName: 'getThing', serverParams: 'x' }, 'ARG001'],
  ])('of %s is none', async (_name, options, code) => {
    const tool = { path: '/thing/{{id}}', parameters: [parameter('id', 'insert')] };
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', tool });
    const preview = await previewCall({ schema, ...options } as Parameters<typeof previewCall>[0]);
    expect(preview).toMatchObject({ status: false, request: null, curl: null, findings: [{ code }] });
  });

  test('has what preRequest changed', async () => {
    const handlers = `() => ({ getThing: { preRequest: async ({ struct, serverParams }) => {
      struct.url += '?by=' + serverParams.SHOP_KEY;
      return { struct };
    } } })`;
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', main: secret, handlers });
    const preview = await previewCall({ schema, routeName: 'getThing', serverParams });
    expect(preview).toMatchObject({
      findings: [],
      request: { url: 'https://shop.example/thing?by={{SHOP_KEY}}' },
      curl: expect.stringContaining(`'https://shop.example/thing?by='"$SHOP_KEY"`),
    });
  });

  test('says so where preRequest would send requests of its own, and sends none', async () => {
    const { origin, requests } = await startUpstream();
    const handlers = `() => ({ getThing: { preRequest: async ({ struct }) => {
      await fetch('${origin}/token').catch(() => {});
      return { struct: { ...struct, url: struct.url + '/changed' } };
    } } })`;
    const schema = await loadLoopbackSchema({ root: origin, handlers });
    expect(await previewCall({ schema, routeName: 'getThing' })).toMatchObject({
      status: true,
      findings: [{ code: 'PREVIEW_UNKNOWN', severity: 'warning', message: expect.stringContaining('of its own') }],
      request: { url: `${origin}/thing` },
    });
    expect(requests).toEqual([]);
  });

  test('does not run handlers without their secrets, nor those of the program', async () => {
    const handlers = '() => ({ getThing: { preRequest: async () => { throw new Error("it ran") } } })';
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', main: secret, handlers });
    const unset = await previewCall({ schema, routeName: 'getThing' });
    expect(unset.findings.map(({ code }) => code)).toEqual(['SECRET_MISSING', 'PREVIEW_UNKNOWN']);
    let runs = 0;
    const preRequest = () => {
      runs += 1;
    };
    const handlerMap = { getThing: { preRequest } };
    const own = await previewCall({ schema, routeName: 'getThing', handlerMap, serverParams });
    expect(own).toMatchObject({ status: true, findings: [{ code: 'PREVIEW_UNKNOWN' }] });
    expect(runs).toBe(0);
  });

  test('fails as the call would, where a handler fails or computes with a secret', async () => {
    const load = (body: string) =>
      loadLoopbackSchema({
        root: 'https://shop.example',
        main: secret,
        handlers: `() => ({ getThing: { preRequest: async ({ struct, serverParams }) => { ${body} } } })`,
      });
    const thrown = await load('throw new Error("closed")');
    expect(await previewCall({ schema: thrown, routeName: 'getThing', serverParams })).toMatchObject({
      status: false,
      messages: ['preRequest error: closed'],
    });
    const signing = await load('struct.headers.sign = btoa(serverParams.SHOP_KEY); return { struct };');
    expect(await previewCall({ schema: signing, routeName: 'getThing', serverParams })).toMatchObject({
      status: false,
      request: null,
      findings: [{ code: 'SECRET_NOT_GRANTED' }],
    });
  });

  test('masks what a handler may read', async () => {
    const handlers = `() => ({ getThing: { preRequest: async ({ struct, serverParams }) => {
      struct.headers.copy = serverParams.SHOP_KEY;
      return { struct };
    } } })`;
    const options = { grants: { secrets: ['SHOP_KEY'] } };
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', main: secret, handlers, options });
    const preview = await previewCall({ schema, routeName: 'getThing', serverParams });
    expect(preview.request?.headers.copy).toBe('[REDACTED]');
    expect(textOf(preview)).not.toContain('value-of-the-key');
  });

  test('has no request where a handler makes it', async () => {
    const handlers = '() => ({ getThing: { executeRequest: async () => ({ response: 1 }) } })';
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', handlers });
    expect(await previewCall({ schema, routeName: 'getThing' })).toMatchObject({
      status: true,
      request: null,
      curl: null,
      findings: [{ code: 'PREVIEW_UNKNOWN', message: expect.stringContaining('makes the request itself') }],
    });
  });

  test('says which secrets a shell would put in otherwise', async () => {
    const parameters = [parameter('token', 'query', ['string()'], '{{SERVER_PARAM:SHOP_KEY}}')];
    const schema = await loadLoopbackSchema({ root: 'https://shop.example', tool: { parameters }, main: secret });
    const preview = await previewCall({ schema, routeName: 'getThing', serverParams: { SHOP_KEY: 'a b&c' } });
    expect(preview.findings).toMatchObject([{ code: 'PREVIEW_ENCODING', path: 'SHOP_KEY' }]);
  });
});

describe.skipIf(!hasCurl || process.platform === 'win32')('the curl command', () => {
  const values = [
    'plain',
    "it's",
    'a "b" $HOME `id` \\ !x',
    '*?[a]{b,c}',
    'ä €\n\ttwo lines',
    '@/etc/passwd',
    '-x',
    '',
  ];
  const bodies = [
    { method: 'GET', parameters: [parameter('q', 'query')] },
    { method: 'POST', parameters: [parameter('q', 'body')] },
    { method: 'PUT', parameters: [parameter('q', 'body'), parameter('q2', 'query', ['string()'], 'fixed{x}[y]')] },
    { method: 'DELETE', parameters: [parameter('q', 'query')] },
    { method: 'HEAD', parameters: [parameter('q', 'query')] },
    {
      method: 'POST',
      parameters: [parameter('q', 'body')],
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
  ];

  test.each(bodies)(
    'sends the request that the call sends: $method $headers',
    async ({ method, parameters, headers = {} }) => {
      const { origin, requests } = await startUpstream(() => ({ body: {} }));
      const main = { ...secret, headers: { ...secret.headers, 'x-empty': '', 'x-quoted': `it's "$HOME"`, ...headers } };
      const schema = await loadLoopbackSchema({ root: origin, tool: { method, parameters }, main });
      for (const q of values) {
        const call = { schema, routeName: 'getThing', userParams: { q }, serverParams };
        const { curl } = await previewCall(call);
        await promisify(execFile)('sh', ['-c', curl ?? 'false'], { env: { ...process.env, ...serverParams } });
        await SchemaKit.fetch(call);
        const [byCurl, byCall] = requests.splice(0).map((request) => ({
          method: request.method,
          url: request.url,
          body: request.body,
          headers: Object.entries(request.headers)
            .filter(([name]) => /^x-|^content-type$/.test(name))
            .sort(),
        }));
        expect(byCall?.headers).toContainEqual(['x-key', 'Key value-of-the-key']);
        expect(byCurl, q).toEqual(byCall);
      }
    },
  );
});

describe('the command', () => {
  const tool = { ...faultlessTool, method: 'POST', parameters: [parameter('q', 'body')] };
  const file = (root: string, handlers?: string) =>
    moduleText(mainWith({ ...secret, root, tools: { getThing: tool } }), handlers);

  test('shows the request with --dry-run, and the command with --curl', async () => {
    const { origin, requests } = await startUpstream();
    const { start } = await cliProject({ 'project/shop.mjs': file(origin) }, serverParams);
    const call = (...words: string[]) => start('call', 'shop.mjs::tool::getThing', 'q=tea', ...words);
    const dry = await call('--dry-run');
    expect(dry).toMatchObject({ status: 0, stderr: '' });
    expect(dry.json).toEqual({
      status: true,
      toolName: 'shop_getThing',
      dryRun: true,
      request: {
        method: 'POST',
        url: `${origin}/thing`,
        headers: { 'x-key': 'Key {{SHOP_KEY}}', 'Content-Type': 'application/json' },
        body: { q: 'tea' },
      },
    });
    const { json } = await call('--curl');
    expect(json).toMatchObject({ status: true, curl: expect.stringContaining(`'x-key: Key '"$SHOP_KEY"`) });
    expect(textOf(json)).not.toContain('value-of-the-key');
    expect(requests).toEqual([]);
  });

  test('warns of what is not known, and has no curl command for what a handler sends', async () => {
    const handlers = '() => ({ getThing: { executeRequest: async () => ({ response: 1 }) } })';
    const { run } = await cliProject({ 'project/shop.mjs': file('https://shop.example', handlers) });
    const warning = expect.stringContaining('makes the request itself');
    const dry = run('call', 'shop.mjs::tool::getThing', 'q=a', '--dry-run');
    expect(dry).toMatchObject({ status: 0, json: { request: null, warnings: [expect.any(String), warning] } });
    expect(dry.stderr).toContain('makes the request itself');
    const curl = run('call', 'shop.mjs::tool::getThing', 'q=a', '--curl');
    expect(curl).toMatchObject({ status: 1, json: { status: false, error: warning } });
  });

  test('ends as the call would where the input is wrong', async () => {
    const { run } = await cliProject({ 'project/shop.mjs': file('https://shop.example') }, serverParams);
    expect(run('call', 'shop.mjs::tool::getThing', '--dry-run')).toMatchObject({
      status: 4,
      json: { status: false, error: 'Missing required parameter(s): q', fix: 'Provide: q (text)' },
    });
  });
});
