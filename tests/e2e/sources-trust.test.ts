import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serveRegistry } from '../../packages/cli/src/sources/fixtures/registry-server.ts';
import { cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { startUpstream } from './support/upstream.ts';

/** A shop whose API is on loopback, imported from a registry, with its tool in the default group. */
async function importedShop() {
  const upstream = await startUpstream(() => ({ body: { ok: true } }));
  const server = await serveRegistry();
  const text = shopSchema(['getThing'], { root: upstream.origin });
  server.publish({ 'shop.mjs': text }, { name: 'shops' });
  const project = await cliProject({ 'project/.schemakit/config.json': '{"mode":"dev"}' });
  const imported = await project.start('import', `${server.origin}/registry.json`);
  expect(imported.status, imported.stderr).toBe(0);
  expect(project.run('add', 'shop_getThing').status).toBe(0);
  const file = join(project.home, 'schemas/shops/shop.mjs');
  return { ...project, server, upstream, text, file };
}

/** The words of the command in a text such as `If you trust it: schemakit trust a.mjs --yes`. */
function commandIn(text: unknown): string[] {
  return (/schemakit (trust .*?)[.;]?$/.exec(String(text).split(';')[0] ?? '')?.[1] ?? '').split(' ');
}

describe('the address of an imported schema', () => {
  test.each([
    ['by its name', 'shop_getThing'],
    ['by its reference', 'shops/shop.mjs::tool::getThing'],
  ])('is not approved by the import, called %s; the message has the command that does', async (_, tool) => {
    const { start, run, upstream } = await importedShop();
    const refused = await start('call', tool);
    expect(refused).toMatchObject({ status: 6, json: { status: false } });
    expect(upstream.requests).toEqual([]);
    const words = commandIn(refused.json.fix);
    expect(words).toEqual(expect.arrayContaining(['trust', '--network', upstream.origin]));
    expect(run(...words, '--yes')).toMatchObject({ status: 0 });
    expect(await start('call', tool)).toMatchObject({ status: 0, json: { content: { ok: true } } });
  });

  test('is not approved by the name of the file either', async () => {
    const { start, file, upstream } = await importedShop();
    expect((await start('call', `${file}::tool::getThing`)).status).toBe(6);
    expect(upstream.requests).toEqual([]);
  });
});

describe('an imported schema that changed', () => {
  test('is refused until it is trusted again, wherever the project is', async () => {
    const { start, run, server, text, upstream } = await importedShop();
    server.publish({ 'shop.mjs': text.replace('"/thing"', '"/other"') }, { name: 'shops' });
    const updated = await start('update');
    expect(updated).toMatchObject({ status: 0, json: { sources: [{ needsTrust: ['shop.mjs'] }] } });
    const refused = await start('call', 'shop_getThing');
    expect(refused).toMatchObject({
      status: 1,
      json: { error: expect.stringContaining('not the schema that was trusted') },
    });
    const words = commandIn(refused.json.fix);
    const [next] = (updated.json.next as string[]).map(commandIn);
    expect(next).toEqual(words.slice(0, 2));
    const [source] = updated.json.sources as { warnings: { fix: string }[] }[];
    expect(commandIn(source?.warnings[0]?.fix)).toEqual(words);
    expect(run(...(next ?? []), '--network', upstream.origin, '--yes').status).toBe(0);
    expect((await start('call', 'shop_getThing')).status).toBe(0);
  });

  test.runIf(hasTerminal).each(['list', 'status', 'doctor', 'describe shop_getThing', 'call list-tools'])(
    'is shown, not asked about, by %s at a terminal',
    async (words) => {
      const { folder, home, file } = await importedShop();
      writeFileSync(file, readFileSync(file, 'utf8').replace('"/thing"', '"/other"'));
      const env = { SCHEMAKIT_HOME: home };
      const { screen } = await runAtTerminal(words.split(' '), 'y\n', { cwd: folder, env });
      expect(screen).toContain('not the schema that was trusted');
      expect(screen).not.toContain('[y/N]');
    },
  );

  test('here by hand is refused too', async () => {
    const { start, file } = await importedShop();
    writeFileSync(file, readFileSync(file, 'utf8').replace('"/thing"', '"/other"'));
    expect(await start('call', 'shop_getThing')).toMatchObject({
      status: 1,
      json: { error: expect.stringContaining('not the schema that was trusted') },
    });
  });
});

test('trust without --lock is noted where imported schemas are held', async () => {
  const { start, run, file, upstream, has } = await importedShop();
  expect(run('trust', file, '--network', upstream.origin, '--yes').status).toBe(0);
  expect(has('project/schemakit.lock.json')).toBe(false);
  expect((await start('call', 'shop_getThing')).status).toBe(0);
});
