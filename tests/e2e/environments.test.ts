import { expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { testedShop } from './support/tested-shop.ts';
import { startUpstream } from './support/upstream.ts';

/** A shop whose usual API and whose staging API count their requests. */
async function stagedShop(
  environments: (staging: string) => unknown = (staging) => ({ staging: { roots: { shop: `${staging}/v1/` } } }),
) {
  const usual = await startUpstream();
  const staging = await startUpstream();
  const project = await cliProject(
    {
      'project/schemas/shop.mjs': testedShop(
        usual.origin,
        { getThing: {} },
        { main: { requiredServerParams: ['SHOP_KEY'], headers: { 'X-Key': '{{SHOP_KEY}}' } } },
      ),
      'project/.schemakit/config.json': JSON.stringify({
        mode: 'dev',
        defaultGroup: 'work',
        environments: environments(staging.origin),
      }),
      'project/.schemakit/groups/work.json': JSON.stringify({ tools: ['schemas/shop.mjs'] }),
    },
    { SHOP_KEY: 'leek-soup' },
  );
  const asked = () => ({ usual: usual.requests.length, staging: staging.requests.map(({ url }) => url) });
  return { ...project, asked, staging };
}

test.each([
  ['test', 'project'],
  ['test', 'user'],
  ['test', 'single', 'schemas'],
  ['call', 'shop_getThing'],
  ['call', './schemas/shop.mjs::tool::getThing'],
])('schemakit %s %s goes to the roots of the environment, once the user accepted them', async (...words) => {
  const { start, asked, has } = await stagedShop();
  const refused = await start(...words, '--env', 'staging');
  expect({ ...refused, asked: asked() }).toMatchObject({
    status: 6,
    json: {
      error: 'You have not accepted the roots of the environment staging. Nothing was sent.',
      fix: expect.stringContaining('--yes'),
      messages: [expect.anything(), expect.stringMatching(/^shop: http:\/\/127\.0\.0\.1:\d+\/v1$/)],
    },
    asked: { usual: 0, staging: [] },
  });
  expect(has('home/accepted.json')).toBe(false);
  expect(await start(...words, '--env', 'staging', '--yes')).toMatchObject({ status: 0 });
  expect(await start(...words, '--env', 'staging')).toMatchObject({ status: 0 });
  expect(asked()).toEqual({ usual: 0, staging: ['/v1/getThing', '/v1/getThing'] });
  expect(await start(...words)).toMatchObject({ status: 0 });
  expect(asked().usual).toBe(1);
});

test('roots that changed since are asked about again', async () => {
  const { start, folder, asked, staging } = await stagedShop();
  await start('test', 'project', '--env', 'staging', '--yes');
  const { writeFile } = await import('node:fs/promises');
  const changed = { staging: { roots: { shop: `${staging.origin}/v2` } } };
  const settings = { mode: 'dev', defaultGroup: 'work', environments: changed };
  await writeFile(`${folder}/.schemakit/config.json`, JSON.stringify(settings));
  expect(await start('test', 'project', '--env', 'staging')).toMatchObject({ status: 6 });
  expect(asked().staging).toEqual(['/v1/getThing']);
});

test.each([
  ['an unknown name', {}, 'stagin', 3, 'No environment stagin.', 'Did you mean staging?'],
  [
    'a misspelt namespace',
    { staging: { roots: { shopp: 'https://a.example' } } },
    'staging',
    3,
    'The environment staging has a root for shopp, but no schema here has this namespace.',
    'Did you mean shop?',
  ],
  [
    'other schemas only',
    { staging: { roots: { billing: 'https://a.example' } } },
    'staging',
    3,
    'The environment staging has no root for shop.',
    expect.stringContaining('environments.staging.roots'),
  ],
  [
    'no URL',
    { staging: { roots: { shop: 'a.example' } } },
    'staging',
    4,
    expect.stringContaining('the root of shop is not an http(s) URL'),
    expect.anything(),
  ],
  [
    'another protocol',
    { staging: { roots: { shop: 'ftp://a.example' } } },
    'staging',
    4,
    expect.stringContaining('is not an http(s) URL'),
    expect.anything(),
  ],
  [
    'credentials',
    { staging: { roots: { shop: 'https://a:b@a.example' } } },
    'staging',
    4,
    expect.stringContaining('has credentials in it'),
    expect.anything(),
  ],
])('%s is refused', async (_, environments, name, status, error, fix) => {
  const { run, asked } = await stagedShop((origin) =>
    Object.keys(environments).length > 0 ? environments : { staging: { roots: { shop: origin } } },
  );
  const ran = run('test', 'project', '--env', name, '--yes');
  expect({ ...ran, asked: asked() }).toMatchObject({ status, json: { error, fix }, asked: { usual: 0, staging: [] } });
  expect(/config\.json:1:\d+: error SET011/.test(run('list').stderr)).toBe(status === 4);
});

test('a wrong root of another environment stops nothing', async () => {
  const { start, asked } = await stagedShop((origin) => ({
    staging: { roots: { shop: `${origin}/v1` } },
    other: { roots: { shop: 'a.example' } },
  }));
  expect(await start('test', 'project', '--env', 'staging', '--yes')).toMatchObject({ status: 0 });
  expect(await start('call', 'shop_getThing', '--env', 'other', '--yes')).toMatchObject({ status: 4 });
  expect(asked()).toEqual({ usual: 0, staging: ['/v1/getThing'] });
});

test('an imported schema needs a grant to send its secret to that origin, too', async () => {
  const { start, folder, home, asked, staging } = await stagedShop();
  const { cpSync, writeFileSync } = await import('node:fs');
  cpSync(`${folder}/schemas`, `${home}/schemas/theirs`, { recursive: true });
  writeFileSync(`${home}/schemas/theirs/_source.json`, '{}');
  const file = `${home}/schemas/theirs/shop.mjs`;
  const { status, json } = await start('call', `${file}::tool::getThing`, '--env', 'staging', '--yes');
  expect({ status, json }).toMatchObject({
    status: 6,
    json: {
      error: expect.stringContaining(`SHOP_KEY to ${staging.origin}`),
      fix: expect.stringContaining('--env staging --send SHOP_KEY'),
    },
  });
  expect(asked()).toEqual({ usual: 0, staging: [] });
  const flags = ['--env', 'staging', '--send', 'SHOP_KEY', '--network', staging.origin, '--yes'];
  expect(await start('trust', file, ...flags)).toMatchObject({ status: 0 });
  expect(await start('call', `${file}::tool::getThing`, '--env', 'staging')).toMatchObject({ status: 0 });
  // The grant is for that origin alone.
  expect(await start('call', `${file}::tool::getThing`)).toMatchObject({ status: 6 });
  expect(asked()).toEqual({ usual: 0, staging: ['/v1/getThing'] });
});

test('replaying needs neither network nor secrets, but the roots that were recorded', async () => {
  const { start, asked } = await stagedShop();
  const words = ['test', 'project', '--env', 'staging', '--yes'];
  expect(await start(...words, '--record', 'kept')).toMatchObject({ status: 0 });
  expect(await start(...words, '--replay', 'kept')).toMatchObject({ status: 0 });
  expect(asked()).toEqual({ usual: 0, staging: ['/v1/getThing'] });
});

test('serve and run refuse roots that were not accepted', async () => {
  const { run } = await stagedShop();
  for (const command of ['serve', 'run']) {
    const { status, json, stderr } = run(command, '--env', 'staging');
    expect({ command, status }).toEqual({ command, status: 6 });
    expect(`${json.error}${stderr}`).toContain('You have not accepted the roots of the environment staging.');
  }
});

test.runIf(hasTerminal)('a terminal asks, and shows the roots', async () => {
  const { folder, home, asked, staging } = await stagedShop();
  const env = { SCHEMAKIT_HOME: home, HOME: folder, NO_COLOR: '1', SHOP_KEY: 'leek-soup' };
  const words = ['test', 'project', '--env', 'staging'];
  const no = await runAtTerminal(words, 'n\n', { cwd: folder, env });
  expect(no).toMatchObject({ status: 6, screen: expect.stringContaining(`shop: ${staging.origin}/v1`) });
  expect(asked().staging).toEqual([]);
  const yes = await runAtTerminal(words, 'y\n', { cwd: folder, env });
  expect(yes).toMatchObject({ status: 0, screen: expect.stringContaining('Accept these roots? [y/N]') });
  expect(asked()).toEqual({ usual: 0, staging: ['/v1/getThing'] });
});
