import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemoApi } from '../../packages/cli/src/commands/demo/demo-api.ts';
import { readCatalogSchema } from './peers/catalog-schema.ts';
import { connectToSchema, type SchemakitClient } from './peers/schemakit-client.ts';

const schema = await readCatalogSchema('demo/garden.mjs');
const GARDEN_API_KEY = 'trowel-and-twine-4848';

describe('the demo schema and the demo API', () => {
  let api: Awaited<ReturnType<typeof startDemoApi>> | undefined;
  let server: SchemakitClient;

  beforeAll(async () => {
    api = await startDemoApi({ apiKey: GARDEN_API_KEY });
    server = await connectToSchema({ file: schema.file, root: api.url, env: { GARDEN_API_KEY } });
  });
  afterAll(async () => {
    await server?.close();
    await api?.close();
  });

  const call = async (tool: string, args?: Record<string, unknown>) =>
    (await schema.call(server, tool, args)).structuredContent;

  test('callers see the inputs that are theirs, with bounds, choices and defaults', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(schema.toolNames.toSorted());
    const inputs = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.properties]));
    expect(inputs.garden__searchPlants).toMatchObject({
      q: { type: 'string', description: expect.any(String) },
      sort: { enum: ['name', 'height', 'sowing'], default: 'name' },
      limit: { minimum: 1, maximum: 50, default: 10 },
    });
    expect(Object.keys(inputs.garden__listHarvests ?? {})).toEqual(['bed']);
  });

  test.each(schema.cases)('$tool: $about', async ({ tool, args }) => {
    expect(await call(tool, args)).toBeTypeOf('object');
  });

  test('each answer is the one of its endpoint', async () => {
    expect(await call('searchPlants', { q: 'allium', sort: 'height', limit: 1 })).toMatchObject({
      total: 3,
      plants: [{ id: 'leek' }],
    });
    expect(await call('getPlant', { id: 'tomato' })).toMatchObject({ name: 'Tomato "Salt & Pepper"' });
    expect(await call('logHarvest', { plant: 'sunflower', grams: 250 })).toMatchObject({ grams: 250, note: null });
    expect(await call('listHarvests', { bed: 'south' })).toMatchObject({
      unit: 'kg',
      harvests: expect.arrayContaining([expect.objectContaining({ plant: 'sunflower', amount: 0.25 })]),
    });
    expect(await call('getCalendar', { month: 3 })).toMatchObject({
      tasks: expect.arrayContaining([{ kind: 'sow', plant: 'tomato', name: 'Tomato "Salt & Pepper"' }]),
    });
  });

  test.each([
    ['readSoil', { bed: 'greenhouse' }, 'the sensor in the greenhouse does not answer'],
    ['getPlant', { id: 'triffid' }, 'nothing called triffid grows here'],
    ['readSoil', { bed: 'moon' }, 'greenhouse'],
    ['searchPlants', { limit: 51 }, 'limit'],
    ['getPlant', {}, 'id'],
  ])('%s with %j is an error that says why', async (tool, args, words) => {
    const result = await server.client.callTool({ name: `garden__${tool}`, arguments: args });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(words);
  });

  test('the key reaches the API and nobody else', async () => {
    const written = [
      await server.client.listTools(),
      await call('logHarvest', { plant: 'kale', grams: 5 }),
      server.log(),
    ];
    expect(JSON.stringify(written)).not.toContain(GARDEN_API_KEY);
  });
});
