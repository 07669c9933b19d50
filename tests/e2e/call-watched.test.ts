import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliProject, cliProject } from './support/cli-project.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { startUpstream } from './support/upstream.ts';

const secret = 'key-of-the-shop';
const tool = { ...faultlessTool, parameters: [parameter('q', 'query')] };
const handlers = `export const handlers = () => ({
  getThing: {
    postRequest: async ({ response }) => {
      throw new Error('no such field');
    },
  },
});`;

async function shop(body: string | Buffer, { more = '' }: { more?: string } = {}): Promise<CliProject> {
  const headers = { 'content-type': 'image/png', 'x-echo': secret };
  const { origin } = await startUpstream(() => ({ headers, body }));
  const main = mainWith({
    root: origin,
    requiredServerParams: ['SHOP_KEY'],
    headers: { Authorization: 'Bearer {{SHOP_KEY}}', Accept: '*/*' },
    tools: { getThing: tool },
  });
  return cliProject({ 'project/shop.mjs': `${moduleText(main)}\n${more}` }, { SHOP_KEY: secret });
}

const word = 'shop.mjs::tool::getThing';

describe('call --verbose', () => {
  test('prints the heads of request and answer with the time on stderr, and no secret', async () => {
    const { start } = await shop('bytes');
    const { status, stderr, json } = await start('call', word, 'q=a', '--verbose');
    expect([status, json.status]).toEqual([0, true]);
    expect(stderr).toMatch(/^> GET http:\/\/127\.0\.0\.1:\d+\/\S*q=a$/m);
    expect(stderr).toMatch(/^> accept: \*\/\*$/m);
    expect(stderr).toMatch(/^< 200 OK \(\d+ ms, 5 bytes\)$/m);
    expect(stderr).toMatch(/^< content-type: image\/png$/m);
    expect(stderr).not.toContain(secret);
  });
});

test('call --verbose prints the body of a request with secrets masked, and says that it is shortened', async () => {
  const { origin, requests } = await startUpstream();
  const parameters = [parameter('note', 'body'), parameter('key', 'body')];
  const main = mainWith({
    root: origin,
    requiredServerParams: ['SHOP_KEY'],
    headers: { Authorization: '{{SHOP_KEY}}' },
  });
  const text = moduleText({ ...main, tools: { getThing: { ...faultlessTool, method: 'POST', parameters } } });
  const { start } = await cliProject({ 'project/shop.mjs': text }, { SHOP_KEY: secret });
  const short = await start('call', word, 'note=tea', `key=${secret}`, '--verbose');
  expect(short.stderr).toMatch(/^> \{"note":"tea","key":"\[REDACTED\]"\}$/m);
  const { stderr } = await start('call', word, `note=${'x'.repeat(5000)}`, 'key=a', '--verbose');
  expect(stderr).toMatch(/^> \{"note":"x{1991}$/m);
  expect(stderr).toMatch(/^> \(shortened: 2,000 of 5,0\d\d characters; --dry-run shows the whole body\)$/m);
  expect(requests).toHaveLength(2);
});

describe('call --output', () => {
  test('masks a secret beyond ASCII', async () => {
    const key = 'schlüssel-für-läden';
    const { origin } = await startUpstream(() => ({ body: JSON.stringify({ text: `the key is ${key}!` }) }));
    const main = mainWith({
      root: origin,
      requiredServerParams: ['SHOP_KEY'],
      tools: { getThing: { ...tool, parameters: [parameter('key', 'query', ['string()'], '{{SHOP_KEY}}')] } },
    });
    const { start, read } = await cliProject({ 'project/shop.mjs': moduleText(main) }, { SHOP_KEY: key });
    expect((await start('call', word, '--output', 'thing.txt')).json).toMatchObject({ status: true });
    expect(read('project/thing.txt')).toBe('{"text":"the key is [REDACTED]!"}');
  });

  test('writes the bytes of the answer, and nothing beside them', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10]);
    const { start, folder, read } = await shop(bytes);
    const { json } = await start('call', word, 'q=a', '--output', 'thing.png');
    expect(json).toEqual({ status: true, toolName: 'shop_getThing', output: 'thing.png', bytes: 7 });
    expect(Buffer.from(read('project/thing.png'), 'utf8').length).toBeGreaterThan(0);
    expect(readdirSync(folder).sort()).toEqual(['.keep', 'shop.mjs', 'thing.png']);
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(join(folder, 'thing.png'))).toEqual(bytes);
  });

  test('writes nothing if the call fails', async () => {
    const { start, has } = await shop('x', { more: handlers });
    expect((await start('call', word, 'q=a', '--output', 'thing.png')).status).toBe(1);
    expect(has('project/thing.png')).toBe(false);
  });
});

test('call --timeout ends the request', async () => {
  const { origin } = await startUpstream(() => new Promise(() => {}));
  const main = mainWith({ root: origin, tools: { getThing: tool } });
  const { start } = await cliProject({ 'project/shop.mjs': moduleText(main) });
  const { status, json } = await start('call', word, 'q=a', '--timeout', '200');
  expect(status).toBe(5);
  expect(json.error).toContain('ETIMEDOUT');
  expect(json.fix).toBe('Try again later, ask for less, or raise --timeout.');
});

test('a handler that throws is named with its file and line', async () => {
  const { start } = await shop('x', { more: handlers });
  const { status, json } = await start('call', word, 'q=a');
  expect(status).toBe(1);
  expect(json).toMatchObject({ file: 'shop.mjs', line: expect.any(Number) });
  expect(json.error).toMatch(/^postRequest error: no such field \(shop\.mjs:\d+\)$/);
});

describe('a reference to a file', () => {
  test.each([
    ['tides.js::tool::getThing', 3, /tides\.js/],
    ['shop.mjs::skill::restock', 2, /is a skill, a text for models: it cannot be called/],
    ['shop.mjs', 2, /is not a tool reference/],
  ])('%s ends with %i and says what to do', async (text, status, error) => {
    const { run } = await shop('x');
    const result = run('call', text);
    expect(result).toMatchObject({ status, json: { status: false, fix: expect.any(String) } });
    expect(result.json.error).toMatch(error);
  });
});
