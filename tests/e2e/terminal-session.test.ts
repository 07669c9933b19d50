import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDemoApi } from '../../packages/cli/src/commands/demo/demo-api.ts';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal } from './support/command.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { openTerminal } from './support/terminal-session.ts';
import { startUpstream } from './support/upstream.ts';

const tides = (root: string) =>
  moduleText(
    mainWith({
      namespace: 'tides',
      name: 'Tides',
      description: 'Tides of harbours',
      root,
      tools: {
        getTides: {
          ...faultlessTool,
          path: '/tides',
          description: 'High and low water at a harbour',
          parameters: [parameter('harbour', 'query', ['enum(brest,dover)'])],
          tests: [],
        },
      },
    }),
  );

test.runIf(hasTerminal)('a newcomer comes from init to search, add, call and run', { timeout: 180_000 }, async () => {
  const upstream = await startUpstream(({ query }) => ({ body: { harbour: query.harbour, high: '11:20' } }));
  const { folder, home, json, has } = await cliProject({ 'project/schemas/tides.mjs': tides(upstream.origin) });
  const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });

  // Without groups, every known tool can be called.
  const lost = await shell.run('schemakit call tides_getTides');
  expect(lost.status).toBe(4);
  expect(lost.screen).toContain('Missing required parameter(s): harbour');

  const made = await shell.run('schemakit init', [
    ['a project? [Y/n] ', ''],
    ['group of tools: [default] ', ''],
    ['or an AI agent', 'agent'],
    ['catalog of schemas? [Y/n] ', 'y'],
    ['URL of a registry', ''],
  ]);
  expect(made.status).toBe(0);
  expect(made.screen).toMatch(/Created:\n(.+\n)*Source catalog: \d+ schemas\.\nNext: schemakit add /);
  expect(json('project/.schemakit/config.json')).toEqual({ mode: 'agent', defaultGroup: 'default' });

  const found = await shell.run('schemakit search harbor tdies');
  expect(found.status).toBe(0);
  expect(found.screen).toMatch(/Tool +Description\n(.*\n)*tides_getTides +High and low water at a harbour/);
  expect((await shell.run('schemakit search garden plants')).screen).toMatch(
    /garden_searchPlants .*\[needs GARDEN_API_KEY\]/,
  );

  expect(await shell.run('schemakit add tides_getTide')).toMatchObject({
    status: 3,
    screen: expect.stringContaining('Did you mean tides_getTides?'),
  });
  expect((await shell.run('schemakit add tides_getTides')).screen).toContain(
    'Added tides_getTides to the group default.',
  );
  expect((await shell.run('schemakit call tides_getTides harbor=brest')).screen).toMatch(
    /harbour: required argument is missing.*\n.*harbor: unknown to this tool/,
  );
  expect((await shell.run('schemakit add garden_searchPlants')).status).toBe(0);
  expect((await shell.run('schemakit list')).screen).toMatch(/tides_getTides +High.*\ngarden_searchPlants /);

  const wrong = await shell.run('schemakit call tides_getTides harbour=Dover');
  expect(wrong.status).toBe(4);
  expect(wrong.screen).toContain('Did you mean "dover"?');
  const called = await shell.run('schemakit call tides_getTides harbour=dover');
  expect(called.status).toBe(0);
  expect(called.screen).toContain('{\n  "harbour": "dover",\n  "high": "11:20"\n}');
  expect((await shell.run('schemakit call tides_getTides harbour=dover --select high')).screen).toContain('\n11:20\n');

  // The schema that comes along has an API of its own on this machine, and a secret.
  const api = await startDemoApi({ apiKey: 'trowel-and-twine' });
  try {
    await shell.run(`sed -i 's|http://127.0.0.1:4848|${api.url}|' '${join(home, 'schemas/catalog/demo/garden.mjs')}'`);
    expect((await shell.run('schemakit call garden_searchPlants q=allium')).status).toBe(6);
    await shell.run(`echo GARDEN_API_KEY=trowel-and-twine >> '${join(home, '.env')}'`);
    const plants = await shell.run(`schemakit call garden_searchPlants q=allium --select 'length(plants) > \`0\`'`);
    expect(plants).toMatchObject({ status: 0, screen: expect.stringMatching(/\ntrue\n$/) });
    expect(plants.screen).not.toContain('trowel');
  } finally {
    await api.close();
  }

  // Somebody who starts the server by hand sees the protocol, and can end it.
  shell.type('schemakit run');
  const say = (message: object) => shell.type(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const clientInfo = { name: 'somebody', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  await shell.see('"serverInfo"');
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'tides__getTides', arguments: { harbour: 'brest' } } });
  await shell.see('"structuredContent":{"harbour":"brest","high":"11:20"}');
  expect((await shell.interrupt()).status).toBe(0);

  expect(upstream.requests.map(({ url }) => url)).toEqual([
    '/tides?harbour=dover',
    '/tides?harbour=dover',
    '/tides?harbour=brest',
  ]);
  expect(await shell.run('schemakit status')).toMatchObject({ status: 0 });
  expect(has('project/schemakit.lock.json')).toBe(false);
});
