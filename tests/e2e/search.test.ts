import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';

const weather = moduleText(
  mainWith({
    namespace: 'weather',
    name: 'Weather',
    description: 'Weather of towns',
    tags: ['c++', 'forecast'],
    requiredServerParams: ['WEATHER_KEY'],
    tools: {
      getForecast: { ...faultlessTool, description: 'Forecast for a town', parameters: [parameter('town', 'query')] },
      listTowns: { ...faultlessTool, description: 'Towns that are known' },
    },
  }),
);
const files = {
  'home/config.json': '{}',
  'home/schemas/lib/weather.mjs': weather,
  'home/schemas/lib/shop.mjs': shopSchema(['getThing', 'listThings']),
};

const names = (json: Record<string, unknown>) => (json.tools as { name: string }[]).map(({ name }) => name);

const otherWords = 'Use fewer or other words, or list all schemas: schemakit schemas';

describe('schemakit search', () => {
  test('takes what looks like a flag as a word behind --', async () => {
    const { run } = await cliProject(files);
    expect(run('search', '--', '--towns').json).toMatchObject({ query: '--towns', matchCount: 2 });
    expect(run('search', '--towns').status).toBe(2);
  });

  test('gives the documented shape', async () => {
    const { run } = await cliProject(files);
    run('add', 'weather_listTowns');
    const { status, json, stderr } = run('search', 'towns', 'known');
    expect([status, stderr]).toEqual([0, '']);
    expect(json).toEqual({
      status: true,
      query: 'towns known',
      matchCount: 1,
      showing: 1,
      tools: [
        {
          name: 'weather_listTowns',
          description: 'Towns that are known',
          namespace: 'weather',
          tags: ['c++', 'forecast'],
          score: expect.any(Number),
          type: 'tool',
          add: 'schemakit add weather_listTowns',
          active: true,
          missing: ['WEATHER_KEY'],
        },
      ],
    });
  });

  test.each([
    ['forecast', ['weather_getForecast', 'weather_listTowns']],
    ['forcast', ['weather_getForecast', 'weather_listTowns']],
    ['fore', ['weather_getForecast', 'weather_listTowns']],
    ['thing', ['shop_getThing', 'shop_listThings']],
    ['WEATHER getforecast', ['weather_getForecast']],
    ['town', ['weather_listTowns', 'weather_getForecast']],
    ['weather__listTowns', ['weather_listTowns']],
  ])('%s finds what is meant, the best first', async (query, expected) => {
    const { run } = await cliProject(files);
    expect(names(run('search', ...query.split(' ')).json)).toEqual(expected);
  });

  test.each([
    'c++',
    '(',
    '[a-',
    '\\',
    '.*',
    '%',
    "'; DROP TABLE tools; --",
    '"',
    '🔑',
    '\u0000',
    'x'.repeat(5_000),
    '',
  ])('takes any characters: %j', async (query) => {
    const { start } = await cliProject(files);
    if (query === '\u0000') return; // No operating system passes it on.
    const { status, json } = await start('search', query);
    expect([status, json.status, json.query]).toEqual([0, true, query]);
  });

  test('finds tools by the names that a shared list has for the values they take', async () => {
    const list = {
      meta: {
        name: 'chains',
        version: '1.0.0',
        description: 'Chains',
        fields: [
          { key: 'alias', type: 'string', description: 'Name' },
          { key: 'id', type: 'number', description: 'Number' },
        ],
      },
      entries: [{ alias: 'POLYGON_MAINNET', id: 137 }],
    };
    const { run } = await cliProject({
      'home/config.json': '{}',
      'home/schemas/lib/_lists/chains.mjs': `export const list = ${JSON.stringify(list)};`,
      'home/schemas/lib/prices.mjs': moduleText(
        mainWith({
          namespace: 'prices',
          sharedLists: [{ ref: 'chains', version: '1.0.0' }],
          tools: {
            getPrice: { ...faultlessTool, parameters: [parameter('chain', 'query', ['enum({{chains:id}})'])] },
            getHistory: faultlessTool,
          },
        }),
      ),
    });
    expect(names(run('search', 'polygon').json)).toEqual(['prices_getPrice']);
  });

  test('says what is missing, and no longer once it is set', async () => {
    const { run, home } = await cliProject(files);
    expect(run('search', 'forecast').json.tools).toMatchObject([{ missing: ['WEATHER_KEY'] }, {}]);
    writeFileSync(join(home, '.env'), 'WEATHER_KEY=made-up\n', { mode: 0o600 });
    const { json } = run('search', 'forecast');
    expect(JSON.stringify(json)).not.toContain('missing');
    expect(JSON.stringify(json)).not.toContain('made-up');
  });

  test('shows as many as are wanted, and says how many there are', async () => {
    const { run } = await cliProject(files);
    expect(run('search', '--limit', '1', 'get').json).toMatchObject({
      matchCount: 2,
      showing: 1,
      hint: '2 tools match. Add words, or use --limit 2.',
    });
  });

  test.each([
    [['search', 'nowhere'], `No tool matches "nowhere". ${otherWords}`],
    [['search', 'forecast', 'thing'], `No tool matches all words. ${otherWords}`],
    [['search', '+++'], 'Use words with letters or digits.'],
  ])('%j finds nothing, and says why', async (args, hint) => {
    const { run } = await cliProject(files);
    expect(run(...args)).toMatchObject({ status: 0, json: { status: true, matchCount: 0, tools: [], hint } });
  });

  test('knows the built-in catalog before init, and sets nothing up', async () => {
    const { run, has } = await cliProject();
    expect(run('search', 'exchange', 'rates').json).toMatchObject({
      tools: [{ name: 'frankfurter_getRates' }, {}, {}],
    });
    expect([has('home/config.json'), has('home/schemas'), has('project/.schemakit')]).toEqual([false, false, false]);
  });

  test('without schemas it says how to get some', async () => {
    const { run } = await cliProject({ 'home/config.json': '{}' });
    expect(run('search', 'x').json).toMatchObject({ hint: 'No schemas yet. Run: schemakit init' });
  });

  test.each([
    [['search', '--limit', '0', 'x'], 'expected a whole number from 1 to 1000'],
    [['search', '--limit', '1001', 'x'], 'expected a whole number from 1 to 1000'],
    [['search', '--limit', 'ten', 'x'], 'expected a whole number from 1 to 1000'],
    [['search', '--limit'], 'limit'],
    [['search', '--limt', '3', 'x'], 'did you mean --limit?'],
  ])('%j is refused', async (args, error) => {
    const { run } = await cliProject(files);
    const { status, json } = run(...args);
    expect(status).toBe(2);
    expect(json).toMatchObject({ status: false, fix: 'Run: schemakit search --help' });
    expect(json.error).toContain(error);
  });

  test('without words it says what to type', async () => {
    const { run } = await cliProject(files);
    const { status, json } = run('search');
    expect({ status, json }).toMatchObject({ status: 2, json: { error: 'search needs words.' } });
    expect(json.fix).toBe('Run: schemakit search exchange rates. All schemas: schemakit schemas');
  });

  test('a name that two tools would have is given as a reference, which can be added', async () => {
    const { run } = await cliProject({
      'home/config.json': '{}',
      'home/schemas/a b/shop.mjs': shopSchema(),
      'home/schemas/other/shop.mjs': shopSchema(),
    });
    const { tools } = run('search', 'thing').json as { tools: { name: string; add: string }[] };
    expect(tools.map(({ add }) => add).sort()).toEqual([
      "schemakit add 'a b/shop.mjs::tool::getThing'",
      'schemakit add other/shop.mjs::tool::getThing',
    ]);
    expect(run('add', 'a b/shop.mjs::tool::getThing').status).toBe(0);
    expect(names(run('list').json)).toEqual(['a b/shop.mjs::tool::getThing']);
  });

  test.runIf(hasTerminal)('at a terminal it is a table, with what is active and what is missing', async () => {
    const { folder, home, run } = await cliProject(files);
    run('add', 'shop_getThing');
    const { screen, status } = await runAtTerminal(['search', 'get'], '', {
      cwd: folder,
      env: { SCHEMAKIT_HOME: home, NO_COLOR: '1' },
    });
    expect(status).toBe(0);
    expect(screen.replaceAll('\r', '').trim().split('\n')).toEqual([
      'Tool                 Description',
      'shop_getThing        Tool getThing [active]',
      'weather_getForecast  Forecast for a town [needs WEATHER_KEY]',
      '',
      'Show a tool: schemakit describe <tool>. Activate it: schemakit add <tool>. Then call it: schemakit call <tool>',
    ]);
  });
});

describe('schemakit schemas', () => {
  test('lists sources, schemas and tools, those that do not load too', async () => {
    const { run, home } = await cliProject({
      'home/config.json': JSON.stringify({ sources: { lib: { type: 'builtin' } } }),
      'home/schemas/lib/deep/shop.mjs': shopSchema(['getThing', 'listThings'], { requiredServerParams: ['SHOP_KEY'] }),
      'home/schemas/lib/skill.mjs': 'export const skill = {};',
      'project/schemas/broken.mjs': 'export const main = {',
    });
    mkdirSync(join(home, 'schemas/empty'));
    const { status, json } = run('schemas');
    expect(status).toBe(0);
    expect(json).toEqual({
      status: true,
      sources: [
        {
          name: 'schemas',
          type: 'own',
          repository: null,
          schemaCount: 1,
          toolCount: 0,
          schemas: [
            {
              ref: 'schemas/broken.mjs',
              file: 'broken.mjs',
              namespace: '',
              name: '',
              requiredServerParams: [],
              tools: [],
              messages: [expect.any(String)],
            },
          ],
        },
        { name: 'empty', type: 'own', repository: null, schemaCount: 0, toolCount: 0, schemas: [] },
        {
          name: 'lib',
          type: 'builtin',
          repository: null,
          schemaCount: 1,
          toolCount: 2,
          schemas: [
            {
              ref: 'lib/deep/shop.mjs',
              file: 'deep/shop.mjs',
              namespace: 'shop',
              name: 'Shop',
              requiredServerParams: ['SHOP_KEY'],
              tools: [
                { type: 'tool', toolName: 'getThing' },
                { type: 'tool', toolName: 'listThings' },
              ],
            },
          ],
        },
      ],
    });
  });

  test('without schemas there are no sources; arguments are refused', async () => {
    const { run } = await cliProject({ 'home/config.json': '{}' });
    expect(run('schemas').json).toEqual({ status: true, sources: [] });
    expect(run('schemas', 'lib')).toMatchObject({ status: 2, json: { status: false } });
  });
});
