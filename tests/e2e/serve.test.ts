import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { runCommand } from './support/command.ts';
import { mainWith, moduleText } from './support/schema-module.ts';
import { connect, folderOf, names, serve } from './support/served.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const tea = { namespace: 'tea', tags: ['drinks'] };
const toast = { namespace: 'toast', tags: ['food'] };

describe('schemakit serve', () => {
  test('serves a folder until it is told to end', async () => {
    const upstream = await startUpstream(() => ({ body: { hot: true } }));
    const { child, url, document } = await serve([await folderOf({ 'tea.mjs': { ...tea, root: upstream.origin } })]);
    expect(document).toMatchObject({
      status: true,
      toolCount: 1,
      url: expect.stringMatching(/127\.0\.0\.1:\d+\/mcp$/),
    });
    const client = await connect(url);
    const { content } = await client.callTool({ name: 'tea__getThing', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: '{"hot":true}' }]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('that is told to end says so, finishes its calls, and waits for no connection on which nothing is said', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const { origin } = await startUpstream(async () => {
      asked.resolve();
      await answer.promise;
      return { body: { hot: true } };
    });
    const { child, url } = await serve([await folderOf({ 'tea.mjs': { ...tea, root: origin } })]);
    const silent = createConnection({ port: Number(new URL(url).port), host: '127.0.0.1' });
    onTestFinished(() => void silent.destroy());
    await once(silent, 'connect');
    const client = await connect(url);
    const call = client.callTool({ name: 'tea__getThing', arguments: {} });
    await asked.promise;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const ready = async () => (await fetch(new URL('/readyz', url))).status;
    await expect.poll(ready).toBe(503);
    answer.resolve();
    expect((await call).content).toEqual([{ type: 'text', text: '{"hot":true}' }]);
    expect(await exited).toEqual([0, null]);
  });

  test('speaks TLS with the certificate that it is given, and waits for no handshake when it ends', async () => {
    const [cert, key] = ['localhost-cert.pem', 'localhost-key.pem'].map((name) =>
      resolve('packages/http/fixtures', name),
    );
    const folder = await folderOf({ 'tea.mjs': tea });
    const { child, url } = await serve([folder, '--tls-cert', `${cert}`, '--tls-key', `${key}`]);
    expect(url).toMatch(/^https:/);
    const options = { ca: readFileSync(`${cert}`), servername: 'localhost' };
    const [answer] = (await once(get(new URL('/healthz', url), options), 'response')) as [IncomingMessage];
    expect(JSON.parse(await text(answer))).toEqual({ status: 'ok' });
    const plain = getPlain(`http://${new URL(url).host}/healthz`);
    await expect(once(plain, 'response')).rejects.toThrow();
    const silent = createConnection({ port: Number(new URL(url).port), host: '127.0.0.1' });
    onTestFinished(() => void silent.destroy());
    await once(silent, 'connect');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('serves the namespaces and tags that are named, and less where a URL asks for less', async () => {
    const folder = await folderOf({
      'tea.mjs': tea,
      'toast.mjs': toast,
      'cake.mjs': { namespace: 'cake', tags: ['food'] },
    });
    const { url } = await serve([folder, '--tag', 'food', '--namespace', 'toast', '--namespace', 'tea']);
    expect(await names(await connect(url))).toEqual(['toast__getThing']);
    const { url: all } = await serve([folder]);
    expect(await names(await connect(all))).toHaveLength(3);
    expect(await names(await connect(`${all}?tag=food&namespace=cake`))).toEqual(['cake__getThing']);
  });

  test('counts the tools that its URL lists', async () => {
    const folder = await folderOf({ 'tea.mjs': tea, 'toast.mjs': toast });
    const { document, url } = await serve([folder, '--tag', 'food']);
    expect(document.toolCount).toBe(1);
    expect(await names(await connect(url))).toHaveLength(1);
  });

  test('says what a URL asks for in vain', async () => {
    const { url } = await serve([await folderOf({ 'tea.mjs': tea, 'toast.mjs': toast })]);
    expect(await names(await connect(`${url}?tools=tea__getThing,%20toast__getThing`))).toHaveLength(2);
    for (const [query, text] of [
      ['tools=tea__getThing,coffee', 'There is no tool coffee'],
      ['namespace=coffee', 'There is no namespace coffee'],
      ['tag=coffee', 'There is no tag coffee'],
      ['tools=', 'tools is empty'],
    ]) {
      const answer = await fetch(`${url}?${query}`, { method: 'POST', body: '{}' });
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain(text);
    }
  });

  test('lets in who knows the token', async () => {
    const folder = await folderOf({ 'tea.mjs': tea });
    const { url } = await serve([folder], { SCHEMAKIT_TOKEN: 'teapot' });
    await expect(connect(url)).rejects.toThrow();
    expect(await names(await connect(url, 'teapot'))).toEqual(['tea__getThing']);
  });

  test('puts a search in place of the list', async () => {
    const { url } = await serve([await folderOf({ 'tea.mjs': tea, 'toast.mjs': toast }), '--discovery', 'search']);
    expect(await names(await connect(url))).toEqual(['search_tools', 'describe_tool', 'call_tool']);
  });

  test.each(['tea__getThing', 'tea_getThing', 'tea/tool/getThing', 'getThing', 'catalog/tea/tea.mjs::tool::getThing'])(
    'pins %s beside the search',
    async (name) => {
      const { url } = await serve([
        await folderOf({ 'catalog/tea/tea.mjs': tea }),
        '--discovery',
        'search',
        '--pin',
        name,
      ]);
      expect(await names(await connect(url))).toContain('tea__getThing');
    },
  );

  test('logs requests that it refuses, without what they know', async () => {
    const folder = await folderOf({ 'tea.mjs': tea });
    const { url, stderr } = await serve([folder, '--token', 'right-token', '--log-level', 'error']);
    await fetch(`${url}?key=wrong-token`, { method: 'POST', headers: { Authorization: 'Bearer wrong-token' } });
    await expect.poll(stderr).toContain('request refused');
    const line =
      stderr()
        .split('\n')
        .find((text) => text.includes('request refused')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      level: 40,
      status: 401,
      method: 'POST',
      path: '/mcp',
      address: '127.0.0.1',
    });
    expect(stderr()).not.toMatch(/(?:right|wrong)-token/);
  });

  test('logs calls as JSON where nobody watches', async () => {
    const { url, stderr } = await serve([await folderOf({ 'tea.mjs': tea })]);
    const client = await connect(url);
    await client.callTool({ name: 'tea__getThing', arguments: { wrong: 1 } });
    await expect.poll(stderr).toContain('"tool":"tea__getThing"');
    const line =
      stderr()
        .split('\n')
        .find((text) => text.includes('tool call failed')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ outcome: 'error', error: expect.stringContaining('wrong') });
  });

  test('takes up what changes in its folder, and keeps the last good version of what breaks', async () => {
    const folder = await folderOf({ 'tea.mjs': tea });
    const { url, stderr } = await serve([folder]);
    const client = await connect(url);
    expect(await names(client)).toEqual(['tea__getThing']);
    // Until the files are watched, nobody sees a change: each attempt is one.
    let attempt = 0;
    await expect
      .poll(
        () => {
          attempt += 1;
          writeFileSync(
            join(folder, 'toast.mjs'),
            moduleText(mainWith({ ...toast, description: `Attempt ${attempt}` })),
          );
          return names(client);
        },
        { interval: 300 },
      )
      .toEqual(['tea__getThing', 'toast__getThing']);
    writeFileSync(join(folder, 'tea.mjs'), 'export const main = {');
    await expect.poll(stderr).toContain('broken files keep their last good version');
    expect(stderr()).toContain('tea.mjs');
    expect(await names(client)).toEqual(['tea__getThing', 'toast__getThing']);
    rmSync(join(folder, 'tea.mjs'));
    await expect.poll(() => names(client)).toEqual(['toast__getThing']);
    for (const line of stderr().trimEnd().split('\n')) expect(JSON.parse(line).message).toEqual(expect.any(String));
  });

  test('keeps what a folder offered until there are schemas in it again, and watches the new one', async () => {
    const folder = await temporaryFolder({ 'served/tea.mjs': moduleText(mainWith(tea)) });
    const [served, next] = [join(folder, 'served'), join(folder, 'next')];
    const { url, stderr } = await serve([served]);
    const client = await connect(url);
    const stays = () => (stderr().match(/broken files keep their last good version/g) ?? []).length;
    await expect
      .poll(
        () => {
          rmSync(join(served, 'tea.mjs'), { force: true });
          writeFileSync(join(served, 'note.txt'), String(performance.now()));
          return stays();
        },
        { interval: 300 },
      )
      .toBeGreaterThan(0);
    expect(await names(client)).toEqual(['tea__getThing']);
    const before = stays();
    rmSync(served, { recursive: true });
    await expect.poll(stays).toBeGreaterThan(before);
    expect(await names(client)).toEqual(['tea__getThing']);
    mkdirSync(next);
    writeFileSync(join(next, 'toast.mjs'), moduleText(mainWith(toast)));
    renameSync(next, served);
    await expect.poll(() => names(client)).toEqual(['toast__getThing']);
    writeFileSync(join(served, 'tea.mjs'), moduleText(mainWith(tea)));
    await expect.poll(() => names(client)).toEqual(['tea__getThing', 'toast__getThing']);
  });

  test('takes up what changes in groups, and which is the default one', async () => {
    const project = await cliProject({
      'project/schemas/tea.mjs': moduleText(mainWith(tea)),
      'project/schemas/toast.mjs': moduleText(mainWith(toast)),
    });
    const groups = (defaultGroup: string, named: Record<string, string[]>, attempt = 0) => {
      const entries = Object.entries(named).map(([name, tools]) => [name, { description: `${attempt}`, tools }]);
      const config = { defaultGroup, groups: Object.fromEntries(entries) };
      writeFileSync(join(project.folder, '.schemakit/config.json'), JSON.stringify(config));
    };
    const [drinks, food] = [['schemas/tea.mjs'], ['schemas/toast.mjs']];
    mkdirSync(join(project.folder, '.schemakit'), { recursive: true });
    groups('drinks', { drinks });
    const { url, document } = await serve([], { SCHEMAKIT_HOME: project.home }, { cwd: project.folder });
    expect(document.toolCount).toBe(1);
    const client = await connect(url);
    expect(await names(client)).toEqual(['tea__getThing']);
    // Until the files are watched, nobody sees a change: each attempt is one.
    let attempt = 0;
    await expect
      .poll(
        () => {
          attempt += 1;
          groups('drinks', { drinks: [...drinks, ...food], breakfast: food }, attempt);
          return names(client);
        },
        { interval: 500 },
      )
      .toEqual(['tea__getThing', 'toast__getThing']);
    expect(await names(await connect(`${url}?group=breakfast`))).toEqual(['toast__getThing']);
    groups('breakfast', { drinks, breakfast: food });
    // A session keeps the default that it began with.
    await expect.poll(async () => names(await connect(url))).toEqual(['toast__getThing']);
  });

  test('starts from what it kept, and loads a schema when it is called', async () => {
    const upstream = await startUpstream(() => ({ body: { hot: true } }));
    const folder = await folderOf({ 'tea.mjs': { ...tea, root: upstream.origin }, 'toast.mjs': toast });
    const env = { SCHEMAKIT_HOME: await temporaryFolder({ 'config.json': '{}' }) };
    const first = await serve([folder, '--no-watch'], env);
    const before = await connect(first.url);
    expect(await names(before)).toEqual(['tea__getThing', 'toast__getThing']);
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
    expect(existsSync(join(env.SCHEMAKIT_HOME, 'cache', 'index'))).toBe(true);
    const { url } = await serve([folder], env);
    const client = await connect(url);
    expect(await names(client)).toEqual(['tea__getThing', 'toast__getThing']);
    const { content } = await client.callTool({ name: 'tea__getThing', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: '{"hot":true}' }]);
  });

  test.each<[string, readonly string[], string]>([
    ['an open address', ['--host', '0.0.0.0'], 'no authentication is configured'],
    ['a port that there is not', ['--port', '70000'], 'expected a whole number from 0 to 65535'],
    ['half a certificate', ['--tls-cert', 'cert.pem'], '--tls-cert and --tls-key need each other'],
    ['a certificate that is not there', ['--tls-cert', 'no.pem', '--tls-key', 'no.pem'], 'no.pem'],
    ['half of OAuth', ['--oauth-issuer', 'https://login.example.com'], 'need each other'],
    ['OAuth without addresses', ['--oauth-issuer', 'x', '--oauth-resource', 'y'], 'must be URLs'],
    ['files and a group', ['--group', 'work'], 'Paths and --group exclude each other.'],
    ['a namespace that there is not', ['--namespace', 'nothing'], 'Namespaces: tea.'],
    ['a namespace with a typo', ['--namespace', 'teaa'], 'Did you mean tea?'],
    ['a tag that there is not', ['--tag', 'nothing'], 'No tool has the tag nothing.'],
    ['a short answer', ['--max-answer', '5'], 'expected a whole number from 100'],
  ])('refuses %s', async (_, args, text) => {
    const folder = await folderOf({ 'tea.mjs': tea });
    const { status, json } = runCommand(['serve', folder, ...args], { cwd: folder });
    expect(status).not.toBe(0);
    expect(JSON.stringify(json)).toContain(text);
    expect(json.status).toBe(false);
  });
});
