import { describe, expect, test } from 'vitest';
import { indexOf, parameter, schemaText } from './fixtures/schema-files.ts';

describe('an index', () => {
  test('describes tools as lists show them', async () => {
    const index = await indexOf({
      'shop/orders.mjs': schemaText(
        'shop',
        {
          findOrders: {
            description: 'Orders of a customer',
            parameters: [
              parameter('customer', 'string()', ['min(1)', 'describe(Name or number)']),
              parameter('state', 'enum(open,paid)', ['default(open)']),
            ],
          },
        },
        { name: 'Shop API', tags: ['sales'], requiredServerParams: ['SHOP_KEY'] },
      ),
    });
    expect(index.tools()).toEqual([
      {
        type: 'tool',
        name: 'shop_findOrders',
        mcpName: 'shop__findOrders',
        reference: 'tests/shop/orders.mjs::tool::findOrders',
        namespace: 'shop',
        toolName: 'findOrders',
        part: 'findOrders',
        description: 'Orders of a customer',
        tags: ['sales'],
        parameters: {
          customer: { type: 'string', required: true, description: expect.stringContaining('Name or number') },
          state: { type: 'enum', required: false, values: ['open', 'paid'], default: 'open' },
        },
        requiredServerParams: ['SHOP_KEY'],
        schemaName: 'Shop API',
        source: 'tests',
        file: 'tests/shop/orders.mjs',
        path: expect.stringMatching(/schemas.shop.orders\.mjs$/),
      },
    ]);
  });

  test('includes queries of databases, documents and skills', async () => {
    const skill = `export const skill = ${JSON.stringify({
      name: 'restock',
      version: 'flowmcp-skill/1.0.0',
      description: 'Orders what is short',
      requires: { tools: ['list'], resources: [], external: [] },
      input: [{ key: 'shelf', type: 'string', description: 'Which shelf', required: true }],
      output: 'A list',
      content: 'Use {{tool:list}} for {{input:shelf}}.',
    })};\n`;
    const index = await indexOf({
      'shop.mjs': schemaText(
        'shop',
        { list: 'Lists' },
        {
          requiredServerParams: ['SHOP_KEY'],
          skills: { restock: { file: './skills/restock.mjs' } },
          resources: {
            stock: {
              source: 'sqlite',
              mode: 'in-memory',
              database: './stock.db',
              description: 'What there is',
              queries: {
                byShelf: {
                  sql: 'SELECT * FROM stock WHERE shelf = ?',
                  description: 'What is on a shelf',
                  parameters: [
                    { position: { key: 'shelf', value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } },
                  ],
                  output: { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object' } } },
                  tests: [{ _description: 'One', shelf: 'a' }],
                },
              },
            },
          },
        },
      ),
      'skills/restock.mjs': skill,
    });
    const [schema] = index.schemas();
    expect(schema?.findings).toEqual([]);
    const tools = index.tools();
    expect(tools.find(({ toolName }) => toolName === 'stock_byShelf')).toMatchObject({
      type: 'resource',
      name: 'shop_stock_byShelf',
      reference: 'tests/shop.mjs::resource::stock_byShelf',
      requiredServerParams: [],
      parameters: { shelf: { type: 'string', required: true } },
    });
    expect(tools.find(({ type }) => type === 'skill')).toMatchObject({
      name: 'shop_restock',
      description: 'Orders what is short',
      reference: 'tests/shop.mjs::skill::restock',
      parameters: { shelf: { type: 'string', required: true, description: 'Which shelf' } },
    });
    expect(await index.find('tests/shop.mjs::skill::restock')).toMatchObject({
      outcome: 'match',
      tools: [{ type: 'skill' }],
    });
    expect(await index.find('shop/skill/restock')).toMatchObject({ outcome: 'match', tools: [{ type: 'skill' }] });
    expect(await index.find('shop_restock')).toMatchObject({ outcome: 'match', tools: [{ type: 'skill' }] });
    const resource = await index.find('tests/shop.mjs::resource::stock');
    expect(resource.tools.map(({ toolName }) => toolName)).toContain('stock_byShelf');
    expect(resource.tools.every(({ type }) => type === 'resource')).toBe(true);
    expect(await index.find('shop__stock_byShelf')).toMatchObject({ outcome: 'match', tools: [{ type: 'resource' }] });
    expect(await index.find('tests/shop.mjs::skill::nothing')).toMatchObject({
      status: false,
      outcome: 'none',
      findings: [{ code: 'REF006' }],
    });
  });

  test('lists schemas with errors, without their tools', async () => {
    const index = await indexOf({
      'good.mjs': schemaText('good', { one: 'x', two: 'x' }),
      'bad.mjs': schemaText('bad', { one: 'x' }, { root: 7 }),
      'broken.mjs': 'export const main = {',
      'list.mjs': 'export const list = {};',
      'sub/_draft/other.mjs': schemaText('other', { one: 'x' }),
      '_lists/list.mjs': 'export const list = {};',
      'node_modules/x/y.mjs': schemaText('third', { one: 'x' }),
      '.hidden/y.mjs': schemaText('fourth', { one: 'x' }),
    });
    const schemas = index.schemas();
    expect(schemas.map(({ file, namespace, status }) => [file, namespace, status])).toEqual([
      ['tests/bad.mjs', 'bad', false],
      ['tests/broken.mjs', '', false],
      ['tests/good.mjs', 'good', true],
    ]);
    expect(schemas[0]?.findings).toMatchObject([{ severity: 'error', message: expect.stringContaining('root') }]);
    expect(schemas[2]?.tools).toEqual([
      { type: 'tool', toolName: 'one' },
      { type: 'tool', toolName: 'two' },
    ]);
    expect(index.tools().map(({ name }) => name)).toEqual(['good_one', 'good_two']);
  });

  test('shows the reference instead of an ambiguous name', async () => {
    const index = await indexOf({
      'a.mjs': schemaText('shop', { list: 'x', only: 'x' }),
      'b/b.mjs': schemaText('shop', { list: 'x' }),
    });
    const names = index.tools().map(({ name }) => name);
    expect(names).toEqual(['tests/a.mjs::tool::list', 'shop_only', 'tests/b/b.mjs::tool::list']);
    for (const name of names)
      expect(await index.find(name), name).toMatchObject({ outcome: 'match', tools: [{ name }] });
  });

  test('reports an unknown tool with a suggestion', async () => {
    const index = await indexOf({ 'a.mjs': schemaText('shop', { listOrders: 'x' }) });
    expect(await index.find('shop_listOrdres')).toMatchObject({
      status: false,
      outcome: 'none',
      tools: [],
      findings: [{ code: 'REF006', hint: 'Did you mean shop_listOrders?' }],
    });
  });
});

describe('complete', () => {
  test('proposes names, then files and ids, then parts of a file', async () => {
    const index = await indexOf({
      'a.mjs': schemaText('shop', { list: 'x', find: 'x' }),
      'b.mjs': schemaText('bank', { list: 'x' }),
    });
    expect(index.complete('')).toEqual(['bank_list', 'shop_find', 'shop_list']);
    expect(index.complete('sh')).toEqual(['shop_find', 'shop_list']);
    expect(index.complete('shop__l')).toEqual(['shop__list']);
    expect(index.complete('tests/')).toEqual(['tests/a.mjs', 'tests/b.mjs']);
    expect(index.complete('shop/')).toEqual(['shop/tool/find', 'shop/tool/list']);
    expect(index.complete('tests/a.mjs::')).toEqual(['tests/a.mjs::tool::find', 'tests/a.mjs::tool::list']);
    expect(index.complete('', { limit: 1 })).toEqual(['bank_list']);
    expect(index.complete('zz')).toEqual([]);
  });

  test('finds queries by their older names', async () => {
    const parameters = [
      { position: { key: 'shelf', value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } },
    ];
    const output = { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object' } } };
    const byShelf = {
      sql: 'SELECT * FROM stock WHERE shelf = ?',
      description: 'On a shelf',
      parameters,
      output,
      tests: [],
    };
    const stock = {
      source: 'sqlite',
      mode: 'in-memory',
      database: './stock.db',
      description: 'Stock',
      queries: { byShelf },
    };
    const index = await indexOf({ 'shop.mjs': schemaText('shop', { list: 'Lists' }, { resources: { stock } }) });
    for (const name of ['shop_stock_byShelf', 'byShelf_shop', 'by_shelf_shop', 'byShelf', 'shop/tool/byShelf']) {
      expect([name, (await index.find(name)).tools.map((tool) => tool.name)]).toEqual([name, ['shop_stock_byShelf']]);
    }
    for (const name of ['shop_stock_freeQuery', 'shop__stock_freeQuery', 'tests/shop.mjs::resource::stock_freeQuery']) {
      expect([name, (await index.find(name)).tools.map((tool) => tool.name)]).toEqual([name, ['shop_stock_runSql']]);
    }
  });
});
