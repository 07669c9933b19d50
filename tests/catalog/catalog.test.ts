import { checkOutput, SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RecordedAnswer, readRecordedAnswer } from './recorded-answer.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';
import {
  catalogFolder,
  type PublicSchema,
  type ReplayedCatalog,
  readPublicSchemas,
  replayCatalog,
  serverParams,
} from './replayed-catalog.ts';

const schemas = await readPublicSchemas();
const named = schemas.map((schema) => ({ namespace: schema.main.namespace, schema }));

const calls = await Promise.all(
  schemas.flatMap((schema) =>
    Object.entries(schema.main.tools).flatMap(([tool, { tests = [] }]) =>
      tests.map(async ({ _description: about, ...args }, index) => {
        const recorded = await readRecordedAnswer(schema.main.namespace, tool, index + 1);
        return { name: `${schema.main.namespace}.${tool}-${index + 1}`, about, schema, tool, args, recorded };
      }),
    ),
  ),
);

test('there are at least ten public APIs', () => expect(schemas.length).toBeGreaterThanOrEqual(10));

describe.each(named)('$namespace', ({ namespace, schema }) => {
  test('has a file of its own name, and links to the documentation', () => {
    expect(schema.file).toBe(`${catalogFolder}/${namespace}/${namespace}.mjs`);
    expect(schema.main.docs?.filter((link) => URL.canParse(link) && link.startsWith('https://'))).not.toEqual([]);
  });

  test.each(Object.entries(schema.main.tools))(
    '%s describes its answer and has three tests with answers',
    async (name, tool) => {
      expect(tool.output?.schema).toMatchObject({ type: expect.stringMatching(/^(object|array)$/) });
      expect(tool.tests?.length).toBeGreaterThanOrEqual(3);
      const answers = calls.filter((call) => call.schema === schema && call.tool === name);
      expect(answers.filter(({ recorded }) => recorded === undefined).map(({ name }) => name)).toEqual([]);
    },
  );

  test.each(Object.entries(schema.main.tools))('%s explains each input that callers see', async (_name, tool) => {
    const parameters = Array.isArray(tool.parameters) ? tool.parameters : [];
    const unexplained = parameters.filter(
      ({ position, z }) =>
        position.value === '{{USER_PARAM}}' &&
        !z.options.some((option: string) => /^(describe|default|min|max)\(/.test(option)) &&
        !z.primitive.startsWith('enum('),
    );
    expect(unexplained.map(({ position }) => position.key)).toEqual([]);
  });
});

describe('through SchemaKit.fetch', () => {
  let server: ReplayServer;
  let catalog: ReplayedCatalog;

  beforeAll(async () => {
    server = await startReplayServer();
    catalog = await replayCatalog(schemas, server.origin);
  });
  afterAll(async () => {
    await server?.close();
    await catalog?.remove();
  });

  async function call(schema: PublicSchema, tool: string, args: object, { exchanges }: RecordedAnswer) {
    server.expect(exchanges);
    const loaded = await SchemaKit.loadSchema({ filePath: catalog.fileOf(schema), strict: true });
    expect(loaded.messages).toEqual([]);
    return SchemaKit.fetch({ schema: loaded, routeName: tool, userParams: args, serverParams });
  }

  test.each(calls)('$name: $about', async ({ schema, tool, args, recorded = { documentation: '', exchanges: [] } }) => {
    const { status, messages, data } = await call(schema, tool, args, recorded);
    expect(server.complaints()).toEqual([]);
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(checkOutput(data, schema.main.tools[tool]?.output?.schema)).toEqual([]);
    expect(recorded.documentation).toMatch(/^https:\/\//);
  });

  test('another request than the documented one is refused, with what differs', async () => {
    const { schema, tool, args, recorded } =
      calls.find(({ name }) => name === 'nager.listHolidays-1') ?? calls[0] ?? {};
    if (!schema || !tool || !recorded) throw new Error('nager has no recorded answer');
    const { status, messages } = await call(schema, tool, { ...args, year: 2023 }, recorded);
    expect(status).toBe(false);
    expect(messages.join()).toContain('/api/v3/PublicHolidays/2023/PT');
    expect(server.complaints()).toEqual([
      'path: "/api/v3/PublicHolidays/2023/PT" arrived, "/api/v3/PublicHolidays/2024/PT" is documented',
      'GET /api/v3/PublicHolidays/2024/PT was not asked',
    ]);
  });
});
