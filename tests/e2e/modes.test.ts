import { describe, expect, test } from 'vitest';
import { commandModes } from '../../packages/cli/src/run-command.ts';
import { cliProject, shopSchema } from './support/cli-project.ts';

/** A use of each command that needs a mode to be looked at, and nothing else. */
const uses: Readonly<Record<keyof typeof commandModes, readonly string[]>> = {
  init: ['--yes', '--no-import'],
  status: [],
  doctor: [],
  mode: [],
  search: ['thing'],
  describe: ['x'],
  add: ['shop_getThing'],
  remove: ['shop_getThing'],
  list: [],
  'group list': [],
  'group append': ['work', '--tools', 'shop_getThing'],
  'group remove': ['work', '--tools', 'shop_getThing'],
  'group set-default': ['work'],
  'group delete': ['work'],
  'group rename': ['work', 'office'],
  'source list': [],
  'source remove': ['nowhere', '--yes'],
  install: ['cursor', '--print'],
  call: ['list-tools'],
  run: ['nowhere.mjs'],
  serve: ['nowhere.mjs'],
  'export openapi': ['nowhere.mjs'],
  'export mcpb': ['nowhere.mjs'],
  'export server-json': ['nowhere.mjs'],
  inspect: [],
  lookup: ['BASE_MAINNET', '0'],
  'agent init': ['gardener'],
  'agent validate': ['agents/none.mjs'],
  'agent run': ['agents/none.mjs', 'Hello'],
  'agent test': ['agents/none.mjs'],
  'agent serve': ['agents/none.mjs'],
  'agent worker': ['agents/none.mjs', '--tasks', 'sqlite:runs.db'],
  'agent runs list': ['--tasks', 'sqlite:runs.db'],
  'agent runs show': ['1', '--tasks', 'sqlite:runs.db'],
  'agent runs cancel': ['1', '--tasks', 'sqlite:runs.db'],
  'agent runs retry': ['1', '--tasks', 'sqlite:runs.db'],
  demo: ['--nope'],
  completion: ['bash', '--json'],
  new: ['nowhere.json'],
  update: [],
  import: ['nowhere'],
  'import-registry': ['nowhere'],
  schemas: [],
  validate: ['schemas'],
  'test project': [],
  'test user': [],
  'test single': ['schemas/shop.mjs'],
  migrate: ['--all', 'schemas'],
  trust: ['schemas', '--yes'],
};

const commands = Object.keys(uses) as (keyof typeof commandModes)[];
const files = { 'project/schemas/shop.mjs': shopSchema() };
const inMode = (mode: string) => ({ ...files, 'project/.schemakit/config.json': JSON.stringify({ mode }) });

describe('in the mode agent', () => {
  test.each(commands.filter((name) => commandModes[name] === 'any'))('%s works', async (name) => {
    const { run } = await cliProject(inMode('agent'));
    const { json, stderr } = run(...name.split(' '), ...uses[name]);
    expect(`${JSON.stringify(json)}${stderr}`).not.toContain('only available in dev mode');
  });

  test.each(commands.filter((name) => commandModes[name] === 'dev'))('%s is refused', async (name) => {
    const { run } = await cliProject(inMode('agent'));
    const { status, json } = run(...name.split(' '), ...uses[name]);
    expect(status).toBe(2);
    const error = `\`schemakit ${name}\` is only available in dev mode; this project is in agent mode.`;
    expect(json).toEqual({
      status: false,
      error,
      messages: [error],
      fix: 'Run: schemakit mode dev',
    });
  });

  test('help for a command that is refused is there', async () => {
    const { folder } = await cliProject(inMode('agent'));
    const { execute } = await import('../docs/page-folder.ts');
    const { stdout } = await execute('schemakit', ['validate', '--help'], folder);
    expect(stdout).toContain('schemakit validate ./schemas');
  });
});

describe.each([
  ['in the mode dev', inMode('dev')],
  ['in the mode dev as older programs write it', inMode('development')],
  ['in a folder without settings', files],
])('%s', (_, settings) => {
  test.each(commands)('%s works', async (name) => {
    const { run } = await cliProject(settings);
    const { json, stderr } = run(...name.split(' '), ...uses[name]);
    expect(`${JSON.stringify(json)}${stderr}`).not.toContain('only available in dev mode');
  });
});

describe('schemakit mode', () => {
  test('only init and mode set it: add makes settings, and every command still works', async () => {
    const { run, json } = await cliProject(files);
    expect(run('add', 'shop_getThing').status).toBe(0);
    expect(json('project/.schemakit/config.json')).toEqual({ defaultGroup: 'default' });
    expect(run('mode').json).toEqual({ status: true, mode: null });
    expect(run('validate', 'schemas').status).toBe(0);
    expect(run('init', '--yes', '--no-import').json).toMatchObject({ mode: 'agent' });
    expect(run('validate', 'schemas').status).toBe(2);
  });

  test('changes, and stays', async () => {
    const { run, json } = await cliProject({ 'project/.schemakit/config.json': '{ "note": 1 }' });
    expect(run('mode', 'dev').json).toEqual({ status: true, mode: 'dev' });
    expect(run('mode').json).toEqual({ status: true, mode: 'dev' });
    expect(run('validate', 'nowhere').status).toBe(3);
    expect(run('mode', 'agent').json).toEqual({ status: true, mode: 'agent' });
    expect(run('validate', 'nowhere').status).toBe(2);
    expect(json('project/.schemakit/config.json')).toEqual({ note: 1, mode: 'agent' });
  });

  test('is none in a folder without settings, and makes them once it is set', async () => {
    const { run, has } = await cliProject();
    expect(run('mode').json).toEqual({ status: true, mode: null });
    expect(has('project/.schemakit')).toBe(false);
    expect(run('mode', 'agent').status).toBe(0);
    expect(run('mode').json).toEqual({ status: true, mode: 'agent' });
  });

  test('settings that cannot be read let nothing pass that needs a mode', async () => {
    const { run } = await cliProject({ ...files, 'project/.schemakit/config.json': '{ "mode": "dev", }' });
    const { status, json } = run('validate', 'schemas');
    expect(status).toBe(4);
    expect(json.error).toContain('.schemakit/config.json:1:18: the settings are not valid JSON');
  });
});

test('a file that is named can be run and called in any mode', async () => {
  const { run, start } = await cliProject(inMode('agent'));
  expect(run('call', 'list-tools', 'schemas/shop.mjs').json).toMatchObject({ status: true, toolCount: 1 });
  expect((await start('run', 'schemas/shop.mjs')).status).toBe(0);
});
