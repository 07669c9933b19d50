import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from './support/command.ts';
import { mainWith, moduleText } from './support/schema-module.ts';
import { connect, folderOf, serve } from './support/served.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const tea = { namespace: 'tea' };
const issuer = ['--oauth-issuer', 'https://login.example.com'];
const resource = ['--oauth-resource', 'https://tools.example.com/mcp'];
const certificate = resolve('packages/http/fixtures/localhost-cert.pem');
const key = resolve('packages/http/fixtures/localhost-key.pem');

async function folderWithKeys(): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return temporaryFolder({
    'tea.mjs': moduleText(mainWith(tea)),
    'other-key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'text.pem': 'hello',
  });
}

describe('schemakit serve refuses', () => {
  test.each<[string, readonly string[], string]>([
    ['an empty token', ['--token', ''], 'It is empty'],
    ['a token that no header carries', ['--token', 'pässword'], 'characters that are not allowed in a header'],
    ['a token of two words', ['--token', 'one two'], 'characters that are not allowed in a header'],
    ['a token beside OAuth', ['--token', 'x', ...issuer, ...resource], '--token and OAuth exclude each other'],
    ['a scope that nobody checks', ['--oauth-scope', 'tools:read'], '--oauth-scope needs --oauth-issuer'],
    ['an issuer over http', ['--oauth-issuer', 'http://login.example.com', ...resource], 'https://login.example.com'],
    [
      'a resource with a fragment',
      [...issuer, '--oauth-resource', 'https://a.example/mcp#x'],
      'must not have a fragment',
    ],
    ['a host with its port', ['--allowed-host', 'http://foo:3000'], '--allowed-host foo'],
    ['an origin with its scheme', ['--allowed-origin', 'https://foo.example'], '--allowed-origin foo.example'],
    ['any origin', ['--allowed-origin', '*'], '--allowed-origin: * is not a host name'],
    ['an empty address', ['--host', ''], 'It is empty'],
    ['an open address, in words of the command', ['--host', '0.0.0.0'], 'To allow unauthenticated access: --open.'],
    ['a certificate that is none', ['--tls-cert', 'text.pem', '--tls-key', key], 'is not a PEM certificate'],
    ['a key that is none', ['--tls-cert', certificate, '--tls-key', 'text.pem'], 'is not a PEM private key'],
    ['the key of another', ['--tls-cert', certificate, '--tls-key', 'other-key.pem'], 'does not match'],
    ['a pin without a search', ['--pin', 'tea__getThing'], 'Add --discovery search.'],
    ['a pin of no tool', ['--discovery', 'search', '--pin', 'tea_getThin'], 'Did you mean tea_getThing?'],
    ['a part of no tool', ['--select', 'coffee=a'], 'unknown tool coffee'],
    ['a part without an expression', ['--select', 'tea__getThing'], 'has no expression'],
    ['a part that is no expression', ['--select', 'tea__getThing=['], '--select tea__getThing: '],
  ])('%s', async (_, args, text) => {
    const folder = await folderWithKeys();
    const { status, json, stderr } = runCommand(['serve', '.', '--port', '0', ...args], { cwd: folder });
    expect(status).not.toBe(0);
    expect(`${JSON.stringify(json)}${stderr}`).toContain(text);
    expect(json.status).not.toBe(true);
  });

  test('an empty token of the environment', async () => {
    const folder = await folderOf({ 'tea.mjs': tea });
    const { json } = runCommand(['serve', folder], { cwd: folder, env: { SCHEMAKIT_TOKEN: '' } });
    expect(json.error).toBe('SCHEMAKIT_TOKEN is empty.');
  });
});

/** The status of an answer to a request that is addressed to a host. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const sent = request(new URL('/metrics', url), { headers: { host } });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

describe('schemakit serve', () => {
  test('takes requests under any name where everyone may call', async () => {
    const { url } = await serve([await folderOf({ 'tea.mjs': tea }), '--open']);
    expect(await statusFor(url, 'tools.example.com')).toBe(200);
  });

  test('takes requests under the names that are given, and prints one of them', async () => {
    const { url } = await serve([await folderOf({ 'tea.mjs': tea }), '--open', '--allowed-host', 'LOCALHOST']);
    expect(url).toMatch(/^http:\/\/localhost:\d+\/mcp$/);
    expect(await statusFor(url, 'localhost')).toBe(200);
    expect(await statusFor(url, 'tools.example.com')).toBe(403);
  });

  test('answers with the part of an answer that is wanted', async () => {
    const upstream = await startUpstream(() => ({ body: { hot: true, cold: 'a = b' } }));
    const folder = await folderOf({ 'tea.mjs': { ...tea, root: upstream.origin } });
    const { url } = await serve([folder, '--select', "tea__getThing=[cold, cold == 'a = b']"]);
    const client = await connect(url);
    const { content } = await client.callTool({ name: 'tea__getThing', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: '["a = b",true]' }]);
  });

  test('takes no larger requests than it is told', async () => {
    const { url } = await serve([await folderOf({ 'tea.mjs': tea }), '--max-body', '1024']);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await fetch(url, { method: 'POST', headers, body: `"${'x'.repeat(2000)}"` });
    expect(answer.status).toBe(413);
  });

  test('keeps no more sessions than it is told', async () => {
    const { url } = await serve([await folderOf({ 'tea.mjs': tea }), '--max-sessions', '1', '--session-idle', '60000']);
    const first = await connect(url);
    await expect(connect(url)).rejects.toThrow('Too many sessions');
    expect((await first.listTools()).tools).toHaveLength(1);
  });
});
