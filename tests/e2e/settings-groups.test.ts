import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CliProject, cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { mainWith, moduleText } from './support/schema-module.ts';
import { startUpstream } from './support/upstream.ts';

const two = { 'home/schemas/lib/shop.mjs': shopSchema(['getThing', 'listThings']) };
const skill = {
  name: 'buy',
  version: 'flowmcp-skill/1.0.0',
  description: 'Buy',
  input: [],
  content: 'Buy it.',
  output: 'A receipt',
};
const query = (sql: string) => ({
  sql,
  description: 'Looks into the stock',
  parameters: [],
  output: { schema: { type: 'object' } },
});
const stock = {
  source: 'sqlite',
  description: 'The stock',
  database: './stock.db',
  queries: { one: query('SELECT 1 AS one'), all: query('SELECT 2 AS two') },
};
/** A schema with a tool, two queries of a database and a skill. */
const withEverything = {
  'home/schemas/lib/shop.mjs': shopSchema(['getThing'], {
    resources: { stock },
    skills: { buy: { file: './buy.mjs' } },
  }),
  'home/schemas/lib/buy.mjs': `export const skill = ${JSON.stringify(skill)};`,
};
const group = 'project/.schemakit/groups/work.json';

describe('references', () => {
  test.each([
    ['lib/shop.mjs', 'lib/shop.mjs'],
    ['lib/shop.mjs::tool::getThing', 'lib/shop.mjs::tool::getThing'],
    ['lib/shop.mjs::getThing', 'lib/shop.mjs::tool::getThing'],
    ['shop_getThing', 'lib/shop.mjs::tool::getThing'],
    ['shop__getThing', 'lib/shop.mjs::tool::getThing'],
    ['shop/tool/getThing', 'lib/shop.mjs::tool::getThing'],
    ['shop/getThing', 'lib/shop.mjs::tool::getThing'],
    ['get_thing_shop', 'lib/shop.mjs::tool::getThing'],
    ['getThing', 'lib/shop.mjs::tool::getThing'],
    ['lib/shop.mjs::skill::buy', 'lib/shop.mjs::skill::buy'],
    ['lib/shop.mjs::resource::notes', 'lib/shop.mjs::resource::notes'],
  ])('%s is understood', async (text, reference) => {
    const { tools } = mainWith() as { tools: object };
    const { run, json } = await cliProject({
      'home/schemas/lib/shop.mjs': moduleText(
        mainWith({
          tools,
          skills: { buy: { file: './buy.mjs' } },
          resources: { notes: { source: 'markdown', description: 'Notes', origin: 'inline', name: 'notes.md' } },
        }),
      ),
      'home/schemas/lib/notes.md': '# Notes\n',
      'home/schemas/lib/resources/notes.md': '# Notes\n',
      'home/schemas/lib/buy.mjs': `export const skill = ${JSON.stringify({
        name: 'buy',
        version: 'flowmcp-skill/1.0.0',
        description: 'Buy',
        input: [],
        content: 'Buy it.',
        output: 'A receipt',
      })};`,
    });
    const { status, json: result } = run('group', 'append', 'work', '--tools', text);
    expect(result).toMatchObject({ status: true, added: [reference], isDefault: true });
    expect(status).toBe(0);
    expect(json(group)).toMatchObject({ tools: [reference] });
  });

  test('a path to a file of the project is one', async () => {
    const { run } = await cliProject({ 'project/schemas/shop.mjs': shopSchema() });
    expect(run('add', './schemas/shop.mjs::tool::getThing').json).toMatchObject({ added: 'shop_getThing' });
    expect(run('call', 'list-tools').json).toMatchObject({ toolCount: 1 });
  });

  test('a namespace is one, if a single schema has it', async () => {
    const { run } = await cliProject({
      'home/config.json': '{}',
      'project/schemas/shop.mjs': shopSchema(),
      'project/schemas/tea.mjs': shopSchema(['getTea'], { namespace: 'tea' }),
      'project/schemas/more.mjs': shopSchema(['getMore'], { namespace: 'tea' }),
    });
    expect(run('add', 'shop').json).toMatchObject({ added: 'shop_getThing', group: 'default' });
    const { status, json: several } = run('add', 'tea');
    expect({ status, fix: several.fix }).toEqual({
      status: 3,
      fix: 'Write one of schemas/more.mjs, schemas/tea.mjs.',
    });
  });
});

describe('schemakit group', () => {
  test('append makes a group, keeps its order and says what is new', async () => {
    const { run, json } = await cliProject(two);
    expect(run('group', 'append', 'work', '--tools', ' shop_listThings , shop_getThing ').json).toEqual({
      status: true,
      group: 'work',
      toolCount: 2,
      tools: ['lib/shop.mjs::tool::listThings', 'lib/shop.mjs::tool::getThing'],
      added: ['lib/shop.mjs::tool::listThings', 'lib/shop.mjs::tool::getThing'],
      isDefault: true,
    });
    expect(run('group', 'append', 'work', '--tools', 'shop_getThing').json).toMatchObject({ toolCount: 2, added: [] });
    expect(run('group', 'append', 'rest', '--tools', 'lib/shop.mjs').json).toMatchObject({ isDefault: false });
    expect(json('project/.schemakit/config.json')).toEqual({ defaultGroup: 'work' });
    expect(run('group', 'list').json).toEqual({
      status: true,
      defaultGroup: 'work',
      groups: { rest: { description: '', toolCount: 2 }, work: { description: '', toolCount: 2 } },
    });
  });

  test('append takes all or nothing', async () => {
    const { run, has } = await cliProject(two);
    const { status, json } = run('group', 'append', 'work', '--tools', 'shop_getThing,shop_getThink,lib/gone.mjs');
    expect(status).toBe(3);
    expect(json).toMatchObject({ error: 'there is no tool "shop_getThink"', fix: 'Did you mean shop_getThing?' });
    expect(json.messages).toHaveLength(2);
    expect(has(group)).toBe(false);
  });

  test('remove takes the last tool, and the group stays', async () => {
    const { run, json } = await cliProject(two);
    run('group', 'append', 'work', '--tools', 'shop_getThing');
    expect(run('group', 'remove', 'work', '--tools', 'shop__getThing').json).toMatchObject({ toolCount: 0, tools: [] });
    expect(json(group)).toEqual({ description: '', tools: [] });
    expect(run('list').json).toMatchObject({ status: true, toolCount: 0 });
    expect(run('run')).toMatchObject({
      status: 2,
      json: {},
      stderr: expect.stringContaining('The group work has no tools.'),
    });
  });

  test('remove takes one tool out of a whole file', async () => {
    const { run, json } = await cliProject(two);
    run('group', 'append', 'work', '--tools', 'lib/shop.mjs');
    expect(run('remove', 'shop_getThing').status).toBe(0);
    expect(json(group)).toMatchObject({ tools: ['lib/shop.mjs::tool::listThings'] });
    expect(run('remove', 'lib/shop.mjs').status).toBe(0);
    expect(json(group)).toMatchObject({ tools: [] });
  });

  test('remove takes out what is gone', async () => {
    const { run, json, home } = await cliProject(two);
    run('group', 'append', 'work', '--tools', 'lib/shop.mjs::tool::getThing');
    rmSync(join(home, 'schemas/lib/shop.mjs'));
    expect(run('list').stderr).toContain('the group refers to lib/shop.mjs::tool::getThing, which does not exist');
    expect(run('remove', 'lib/shop.mjs::tool::getThing').status).toBe(0);
    expect(json(group)).toMatchObject({ tools: [] });
  });

  test('remove takes one tool or query out of a whole file, and leaves prompts and skills', async () => {
    const { run, json } = await cliProject(withEverything);
    run('group', 'append', 'work', '--tools', 'lib/shop.mjs');
    expect(run('remove', 'shop_getThing').json).toMatchObject({ removed: 'shop_getThing' });
    expect(json(group).tools).toEqual(['lib/shop.mjs::resource::stock', 'lib/shop.mjs::skill::buy']);
    expect(run('remove', 'shop_stock_all').status).toBe(0);
    const left = ['stock_one', 'stock_runSql', 'stock_describeTables'];
    expect(json(group).tools).toEqual([
      ...left.map((name) => `lib/shop.mjs::resource::${name}`),
      'lib/shop.mjs::skill::buy',
    ]);
    expect(run('list').json.tools).toMatchObject(left.map((name) => ({ name: `shop_${name}` })));
  });

  test('delete shows what was in the group, and keeps the default unless told', async () => {
    const { run, json, has } = await cliProject(two);
    run('group', 'append', 'work', '--tools', 'shop_getThing');
    run('group', 'append', 'rest', '--tools', 'shop_listThings');
    expect(run('group', 'delete', 'work')).toMatchObject({
      status: 2,
      json: { error: 'work is the default group.', fix: expect.stringContaining('schemakit group set-default') },
    });
    expect(run('group', 'delete', 'rest').json).toEqual({
      status: true,
      deleted: 'rest',
      description: '',
      tools: ['lib/shop.mjs::tool::listThings'],
      wasDefault: false,
    });
    expect(run('group', 'delete', 'work', '--yes').json).toMatchObject({ wasDefault: true });
    expect(has(group)).toBe(false);
    expect(json('project/.schemakit/config.json')).toEqual({});
    expect(run('group', 'delete', 'work').status).toBe(3);
  });

  test('rename keeps all fields and the default, and takes no other group’s place', async () => {
    const { run, json, has } = await cliProject({ ...two, [group]: '{ "colour": "green", "tools": [] }' });
    run('group', 'set-default', 'work');
    run('group', 'append', 'rest', '--tools', 'shop_listThings');
    expect(run('group', 'rename', 'work', 'rest').status).toBe(2);
    expect(run('group', 'rename', 'work', '../x').status).toBe(2);
    expect(run('group', 'rename', 'work', 'office').json).toEqual({
      status: true,
      renamed: 'work',
      group: 'office',
      isDefault: true,
    });
    expect(json('project/.schemakit/groups/office.json')).toEqual({ colour: 'green', tools: [] });
    expect(has(group)).toBe(false);
    expect(run('group', 'list').json).toMatchObject({ defaultGroup: 'office' });
  });

  test('rename never leaves a group under both names', async () => {
    const { run, start, has, folder } = await cliProject({ ...two, [group]: '{ "tools": [] }' });
    run('group', 'set-default', 'work');
    // The config waits for this process.
    const held = join(folder, '.schemakit/config.json.held');
    writeFileSync(held, JSON.stringify({ id: 'test', pid: process.pid, host: hostname() }));
    const renamed = start('group', 'rename', 'work', 'office');
    await expect.poll(() => has('project/.schemakit/groups/office.json'), { timeout: 8_000 }).toBe(true);
    expect(has(group)).toBe(false);
    rmSync(held);
    expect((await renamed).status).toBe(0);
    expect(run('group', 'list').json).toMatchObject({ defaultGroup: 'office' });
  });

  test.runIf(hasTerminal)('a terminal shows the names of tools', async () => {
    const { folder, home } = await cliProject({ ...two, 'home/config.json': '{}' });
    const at = async (...words: string[]) =>
      (await runAtTerminal(words, '', { cwd: folder, env: { SCHEMAKIT_HOME: home, NO_COLOR: '1' } })).screen;
    expect(await at('group', 'append', 'work', '--tools', 'shop_getThing')).toContain('Added shop_getThing to work');
    expect(await at('remove', 'shop_getThing')).toContain('Removed shop_getThing from the group work.');
    await at('group', 'append', 'rest', '--tools', 'shop_getThing');
    expect(await at('group', 'delete', 'rest')).toContain('Deleted the group rest: shop_getThing.');
  });

  test('delete and rename know the groups that older programs wrote into config.json', async () => {
    const groups = { work: { schemas: ['lib/shop.mjs::getThing'] }, rest: { tools: [] } };
    const config = { defaultGroup: 'work', groups, mine: 1, tools: ['lib/shop.mjs'] };
    const { run, json, has } = await cliProject({ ...two, 'project/.flowmcp/config.json': JSON.stringify(config) });
    expect(run('group', 'rename', 'work', 'office').status).toBe(0);
    expect(run('group', 'delete', 'rest').status).toBe(0);
    expect(run('group', 'delete', 'default').status).toBe(0);
    expect(json('project/.schemakit/config.json')).toEqual({ defaultGroup: 'office', groups: {}, mine: 1 });
    expect(json('project/.schemakit/groups/office.json').tools).toEqual(['lib/shop.mjs::getThing']);
    expect(Object.keys(run('group', 'list').json.groups as object)).toEqual(['office']);
    expect([has('project/.flowmcp/config.json'), json('project/.flowmcp/config.json')]).toEqual([true, config]);
  });

  test('set-default chooses what list, call and run use', async () => {
    const { run } = await cliProject(two);
    run('group', 'append', 'work', '--tools', 'shop_getThing');
    run('group', 'append', 'rest', '--tools', 'shop_listThings');
    expect(run('group', 'set-default', 'rest').json).toEqual({ status: true, defaultGroup: 'rest' });
    expect(run('list').json.tools).toMatchObject([{ name: 'shop_listThings' }]);
    expect(run('list', '--group', 'work').json.tools).toMatchObject([{ name: 'shop_getThing' }]);
    expect(run('call', 'list-tools', '--group', 'work').json).toMatchObject({ group: 'work', toolCount: 1 });
  });

  test('a default group that is gone is said, with what mends it', async () => {
    const { run } = await cliProject({
      ...two,
      'project/.schemakit/config.json': '{ "defaultGroup": "wrk" }',
      [group]: JSON.stringify({ tools: ['lib/shop.mjs'] }),
    });
    for (const args of [['list'], ['call', 'list-tools'], ['add', 'shop_getThing'], ['call', 'shop_getThing']]) {
      expect(run(...args)).toMatchObject({ status: 3, json: { fix: 'Did you mean work?' } });
    }
    expect(run('status').json.checks).toContainEqual(
      expect.objectContaining({ name: 'groups', ok: false, fix: 'schemakit group set-default work' }),
    );
  });

  test('fields that are not known are kept', async () => {
    const { run, json } = await cliProject({
      ...two,
      'project/.schemakit/config.json': '{ "mine": { "a": [1] }, "defaultGroup": "work" }',
      [group]: '{ "colour": "green", "tools": [] }',
    });
    run('add', 'shop_getThing');
    run('mode', 'dev');
    expect(json('project/.schemakit/config.json')).toMatchObject({ mine: { a: [1] } });
    expect(json(group)).toMatchObject({ colour: 'green', tools: ['lib/shop.mjs::tool::getThing'] });
  });

  test('two processes at once lose nothing', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `tool${'ABCDEFGH'[index]}`);
    const { start, run } = await cliProject({ 'home/schemas/lib/shop.mjs': shopSchema(names) });
    const runs = await Promise.all([
      ...names.map((name) => start('group', 'append', 'work', '--tools', `lib/shop.mjs::${name}`)),
      start('mode', 'dev'),
    ]);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 0));
    expect(run('list', '--group', 'work').json.toolCount).toBe(names.length);
    expect(run('status').json).toMatchObject({ mode: 'dev', defaultGroup: 'work' });
  });
});

describe('add, remove and list', () => {
  test('add activates the named query only, unless the resource is named', async () => {
    const { run, json } = await cliProject(withEverything);
    expect(run('add', 'shop_stock_one').json).toMatchObject({ added: 'shop_stock_one' });
    expect(run('list').json).toMatchObject({ toolCount: 1, tools: [{ name: 'shop_stock_one' }] });
    expect(run('call', 'list-tools').json).toMatchObject({ toolCount: 1 });
    const tools = 'project/.schemakit/groups/default.json';
    expect(run('add', 'lib/shop.mjs::resource::stock').status).toBe(0);
    expect(json(tools).tools).toEqual(['lib/shop.mjs::resource::stock']);
    expect(run('add', 'shop_stock_all').json).toMatchObject({ message: 'shop_stock_all is already active.' });
    const { tools: found } = run('search', 'stock').json as { tools: { active: boolean }[] };
    expect(found.map(({ active }) => active)).toEqual(found.map(() => true));
  });

  test('adding after adding and removing leaves nothing twice, and all counts agree', async () => {
    const { run, json } = await cliProject(two);
    const tools = 'project/.schemakit/groups/default.json';
    run('add', 'shop_getThing');
    run('add', 'lib/shop.mjs');
    expect(json(tools).tools).toEqual(['lib/shop.mjs']);
    run('remove', 'shop_listThings');
    run('add', 'shop_getThing');
    expect(json(tools).tools).toEqual(['lib/shop.mjs::tool::getThing']);
    const appended = run('group', 'append', 'default', '--tools', 'lib/shop.mjs').json;
    expect(appended).toMatchObject({ toolCount: 2, tools: ['lib/shop.mjs'] });
    expect(run('group', 'list').json.groups).toMatchObject({ default: { toolCount: 2 } });
    expect(run('list').json.toolCount).toBe(2);
    expect(run('group', 'remove', 'default', '--tools', 'shop_getThing').json).toMatchObject({ toolCount: 1 });
  });

  test('remove takes a tool out of a list that has it and its file', async () => {
    const both = { tools: ['lib/shop.mjs::getThing', 'lib/shop.mjs'] };
    const { run, json } = await cliProject({
      ...two,
      'project/.schemakit/config.json': '{ "defaultGroup": "work" }',
      [group]: JSON.stringify(both),
    });
    expect(run('remove', 'shop_getThing').status).toBe(0);
    expect(json(group).tools).toEqual(['lib/shop.mjs::tool::listThings']);
  });

  test('add makes the first group, and says what the tool takes', async () => {
    const { run } = await cliProject(two);
    expect(run('add', 'shop_getThing').json).toEqual({
      status: true,
      added: 'shop_getThing',
      group: 'default',
      parameters: {},
    });
    expect(run('add', 'shop_getThing').json).toMatchObject({
      status: true,
      message: 'shop_getThing is already active.',
    });
    expect(run('add', 'lib/shop.mjs').json).toMatchObject({ tools: ['shop_getThing', 'shop_listThings'] });
    expect(run('list').json).toMatchObject({ group: 'default', toolCount: 2 });
  });

  test('add does not choose among groups for the user', async () => {
    const { run } = await cliProject({ ...two, [group]: '{ "tools": [] }' });
    expect(run('add', 'shop_getThing')).toMatchObject({
      status: 3,
      json: { fix: 'Run: schemakit group set-default work. Or add --group <name>.' },
    });
  });

  test('two files with one tool each of the same name are told apart', async () => {
    const { run } = await cliProject({ ...two, 'home/schemas/other/shop.mjs': shopSchema(['getThing'], { docs: [] }) });
    const { status, json } = run('add', 'getThing');
    expect(status).toBe(2);
    expect(json.fix).toContain('lib/shop.mjs::tool::getThing');
    expect(json.fix).toContain('other/shop.mjs::tool::getThing');
  });

  test('a name that several schemas would have is nobody’s: what was imported takes no tool’s place', async () => {
    const { run, json } = await cliProject({
      ...two,
      'home/schemas/aaa/shop.mjs': shopSchema(['getThing'], { docs: [] }),
      'project/.schemakit/config.json': '{ "defaultGroup": "default" }',
      'project/.schemakit/groups/default.json': '{ "tools": [] }',
    });
    for (const name of ['shop_getThing', 'shop__getThing']) {
      expect(run('add', name)).toMatchObject({
        status: 2,
        json: { error: `"${name}" can be any of 2`, fix: expect.stringContaining('"lib/shop.mjs::tool::getThing"') },
      });
    }
    expect(json('project/.schemakit/groups/default.json')).toEqual({ tools: [] });
    expect(run('call', 'shop_getThing').json.fix).toContain('"aaa/shop.mjs::tool::getThing"');
    // Once one of them is active, the name is its own there.
    run('add', 'lib/shop.mjs::tool::getThing');
    expect(run('call', 'shop_getThing', '--dry-run').json).toMatchObject({ status: true, toolName: 'shop_getThing' });
    expect(run('remove', 'shop_getThing').json.references).toEqual(['lib/shop.mjs::tool::getThing']);
    run('add', 'lib/shop.mjs::tool::getThing');
    run('add', 'aaa/shop.mjs::tool::getThing');
    expect(run('remove', 'shop_getThing')).toMatchObject({
      status: 3,
      json: { fix: 'Write one of aaa/shop.mjs::tool::getThing, lib/shop.mjs::tool::getThing.' },
    });
  });
});

describe('call and run with a group', () => {
  async function served(secret: Record<string, string> = {}): Promise<CliProject & { requests: unknown[] }> {
    const upstream = await startUpstream(({ headers }) => ({ body: { key: headers['x-key'] ?? null } }));
    const project = await cliProject(
      {
        'project/schemas/shop.mjs': shopSchema(['getThing'], {
          root: upstream.origin,
          requiredServerParams: ['SHOP_KEY'],
          headers: { 'X-Key': '{{SHOP_KEY}}' },
        }),
      },
      secret,
    );
    project.run('add', 'shop_getThing');
    return { ...project, requests: upstream.requests };
  }

  test('a secret that is not set ends the call with its own status and a way out', async () => {
    const { start, home, requests } = await served();
    expect(await start('call', 'shop_getThing')).toMatchObject({
      status: 6,
      json: {
        error: 'Required server parameter SHOP_KEY is not set',
        fix: `Add SHOP_KEY=<value> to .env of the project, to the file of --env-file, or to ${join(home, '.env')}; or set it in the environment.`,
      },
    });
    expect(requests).toEqual([]);
  });

  test.each([
    ['plain', 'SHOP_KEY=file-secret'],
    ['with export', 'export SHOP_KEY=file-secret'],
    ['in double quotes', 'SHOP_KEY="file-secret"'],
    ['in single quotes', "SHOP_KEY='file-secret'"],
    ['with CRLF', '# a comment\r\nOTHER=1\r\nSHOP_KEY=file-secret\r\n'],
    ['with a comment after it', 'SHOP_KEY=file-secret # for the shop'],
    ['after a line that is none', 'what is this\nSHOP_KEY=file-secret'],
    ['with a byte order mark', '\uFEFFSHOP_KEY=file-secret'],
  ])('reads .env: %s', async (_, text) => {
    const { start, home, requests } = await served();
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.env'), text, { mode: 0o600 });
    const { status, stderr } = await start('call', 'shop_getThing');
    expect(status).toBe(0);
    expect(stderr).toMatch(text.startsWith('what is this') ? /^\S+:1:1: warning SET010/ : /^$/);
    expect(requests).toMatchObject([{ headers: { 'x-key': 'file-secret' } }]);
  });

  test('the environment wins over .env, unless it is empty', async () => {
    const { start, home, requests } = await served({ SHOP_KEY: 'from-environment' });
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.env'), 'SHOP_KEY=file-secret', { mode: 0o600 });
    await start('call', 'shop_getThing');
    const empty = await served({ SHOP_KEY: '' });
    mkdirSync(empty.home, { recursive: true });
    writeFileSync(join(empty.home, '.env'), 'SHOP_KEY=file-secret', { mode: 0o600 });
    await empty.start('call', 'shop_getThing');
    expect([...requests, ...empty.requests]).toMatchObject([
      { headers: { 'x-key': 'from-environment' } },
      { headers: { 'x-key': 'file-secret' } },
    ]);
  });

  test.runIf(process.platform !== 'win32')('secrets that others can read are a warning', async () => {
    const { start, home } = await served();
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.env'), 'SHOP_KEY=file-secret', { mode: 0o644 });
    const { status, stderr } = await start('call', 'shop_getThing');
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('chmod 600') });
    expect(stderr).not.toContain('file-secret');
  });

  test('a tool is called by any of its names, and only if it is active', async () => {
    const { start } = await served({ SHOP_KEY: 'k' });
    for (const name of ['shop_getThing', 'shop__getThing', 'get_thing_shop', 'shop/tool/getThing', 'getThing']) {
      expect(await start('call', name), name).toMatchObject({ status: 0, json: { toolName: 'shop_getThing' } });
    }
    expect((await start('remove', 'shop_getThing')).status).toBe(0);
    expect(await start('call', 'shop_getThing')).toMatchObject({
      status: 3,
      json: { fix: 'Activate it: schemakit add shop_getThing' },
    });
  });

  test('an imported schema does not reach this machine without a grant', async () => {
    const upstream = await startUpstream();
    const { start, run } = await cliProject({
      'home/config.json': JSON.stringify({ sources: { lib: { type: 'github' } } }),
      'home/schemas/lib/shop.mjs': shopSchema(['getThing'], { root: upstream.origin }),
      'home/schemas/mine/own.mjs': shopSchema(['getOwn'], { root: upstream.origin, namespace: 'own' }),
    });
    run('group', 'append', 'work', '--tools', 'shop_getThing,own_getOwn');
    const { status, json } = await start('call', 'shop_getThing');
    expect({ status, fix: json.fix }).toEqual({ status: 6, fix: expect.stringContaining('schemakit trust') });
    expect(upstream.requests).toEqual([]);
    expect((await start('call', 'own_getOwn')).status).toBe(0);
  });

  test('run serves the tools of a group and nothing else', async () => {
    const { folder, home, run } = await cliProject(two);
    run('group', 'append', 'work', '--tools', 'shop_listThings');
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const args = [join(process.cwd(), 'packages/cli/bin/schemakit.js'), '--cwd', folder, 'run', '--group', 'work'];
    const env = { SCHEMAKIT_HOME: home };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    expect(client.getServerVersion()).toMatchObject({ name: 'schemakit-work' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['shop__listThings']);
  });
});
