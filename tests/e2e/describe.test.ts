import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal } from './support/command.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { openTerminal } from './support/terminal-session.ts';

const shop = mainWith({
  root: 'https://api.shop.example/v1',
  requiredServerParams: ['SHOP_KEY'],
  headers: { Authorization: '{{SHOP_KEY}}' },
  tools: {
    addThing: {
      ...faultlessTool,
      method: 'POST',
      path: '/things',
      description: 'Add a thing',
      parameters: [
        parameter('name', 'body', ['string()', 'min(2)', 'describe(What it is called)']),
        parameter('count', 'body', ['number()', 'min(1)', 'max(9)', 'default(1)']),
        parameter('size', 'body', ['enum(small,large)', 'optional()']),
      ],
      tests: [{ _description: 'A cup', name: 'cup' }],
    },
  },
  prompts: {
    about: {
      name: 'about',
      version: '1.0.0',
      namespace: 'shop',
      description: 'How things are added',
      content: 'Use {{tool:addThing}}.',
    },
  },
});
const agent = `export const agent = {
  name: 'clerk', version: 'schemakit/3.0.0', description: 'Adds things', model: 'example/model', systemPrompt: 'You add things.',
  tools: { 'shop/tool/addThing': null }, prompts: {}, skills: {}, resources: {}, sharedLists: [],
  tests: [1, 2, 3].map((number) => ({ _description: 'Test ' + number, input: 'Add a cup', expectedTools: ['shop/tool/addThing'], expectedContent: ['cup'] })),
};`;
const list = `export const list = {
  meta: { name: 'sizes', version: '1.0.0', description: 'Sizes', fields: [{ key: 'code', type: 'string', description: 'Code' }], dependsOn: [] },
  entries: [{ code: 's' }, { code: 'l' }],
};`;
const files = {
  'home/config.json': '{}',
  'project/schemas/shop.mjs': moduleText(shop),
  'project/schemas/agents/clerk/agent.mjs': agent,
  'project/schemas/_lists/sizes.mjs': list,
};

describe('schemakit describe', () => {
  test('tells programs what a model sees of a tool, and where its secrets go', async () => {
    const { run } = await cliProject(files);
    const { status, json } = run('describe', 'shop_addThing');
    expect(status).toBe(0);
    expect(json).toMatchObject({
      status: true,
      kind: 'tool',
      name: 'shop_addThing',
      mcpName: 'shop__addThing',
      request: 'POST https://api.shop.example/v1/things',
      inputSchema: { required: ['name'], properties: { count: { minimum: 1, maximum: 9, default: 1 } } },
      annotations: { readOnlyHint: false },
      secrets: [{ name: 'SHOP_KEY', origin: 'https://api.shop.example', granted: true }],
      example: 'schemakit call shop_addThing name=cup',
      tests: [{ description: 'A cup', input: { name: 'cup' } }],
    });
  });

  test.each([
    ['shop', { kind: 'schema', namespace: 'shop', tools: [{ name: 'shop_addThing' }] }],
    ['schemas/shop.mjs', { kind: 'schema', namespace: 'shop' }],
    ['shop__addThing', { kind: 'tool', name: 'shop_addThing' }],
    ['shop/tool/addThing', { kind: 'tool', name: 'shop_addThing' }],
    ['addThing', { kind: 'tool', name: 'shop_addThing' }],
    ['./schemas/shop.mjs::addThing', { kind: 'tool', name: 'shop_addThing' }],
    ['shop_about', { kind: 'prompt', name: 'shop_about', text: 'Use shop__addThing.' }],
    ['./schemas/shop.mjs::prompt::about', { kind: 'prompt', name: 'shop_about' }],
    ['sizes', { kind: 'list', name: 'sizes', entryCount: 2 }],
    ['shared/list/sizes', { kind: 'list', name: 'sizes' }],
    ['schemas/_lists/sizes.mjs', { kind: 'list', name: 'sizes' }],
    ['clerk', { kind: 'agent', name: 'clerk', tools: ['shop/tool/addThing'] }],
    ['schemas/agents/clerk/agent.mjs', { kind: 'agent', name: 'clerk' }],
  ])('%s', async (name, expected) => {
    const { run } = await cliProject(files);
    expect(run('describe', name).json).toMatchObject({ status: true, ...expected });
  });

  test.each([
    [
      'shop_addThin',
      3,
      'There is no tool, schema, list, prompt, skill or agent "shop_addThin".',
      'Did you mean shop_addThing?',
    ],
    ['nothing.mjs', 3, 'There is no file nothing.mjs.', 'Check the path.'],
    ['./schemas/shop.mjs::getThing', 3, './schemas/shop.mjs has no tool getThing.', 'It has: addThing.'],
  ])('%s ends with %i', async (name, status, error, fix) => {
    const { run } = await cliProject(files);
    expect(run('describe', name)).toMatchObject({ status, json: { status: false, error, fix } });
  });

  test('shows what a tool asks for and how it reads pages; a dry run says that more follow', async () => {
    const pagination = { style: 'page', parameter: 'page', items: '', maxPages: 3 };
    const tool = { ...faultlessTool, parameters: [], accept: 'application/json', pagination };
    const paged = mainWith({ root: 'https://api.shop.example', tools: { getThing: tool } });
    const { run } = await cliProject({ 'project/schemas/shop.mjs': moduleText(paged) });
    expect(run('describe', 'shop_getThing').json).toMatchObject({ accept: 'application/json', pagination });
    expect(run('call', 'shop_getThing', '--dry-run').json).toMatchObject({
      warnings: ['This is the request for the first page; the call then asks for up to 2 more.'],
    });
  });

  test('a secret of an imported schema is not granted', async () => {
    const { run } = await cliProject({
      'home/config.json': '{}',
      'home/schemas/away/_source.json': '{}',
      'home/schemas/away/shop.mjs': moduleText(shop),
    });
    expect(run('describe', 'shop_addThing').json).toMatchObject({
      secrets: [{ name: 'SHOP_KEY', origin: 'https://api.shop.example', granted: false }],
    });
  });

  test.runIf(hasTerminal)('shows parameters at a terminal, as the help of a call and list --long do', async () => {
    const { folder, home, run } = await cliProject(files);
    const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });
    const { screen } = await shell.run('schemakit describe shop_addThing');
    expect(screen).toMatch(/name +text, required, at least 2 characters +What it is called/);
    expect(screen).toMatch(/count +number, 1 to 9, default 1/);
    expect(screen).toMatch(/size +one of "small" "large"/);
    expect(screen).toContain('It writes, and may overwrite or delete.');
    expect(screen).toContain('sent to https://api.shop.example');
    const help = await shell.run('schemakit call shop_addThing --help');
    expect(help.screen).toMatch(/count +number, 1 to 9, default 1/);
    run('add', 'schemas/shop.mjs');
    const listed = await shell.run('schemakit list -l');
    expect(listed.screen).toMatch(/count +number, 1 to 9, default 1/);
    expect(listed.screen).toContain('shop_about (prompt): How things are added');
    expect(run('list').json).toMatchObject({ toolCount: 1, prompts: [{ name: 'shop_about', type: 'prompt' }] });
    expect(run('call', 'list-tools').json).toMatchObject({ tools: [{ parameters: { count: { type: 'number' } } }] });
  });
});

describe('without init', () => {
  test('the built-in catalog can be described, called and served, and nothing is written', async () => {
    const { run, has } = await cliProject();
    expect(run('describe', 'frankfurter_getRates').json).toMatchObject({ kind: 'tool', secrets: [] });
    expect(run('call', 'frankfurter_getRates', 'quotes=USD', '--dry-run').json).toMatchObject({
      status: true,
      toolName: 'frankfurter_getRates',
      request: { method: 'GET', url: expect.stringContaining('quotes=USD') },
    });
    expect(run('call', 'list-tools', 'catalog/frankfurter').json).toMatchObject({ status: true, toolCount: 3 });
    expect(run('run', 'catalog/frankfurter').status).toBe(0);
    expect([has('home/config.json'), has('home/schemas'), has('project/.schemakit')]).toEqual([false, false, false]);
  });

  test('a tool of the user takes the name of one in the catalog', async () => {
    const own = moduleText(
      mainWith({
        namespace: 'frankfurter',
        root: 'https://own.example',
        tools: { getRates: { ...faultlessTool, parameters: [] } },
      }),
    );
    const { run } = await cliProject({ 'project/schemas/own.mjs': own });
    for (const name of ['frankfurter_getRates', 'frankfurter__getRates', 'frankfurter/tool/getRates', 'getRates']) {
      const { json } = run('call', name, '--dry-run');
      expect(json).toMatchObject({ request: { url: expect.stringMatching(/^https:\/\/own\.example/) } });
    }
  });
});
