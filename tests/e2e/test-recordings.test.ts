import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliProject, cliProject } from './support/cli-project.ts';
import { parameter } from './support/schema-module.ts';
import { testedShop } from './support/tested-shop.ts';
import { type ArrivedRequest, type Reply, startUpstream } from './support/upstream.ts';

const secret = 's3cr3t/key+1 ="x"';
const main = { requiredServerParams: ['SHOP_KEY'], headers: { Authorization: 'Bearer {{SHOP_KEY}}' } };
const q = parameter('q', 'query');
const key = parameter('key', 'query', ['string()'], '{{SERVER_PARAM:SHOP_KEY}}');

/** Every spelling in which a secret could come back. */
function spellings(text: string): string[] {
  return [
    text,
    encodeURIComponent(text),
    new URLSearchParams({ k: text }).toString().slice(2),
    JSON.stringify(text).slice(1, -1),
    Buffer.from(text).toString('base64'),
    Buffer.from(text).toString('base64url'),
    Buffer.from(text).toString('hex'),
  ];
}

/** An API that says everything it hears, in every spelling. */
function echo({ url, headers, path }: ArrivedRequest): Reply {
  if (path === '/image') return { headers: { 'content-type': 'image/png' }, body: Buffer.from([137, 80, 0, 255]) };
  const token = headers.authorization?.replace('Bearer ', '') ?? '';
  const basic = Buffer.from(`user:${token}:end`).toString('base64');
  return {
    headers: { 'set-cookie': `session=${encodeURIComponent(token)}`, 'x-total-count': '3', 'x-request-id': 'once' },
    body: { url, token, all: spellings(token || 'nothing'), basic, [token || 'none']: 1 },
  };
}

function filesOf(project: CliProject, folder = 'recordings'): Record<string, string> {
  const root = join(project.folder, folder);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(root.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
  );
}

const replay = ['test', 'single', 'shop.mjs', '--replay', 'recordings'];
const record = ['test', 'single', 'shop.mjs', '--record', 'recordings'];

describe('a recording', () => {
  test('shows the request and the answer, and reads well in a diff', async () => {
    const upstream = await startUpstream(() => ({
      headers: { 'x-total-count': '3', 'x-request-id': 'once', 'set-cookie': 'a=b' },
      body: { b: 1, a: [null, 'x'] },
    }));
    const tests = [{ _description: 'A leek', q: 'leek' }];
    const shop = testedShop(upstream.origin, { getThing: { parameters: [q, key], tests } }, { main });
    const project = await cliProject({ 'project/shop.mjs': shop }, { SHOP_KEY: secret });
    expect(await project.start(...record)).toMatchObject({ status: 0, json: { recordings: 'recordings' } });
    const files = filesOf(project);
    expect(files['shop/shop/getThing-1.json']?.replace(upstream.origin, 'http://api')).toBe(`{
  "version": 1,
  "tool": "shop_getThing",
  "test": {
    "_description": "A leek",
    "q": "leek"
  },
  "exchanges": [
    {
      "request": {
        "method": "GET",
        "url": "http://api/getThing?q=leek&key=[REDACTED]",
        "headers": {
          "authorization": "[REDACTED]"
        }
      },
      "answer": {
        "status": 200,
        "headers": {
          "content-type": "application/json",
          "x-total-count": "3"
        },
        "body": {
          "json": {
            "b": 1,
            "a": [
              null,
              "x"
            ]
          }
        }
      }
    }
  ]
}
`);
    await project.start(...record);
    expect(filesOf(project)).toEqual(files);
  });

  test.each([
    ['odd characters', secret],
    ['letters', 'abcdefghijkl'],
    ['digits', '4711471147114711'],
    ['other scripts', 'schlüssel-für-später'],
  ])('holds no secret in any spelling, and neither do reports: %s', async (_, value) => {
    const upstream = await startUpstream(echo);
    const tools = {
      getThing: { parameters: [key] },
      getText: { output: { mimeType: 'text/plain', schema: { type: 'string' } } },
    };
    const shop = testedShop(upstream.origin, tools, {
      main: { ...main, headers: { 'X-Own': '{{SHOP_KEY}}', ...(/^[ -~]+$/.test(value) && main.headers) } },
    });
    const isAscii = /^[ -~]+$/.test(value);
    const files = { 'project/shop.mjs': isAscii ? shop : shop.replace('"X-Own": "{{SHOP_KEY}}"', '') };
    const project = await cliProject(files, { SHOP_KEY: value });
    const ran = await project.start(...record, '--report', 'json', '--report', 'junit', '--report', 'html');
    expect(ran.status, ran.stderr).toBe(0);
    const reports = ['json', 'xml', 'html'].map((end) => project.read(`project/schemakit-test.${end}`));
    const all = [...Object.values(filesOf(project)), ...reports, JSON.stringify(ran.json), ran.stderr].join('\n');
    for (const spelling of spellings(value)) expect(all).not.toContain(spelling);
    expect(all).toContain('[REDACTED]');
  });

  test('has the requests that handlers make, in their order, and bytes', async () => {
    const upstream = await startUpstream(echo);
    const handlers = `() => ({ getThing: { executeRequest: async ({ struct, payload }) => {
      const get = (path) => fetch('${upstream.origin}' + path, { headers: { 'X-Key': payload.headers.Authorization } });
      const [one, two, image] = await Promise.all([get('/one'), get('/two'), get('/image')]);
      struct.data = { one: (await one.json()).url, two: (await two.json()).url, count: two.headers.get('x-total-count'), bytes: (await image.arrayBuffer()).byteLength };
      return { struct };
    } } })`;
    const project = await cliProject(
      { 'project/shop.mjs': testedShop(upstream.origin, { getThing: {}, other: {} }, { main, handlers }) },
      { SHOP_KEY: secret },
    );
    const recorded = await project.start(...record, '--concurrency', '2');
    expect(recorded.status, recorded.stderr).toBe(0);
    const { exchanges } = JSON.parse(filesOf(project)['shop/shop/getThing-1.json'] ?? '') as {
      exchanges: { request: { url: string }; answer: { body: unknown } }[];
    };
    expect(exchanges.map(({ request }) => new URL(request.url).pathname)).toEqual(['/one', '/two', '/image']);
    expect(exchanges[2]?.answer.body).toEqual({ base64: ['iVAA/w=='] });
    const asked = upstream.requests.length;
    const replayed = project.run(...replay);
    expect(previews(replayed.json)).toEqual(previews(recorded.json));
    expect(replayed).toMatchObject({ status: 0, json: { passed: 2 } });
    expect(upstream.requests).toHaveLength(asked);
  });

  test('is written only for tests that pass; an older one stays', async () => {
    let isBroken = false;
    const upstream = await startUpstream(() => (isBroken ? { status: 500 } : { body: { ok: 1 } }));
    const project = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, { getThing: {}, other: {} }) });
    await project.start(...record, '--route', 'getThing');
    const before = filesOf(project);
    isBroken = true;
    expect((await project.start(...record)).status).toBe(5);
    expect(filesOf(project)).toEqual(before);
  });

  test('of a tool with any name stays in its folder', async () => {
    const upstream = await startUpstream();
    const names = { '../../up': { path: '/a' }, '/:address/verbose': { path: '/b' } };
    const project = await cliProject({ 'project/shop.mjs': testedShop(upstream.origin, names) });
    await project.start(...record);
    expect(Object.keys(filesOf(project))).toEqual(['shop/shop/address-verbose-1.json', 'shop/shop/up-1.json']);
  });
});

function previews({ results }: Record<string, unknown>): unknown[] {
  return (results as { dataPreview: unknown }[]).map(({ dataPreview }) => dataPreview);
}

describe('a replay', () => {
  /** A project with a recording, and the schema as a function of what is changed in it. */
  async function recorded(answer: (request: ArrivedRequest, count: number) => Reply = echo) {
    const upstream = await startUpstream(answer);
    const shop = (tool: Record<string, unknown> = {}) =>
      testedShop(
        upstream.origin,
        { getThing: { parameters: [q, key], tests: [{ _description: 'A leek', q: 'leek' }], ...tool } },
        { main },
      );
    const project = await cliProject({ 'project/shop.mjs': shop() }, { SHOP_KEY: secret });
    expect((await project.start(...record)).status).toBe(0);
    const files = filesOf(project);
    const again = async (text: string, more: Record<string, string> = {}) => {
      const all = Object.entries(files).map(([path, content]) => [`project/recordings/${path}`, content]);
      return cliProject({ 'project/shop.mjs': text, ...Object.fromEntries(all), ...more });
    };
    return { upstream, shop, again, text: files['shop/shop/getThing-1.json'] ?? '' };
  }

  test('needs no key and no network', async () => {
    const { upstream, shop, again } = await recorded();
    const { run } = await again(shop());
    const { status, json, stderr } = run(...replay);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(json).toMatchObject({
      status: true,
      passed: 1,
      results: [{ dataPreview: expect.stringContaining('[REDACTED]') }],
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([
    [
      'another value',
      { tests: [{ _description: 'A leek', q: 'sage' }] },
      ['is not in the recording: query q: requested "sage", recorded "leek"'],
    ],
    [
      'another path and method',
      { path: '/other', method: 'DELETE' },
      ['method: requested "DELETE", recorded "GET"', '/other", recorded'],
    ],
    ['a parameter less', { parameters: [q] }, ['query key: requested nothing, recorded ["[REDACTED]"]']],
  ])('refuses what was not recorded, and says what differs: %s', async (_, change, parts) => {
    const { upstream, shop, again } = await recorded();
    const { run } = await again(shop(change));
    const { status, json } = run(...replay);
    expect({ status, error: json.error }).toEqual({
      status: 4,
      error: expect.stringMatching(/^1 of 1 test failed\. First: shop_getThing 1: /),
    });
    const [row] = json.results as { code: string; messages: string[]; fix: string }[];
    expect(row?.code).toBe('REC001');
    expect(row?.messages).toHaveLength(1);
    for (const part of parts) expect(row?.messages[0]).toContain(part);
    expect(row?.fix).toContain('--record');
    expect(upstream.requests).toHaveLength(1);
  });

  test('fails where a handler hides that its request was refused, and where one is not made any more', async () => {
    const upstream = await startUpstream(() => ({ body: { ok: 1 } }));
    const shop = (body: string) =>
      testedShop(
        upstream.origin,
        { getThing: {} },
        {
          handlers: `() => ({ getThing: { executeRequest: async ({ struct }) => { const root = '${upstream.origin}'; ${body} struct.data = { done: true }; return { struct }; } } })`,
        },
      );
    const project = await cliProject({
      'project/shop.mjs': shop("await fetch(root + '/a'); await fetch(root + '/b');"),
    });
    expect((await project.start(...record)).status).toBe(0);
    const files = Object.fromEntries(
      Object.entries(filesOf(project)).map(([path, text]) => [`project/recordings/${path}`, text]),
    );
    const messages = async (body: string) => {
      const { run } = await cliProject({ 'project/shop.mjs': shop(body), ...files });
      const { status, json } = run(...replay);
      expect(status).toBe(4);
      return (json.results as { messages: string[] }[])[0]?.messages.map((text) => text.replace(upstream.origin, ''));
    };
    expect(await messages("await fetch(root + '/a');")).toEqual(['GET /b is in the recording but was not requested']);
    expect(
      await messages("await fetch(root + '/a'); await fetch(root + '/b'); await fetch(root + '/b').catch(() => {});"),
    ).toEqual(['GET /b is not in the recording: all recorded requests were already made']);
  });

  test('takes anything where an author has marked a part of the recording', async () => {
    const { shop, again, text } = await recorded();
    const marked = text.replace('q=leek', 'q={{ANY}}');
    const { run } = await again(shop({ tests: [{ _description: 'A leek', q: 'sage' }] }), {
      'project/recordings/shop/shop/getThing-1.json': marked,
    });
    expect(run(...replay).status).toBe(0);
  });

  test('skips tests that were not recorded, but not with --strict', async () => {
    const { shop, again } = await recorded();
    const two = [
      { _description: 'A leek', q: 'leek' },
      { _description: 'New', q: 'new' },
    ];
    const { run } = await again(shop({ tests: two }));
    const { status, json } = run(...replay);
    expect({ status, json }).toMatchObject({ status: 0, json: { passed: 1, skipped: 1 } });
    expect(json.results).toMatchObject([
      {},
      {
        skipped: true,
        skipReason: expect.stringMatching(/^no recording recordings.shop.shop.getThing-2\.json$/),
      },
    ]);
    expect(run(...replay, '--strict')).toMatchObject({ status: 4, json: { error: '1 test of 2 has no recording.' } });
  });

  test('gives failures as they were recorded', async () => {
    const upstream = await startUpstream();
    const handlers = `() => ({ getThing: { executeRequest: async ({ struct }) => {
      const late = await fetch('${upstream.origin}/gone').then(() => 'there', (error) => String(error.message));
      struct.data = { late };
      return { struct };
    } } })`;
    const failure = {
      request: { method: 'GET', url: `${upstream.origin}/gone`, headers: {} },
      answer: { failure: 'ETIMEDOUT' },
    };
    const { run } = await cliProject({
      'project/shop.mjs': testedShop(upstream.origin, { getThing: {} }, { handlers }),
      'project/recordings/shop/shop/getThing-1.json': JSON.stringify({ version: 1, exchanges: [failure] }),
    });
    expect(previews(run(...replay).json)).toEqual([expect.stringContaining('Upstream request timed out')]);
    expect(upstream.requests).toEqual([]);
  });

  test.each([
    ['no JSON', '{ "version": 1, }', ':1:17: the recording is not valid JSON'],
    ['another version', '{ "version": 2, "exchanges": [] }', ': this is not a valid recording'],
    ['no exchanges', '{ "version": 1 }', ': this is not a valid recording'],
    [
      'an answer without a status',
      '{ "version": 1, "exchanges": [\n{ "request": { "method": "GET", "url": "http://a/", "headers": {} }, "answer": {} }] }',
      ':2:1: this is not a valid recording',
    ],
    ['nothing', '', ':1:1: the recording is not valid JSON'],
  ])('a recording with %s fails its test, with the place', async (_, text, expected) => {
    const { shop, again } = await recorded();
    const { run } = await again(shop(), { 'project/recordings/shop/shop/getThing-1.json': text });
    const { status, json, stderr } = run(...replay);
    expect({ status, stderr }).toEqual({ status: 4, stderr: '' });
    const [row] = json.results as { code: string; messages: string[] }[];
    expect(row).toMatchObject({ code: 'REC002', messages: [expect.stringContaining(expected)] });
  });
});

describe('a folder of recordings', () => {
  test('takes no secret that is too short to be found', async () => {
    const upstream = await startUpstream(echo);
    const project = await cliProject(
      { 'project/shop.mjs': testedShop(upstream.origin, { getThing: {} }, { main }) },
      { SHOP_KEY: 'abc' },
    );
    const { status, json } = await project.start(...record);
    expect(status).toBe(2);
    expect(json.error).toBe('SHOP_KEY is too short to be masked reliably: it has fewer than 6 characters.');
    expect({ requests: upstream.requests.length, folder: project.has('project/recordings') }).toEqual({
      requests: 0,
      folder: false,
    });
  });

  test('takes no two tests that would be one file', async () => {
    const upstream = await startUpstream();
    const project = await cliProject({
      'project/shop.mjs': testedShop(upstream.origin, { getThing: {}, GetThing: {} }),
    });
    const { status, json } = await project.start(...record);
    expect({ status, error: json.error }).toEqual({
      status: 2,
      error: 'These tests have the same recording file: shop_getThing 1 of shop.mjs and shop_GetThing 1 of shop.mjs.',
    });
    expect(upstream.requests).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('where no folder can be made ends the command', async () => {
    const { origin } = await startUpstream();
    const { start } = await cliProject({ 'project/shop.mjs': testedShop(origin, { getThing: {} }) });
    expect(await start('test', 'single', 'shop.mjs', '--record', '/proc/nope')).toMatchObject({
      status: 1,
      json: { error: expect.stringContaining('cannot create a folder in /proc') },
    });
    const report = await start('test', 'single', 'shop.mjs', '--report', 'json=/proc/nope/x');
    expect(report.status).not.toBe(0);
  });

  test('that cannot be written fails the test', async () => {
    const upstream = await startUpstream();
    const project = await cliProject({
      'project/shop.mjs': testedShop(upstream.origin, { getThing: {} }),
      'project/recordings/shop': 'in the way',
    });
    const { status, json } = await project.start(...record);
    expect(status).not.toBe(0);
    expect(json.results).toMatchObject([{ status: false, code: 'REC003' }]);
  });
});
