import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serveRegistry } from '../../packages/cli/src/sources/fixtures/registry-server.ts';
import { cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { connect, serve } from './support/served.ts';
import { startUpstream } from './support/upstream.ts';

const env = { SHOP_KEY: 'a-key-of-the-user' };
const headers = { 'X-Key': '{{SERVER_PARAM:SHOP_KEY}}' };

/** Schemas of a stranger that ask for a secret of the user. Their API is on loopback, which they may reach. */
async function importedShops({ names = ['shop'], reaches = true } = {}) {
  const upstream = await startUpstream(() => ({ body: { ok: true } }));
  const server = await serveRegistry();
  const schema = (namespace: string, root = upstream.origin) =>
    shopSchema(['getThing'], { namespace, root, headers, requiredServerParams: ['SHOP_KEY'] });
  const publish = (root?: string) =>
    server.publish(Object.fromEntries(names.map((name) => [`${name}.mjs`, schema(name, root)])), { name: 'shops' });
  publish();
  const project = await cliProject({ 'project/.schemakit/config.json': '{"mode":"dev"}' }, env);
  const url = `${server.origin}/registry.json`;
  const imported = await project.start('import', url);
  const folder = join(project.home, 'schemas/shops');
  if (reaches) project.run('trust', '--source', 'shops', '--network', upstream.origin, '--yes');
  for (const name of names) expect(project.run('add', `${name}_getThing`).status).toBe(0);
  const keys = () => upstream.requests.map((request) => request.headers['x-key']);
  return {
    ...project,
    url,
    imported,
    upstream,
    publish,
    folder,
    keys,
    options: { cwd: project.folder, env: { ...env, SCHEMAKIT_HOME: project.home } },
  };
}

/** The words of the command in an advice. */
function commandIn(text: unknown): string[] {
  return (/schemakit (trust [^;]*)/.exec(String(text))?.[1] ?? '').split(' ');
}

describe('a secret of the user that an imported schema asks for', () => {
  test('is sent to nobody until the user says so, with the command that does', async () => {
    const { start, run, imported, upstream, folder, keys } = await importedShops();
    expect(imported.stderr).toContain(`schemas of shops may not send SHOP_KEY to ${upstream.origin}`);
    const refused = await start('call', 'shop_getThing');
    expect(refused).toMatchObject({ status: 6, json: { error: expect.stringContaining('the secret SHOP_KEY') } });
    expect((await start('call', `${folder}/shop.mjs::tool::getThing`)).status).toBe(6);
    expect((await start('test', 'single', folder)).json.status).toBe(false);
    expect(keys()).toEqual([]);
    const needed = [{ source: 'shops', secret: 'SHOP_KEY', origin: upstream.origin, fix: expect.any(String) }];
    expect(run('list').json.needsGrants).toEqual(needed);
    expect(run('doctor').json.error).toContain('grants');
    expect(run(...commandIn(refused.json.fix), '--yes')).toMatchObject({ status: 0 });
    expect(await start('call', 'shop_getThing')).toMatchObject({ status: 0, json: { content: { ok: true } } });
    expect(keys()).toEqual([env.SHOP_KEY]);
    expect(run('list').json).not.toHaveProperty('needsGrants');
  });

  test('is named together with a private address, again by a second import, and granted with one command', async () => {
    const { start, run, imported, upstream, url, keys } = await importedShops({ reaches: false });
    const fix = expect.stringContaining(`--send SHOP_KEY --network ${upstream.origin}`);
    const needed = [
      { source: 'shops', secret: 'SHOP_KEY', origin: upstream.origin, fix },
      { source: 'shops', network: upstream.origin, fix },
    ];
    expect(imported.json.needsGrants).toEqual(needed);
    const again = await start('import', url);
    expect(again.json).toMatchObject({ trusted: [], needsGrants: needed });
    const [first] = again.json.needsGrants as { fix: string }[];
    expect(run(...commandIn(first?.fix), '--yes').status).toBe(0);
    expect((await start('call', 'shop_getThing')).status).toBe(0);
    expect(keys()).toEqual([env.SHOP_KEY]);
    expect((await start('import', url)).json).not.toHaveProperty('needsGrants');
  });

  test('is granted to a whole source, and taken back', async () => {
    const { start, run, keys } = await importedShops({ names: ['shop', 'store'] });
    const [needed] = run('list').json.needsGrants as { fix: string }[];
    expect(needed?.fix).toBe('schemakit trust --source shops --send SHOP_KEY');
    expect(run('trust', '--source', 'shops', '--send', 'SHOP_KEY,NOBODY', '--yes').status).toBe(2);
    expect(run(...commandIn(needed?.fix), '--yes').status).toBe(0);
    for (const name of ['shop', 'store']) expect((await start('call', `${name}_getThing`)).status).toBe(0);
    expect(keys()).toEqual([env.SHOP_KEY, env.SHOP_KEY]);
    const revoked = run('trust', '--source', 'shops', '--send', 'SHOP_KEY', '--revoke');
    expect(revoked.json.revoked).toEqual(['shops/shop.mjs', 'shops/store.mjs']);
    expect((await start('call', 'shop_getThing')).status).toBe(6);
    expect(keys()).toHaveLength(2);
    expect(run('trust', '--source', 'nowhere', '--yes')).toMatchObject({ status: 3 });
    expect(run('trust', '--yes')).toMatchObject({ status: 2 });
  });

  test('is not sent on after an update that moves the schema to another origin', async () => {
    const { start, run, publish, folder, keys } = await importedShops();
    run('trust', '--source', 'shops', '--send', 'SHOP_KEY', '--yes');
    const other = await startUpstream();
    publish(other.origin);
    const { json } = await start('update');
    const [source] = json.sources as { warnings: { code: string; message: string }[] }[];
    const lost = source?.warnings.find(({ code }) => code === 'SRC018');
    expect(lost?.message).toContain(`would now send SHOP_KEY to ${other.origin}`);
    const checks = run('status').json.checks as { name: string; detail: string; fix: string }[];
    const check = checks.find(({ name }) => name === 'grants');
    expect(check?.detail).toContain(`changed since they were trusted, and may not send SHOP_KEY to ${other.origin}`);
    expect(check?.fix).toContain('Review the changes.');
    expect(run('trust', folder, '--network', other.origin, '--yes').status).toBe(0);
    expect((await start('call', 'shop_getThing')).status).toBe(6);
    expect([...keys(), ...other.requests]).toEqual([]);
  });

  test('is refused by a server, which starts without the grant', async () => {
    const { options, upstream } = await importedShops();
    const { url, stderr } = await serve([], options.env, options);
    const client = await connect(url);
    const result = await client.callTool({ name: 'shop__getThing', arguments: {} });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('--send SHOP_KEY');
    expect(stderr()).toContain('LCK010: schemas of shops may not send SHOP_KEY');
    expect(upstream.requests).toEqual([]);
  });

  test.runIf(hasTerminal)('is granted at a terminal, where a person is asked once', async () => {
    const { options, upstream, keys } = await importedShops();
    const no = await runAtTerminal(['call', 'shop_getThing', '--dry-run'], '', options);
    expect(no.screen).not.toContain('[y/N]');
    const yes = await runAtTerminal(['call', 'shop_getThing'], 'y\n', options);
    expect(yes.screen).toMatch(new RegExp(`SHOP_KEY +${upstream.origin}`));
    expect(yes.status).toBe(0);
    const again = await runAtTerminal(['call', 'shop_getThing'], '', options);
    expect(again.screen).not.toContain('[y/N]');
    expect(keys()).toHaveLength(2);
  });
});

test.runIf(hasTerminal)('a private address is asked for at a terminal together with the secret', async () => {
  const { options, upstream } = await importedShops({ reaches: false });
  const { screen, status } = await runAtTerminal(['call', 'shop_getThing'], 'y\n', options);
  expect(screen).toContain(`this machine or a private network: ${upstream.origin}`);
  expect(status).toBe(0);
});

describe("an imported schema is not the user's own", () => {
  test('through a link', async () => {
    const { start, run, folder, options, keys } = await importedShops();
    const project = options.cwd;
    symlinkSync(folder, join(project, 'linked'));
    mkdirSync(join(project, 'schemas'));
    symlinkSync(folder, join(project, 'schemas/sub'));
    symlinkSync(join(folder, 'shop.mjs'), join(project, 'schemas/a.mjs'));
    for (const file of ['linked/shop.mjs', 'schemas/sub/shop.mjs', 'schemas/a.mjs']) {
      const called = await start('call', `${file}::tool::getThing`);
      expect(called, file).toMatchObject({ status: 6, json: { error: expect.stringContaining('SHOP_KEY') } });
    }
    const groups = { own: { tools: ['schemas/sub/shop.mjs', 'schemas/a.mjs'] } };
    writeFileSync(join(project, '.schemakit/config.json'), JSON.stringify({ mode: 'dev', groups }));
    expect((await start('call', 'shop_getThing', '--group', 'own')).status).not.toBe(0);
    expect((await start('test', 'single', 'linked')).json.status).toBe(false);
    expect(run('describe', 'schemas/a.mjs::tool::getThing').json.send).not.toBe('root');
    const { url } = await serve(['linked'], options.env, options);
    const result = await (await connect(url)).callTool({ name: 'shop__getThing', arguments: {} });
    expect(result.isError).toBe(true);
    expect(keys()).toEqual([]);
  });

  test('in a folder above its source', async () => {
    const { start, home, options, keys } = await importedShops();
    expect((await start('test', 'single', home)).json.status).toBe(false);
    for (const [path, cwd] of [
      [home, options.cwd],
      ['.', home],
    ] as const) {
      const { url } = await serve([path], options.env, { ...options, cwd });
      const result = await (await connect(url)).callTool({ name: 'shop__getThing', arguments: {} });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain('--send SHOP_KEY');
    }
    expect(keys()).toEqual([]);
  });
});

test.runIf(hasTerminal)('nothing is asked about the origin that a schema has left', async () => {
  const { start, publish, options } = await importedShops();
  const other = await startUpstream();
  publish(other.origin);
  await start('update');
  const { screen } = await runAtTerminal(['call', 'shop_getThing'], 'n\n', options);
  expect(screen).toContain('is not the schema that was trusted');
  expect(screen).not.toContain('Allow it?');
});

test('schemas of the user need no grant', async () => {
  const upstream = await startUpstream(() => ({ body: { ok: true } }));
  const schema = shopSchema(['getThing'], { root: upstream.origin, headers, requiredServerParams: ['SHOP_KEY'] });
  const { start, run } = await cliProject({ 'project/schemas/shop.mjs': schema }, env);
  run('add', 'shop_getThing');
  for (const tool of ['shop_getThing', 'schemas/shop.mjs::tool::getThing']) {
    expect((await start('call', tool)).status).toBe(0);
  }
  expect(upstream.requests.map((request) => request.headers['x-key'])).toEqual([env.SHOP_KEY, env.SHOP_KEY]);
});
