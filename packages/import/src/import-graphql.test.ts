import { SchemaKit } from '@schemakit/core';
import { buildSchema, introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { hardSdl } from './fixtures/hard-graphql.ts';
import { importApi, importGraphql } from './index.ts';

const server = 'https://api.pets.example.com/v1/graphql';
const hard = importGraphql(hardSdl, { server });

interface WrittenTool {
  path: string;
  description: string;
  parameters: { position: { key: string; value: string }; z: { primitive: string; options: string[] } }[];
  annotations?: object;
  output: { schema: unknown };
}

/** The tools of imported files by name. */
async function toolsIn(files: Readonly<Record<string, string>>): Promise<Record<string, WrittenTool>> {
  const mains = Object.entries(files).flatMap(async ([path, text]) => {
    if (!path.endsWith('.mjs')) return {};
    const { main } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(SchemaKit.validateMain({ main }).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    return main.tools;
  });
  return Object.assign({}, ...(await Promise.all(mains)));
}

async function toolsOf(sdl: string): Promise<Record<string, WrittenTool>> {
  return toolsIn(importGraphql(sdl, { server }).files);
}

/** The operation of a tool in one line. */
function operationOf(tool: WrittenTool | undefined): string {
  const fixed = tool?.parameters.find(({ position }) => position.key === 'graphql-operation');
  return fixed?.position.value.replace(/\s+/g, ' ') ?? '';
}

/** The shapes of what callers give. */
function shapesOf(tool: WrittenTool | undefined): Record<string, string> {
  const inputs = tool?.parameters.filter(({ position }) => position.value === '{{USER_PARAM}}') ?? [];
  return Object.fromEntries(
    inputs.map(({ position, z }) => [position.key, [z.primitive.replace(/\s+/g, ' '), ...z.options].join(' ')]),
  );
}

function omissionsAt(place: string): string[] {
  return hard.omissions.flatMap(({ code, pointer, message }) => (pointer === place ? [`${code} ${message}`] : []));
}

describe('a schema with hard things', async () => {
  const tools = await toolsIn(hard.files);

  test('has a tool for each query and mutation, but for files', () => {
    expect(hard.messages).toEqual([
      expect.stringMatching(/^IMP031 the schema is not valid: line \d+, column \d+: Name "__proto"/),
      'IMP033 a GraphQL schema does not say which credentials the endpoint needs',
    ]);
    const schema = buildSchema(hardSdl, { assumeValidSDL: true, assumeValid: true });
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(Object.keys(tools)).toHaveLength(fields.length - 2);
    expect(omissionsAt('Changes.attach(file:)')).toEqual([
      'IMP013 mutation attach: the argument file, which is a file',
    ]);
    expect(omissionsAt('Root.upload(files:)')).toEqual(['IMP020 the argument files, which is a file']);
    expect(omissionsAt('Events.petBorn')).toEqual([
      'IMP024 the subscription petBorn, which the API answers again and again',
    ]);
  });

  test.each([
    ['a query and a mutation with one name', /^(query|mutation)Pets$/, 2],
    ['names that are the same in camelCase', /^query(Pet|SnakeCase)_[0-9a-f]{6}$/, 4],
    ['names of JavaScript', /^(constructor|toString|proto|default)$/, 4],
    ['a name that is too long', /^aVeryLong\w{40,}_[0-9a-f]{6}$/, 1],
  ])('%s', (_, names, count) => {
    expect(Object.keys(tools).filter((name) => names.test(name))).toHaveLength(count);
  });

  test('operations ask for values first, and no deeper than three levels', () => {
    const pets = operationOf(tools.queryPets);
    expect(pets).toContain('query pets($first: Int, $after: String, $filter: PetFilter, $sort: [Sort!])');
    expect(pets).toContain(
      'totalCount edges { since node { id name weight kind born meta size owner { id name size tags home { city } } toys(limit: 10) { label size { cm } } } } pageInfo { hasNextPage endCursor } }',
    );
    expect(omissionsAt('Pet.photo')).toEqual(['IMP032 not asked for (needs arguments: width)']);
    expect(omissionsAt('Pet.nickname')).toEqual(['IMP032 not asked for (deprecated)']);
    expect(omissionsAt('Address.country')).toContain('IMP032 not asked for (below level 3 of an answer)');
    expect(omissionsAt('Pet.friends')).toContain('IMP032 not asked for (leads back to Pet)');
    expect(operationOf(tools.wide).match(/field\d+/g)).toHaveLength(60);
    expect(omissionsAt('Wide.field60')).toEqual(['IMP032 not asked for (more than 60 fields)']);
    expect(operationOf(tools.tree)).toBe('query tree { tree { value } }');
    expect(operationOf(tools.pages)).toContain('pages { nodes { __typename id');
    // All that it has is too deep.
    expect(operationOf(tools.empty)).toBe('query empty { empty { __typename } }');
  });

  test('types of a union have fragments, and names of their own where fields differ', () => {
    const search = operationOf(tools.search);
    expect(search).toMatch(
      /search\(text: \$text, kinds: \$kinds\) \{ __typename \.\.\. on Pet \{ id name_Pet: name weight/,
    );
    expect(search).toContain('... on Shelter { id size_Shelter: size');
    expect(tools.search?.output.schema).toMatchObject({
      type: 'array',
      items: { properties: { size_Shelter: { type: 'array', nullable: true }, size_Pet: { type: 'integer' } } },
    });
    expect(operationOf(tools.node)).toContain('__typename id ... on Pet {');
  });

  test('arguments are parameters, with the shapes of their types', () => {
    expect(shapesOf(tools.queryPets)).toEqual({
      first: 'integer() default(10)',
      after: 'string() optional()',
      filter: expect.stringContaining(
        'kind: enum(CAT,DOG,true_,in,of,typeof).nullable().optional(), weight: object({ min: number().nullable().default(0.5), max: number().nullable().optional() })',
      ),
      sort: "array(object({ by: enum(NAME,AGE), direction: enum(ASC,DESC).nullable().default('ASC') })) optional()",
    });
    expect(shapesOf(tools.node).by).toMatch(
      /^union\( object\(\{ id: string\(\) \}\), object\(\{ name: object\(.*\) \}\), object\(\{ list: array\(integer\(\)\) \}\) \)$/,
    );
    expect(shapesOf(tools.petsByIds)).toEqual({ ids: 'array(array(string()))' });
    expect(shapesOf(tools.since).at).toBe(
      'union(string(), number(), boolean(), object()) describe((DateTime, https://scalars.graphql.org/andimarek/date-time))',
    );
    expect(shapesOf(tools.search).text).toBe('string() default(a "quoted" (text)\nwith lines)');
    expect(shapesOf(tools.graphql)).toEqual({
      graphql: 'string() optional()',
      struct: 'integer() optional()',
      body: 'number() optional()',
      constructor: 'boolean() optional()',
    });
    expect(omissionsAt('PetFilter.and')).toContain('IMP022 parts of a circular value');
    expect(omissionsAt('PetFilter.file')).toEqual(['IMP020 a member that has a file']);
    expect(omissionsAt('SortBy.HEIGHT')).toEqual(['IMP020 a deprecated value']);
    expect(shapesOf(tools.only)).toEqual({});
  });

  test('queries only read, deprecated ones say so, and texts cannot be placeholders', () => {
    expect(tools.queryPets?.annotations).toEqual({ readOnlyHint: true });
    expect(tools.createPet?.annotations).toBeUndefined();
    expect(tools.old?.description).toBe('Deprecated: Use { {pet}}.');
    for (const text of Object.values(hard.files)) expect(text.replaceAll('{{USER_PARAM}}', '')).not.toContain('{{');
  });
});

test('the same from SDL, from an answer to introspection, and again', () => {
  const sdl = printSchema(
    buildSchema(
      'type Query { pets(kind: Kind = CAT, in: In): [Pet] } enum Kind { CAT DOG } input In { a: [Int!] = [1] } type Pet { name: String }',
    ),
  );
  const introspection = introspectionFromSchema(buildSchema(sdl));
  const from = [
    sdl,
    `\uFEFF# A comment\n${sdl}`,
    introspection,
    { data: introspection },
    JSON.stringify({ data: introspection }),
  ];
  const [first, ...others] = from.map((source) => importGraphql(source, { server }));
  expect(first?.status).toBe(true);
  for (const other of others) expect(other).toEqual(first);
  for (const source of from) if (typeof source === 'string') expect(importApi(source, { server })).toEqual(first);
});

test('names do not depend on the order of the schema', () => {
  const schema = buildSchema(hardSdl, { assumeValidSDL: true, assumeValid: true });
  const sorted = importGraphql(printSchema(lexicographicSortSchema(schema)), { server });
  const placesOf = ({ tools }: typeof hard) => tools.map(({ name, file }) => `${file} ${name}`).sort();
  expect(placesOf(sorted)).toEqual(placesOf(hard));
});

test('300 queries are divided by what they are about', async () => {
  const nouns = Array.from({ length: 60 }, (_, index) => `Noun${String.fromCharCode(97 + (index % 26))}${index}`);
  const queries = nouns.flatMap((noun) =>
    ['get', 'list', 'count', 'find', 'latest'].map((verb) => `${verb}${noun}: ${noun}`),
  );
  const sdl = `type Query { ${queries.join(' ')} } ${nouns.map((noun) => `type ${noun} { id: ID }`).join(' ')}`;
  const { tools, files } = importGraphql(sdl, { server });
  expect(tools).toHaveLength(300);
  const counts = Map.groupBy(tools, ({ file }) => file);
  for (const [, own] of counts) expect(own.length).toBeLessThanOrEqual(8);
  expect(counts.size).toBe(60);
  expect(
    tools
      .filter(({ file }) => file === 'queries-nouna0.mjs')
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['count', 'find', 'get', 'latest', 'list'].map((verb) => `pets__${verb}Nouna0`));
  expect(Object.keys(files)).toHaveLength(60);
  const selected = importGraphql(sdl, { server, select: ['query list*', 'getNouna0'] });
  expect(selected.tools).toHaveLength(61);
});

test('a schema that is not valid is imported as far as it goes', async () => {
  const { status, messages, tools } = importGraphql('type Query { a: Int __proto__: Int } type Mutation', { server });
  expect(status).toBe(true);
  expect(messages).toEqual([
    expect.stringMatching(/^IMP031 the schema is not valid: .*Mutation/),
    expect.stringContaining('IMP033'),
  ]);
  expect(tools.map(({ name }) => name)).toEqual(['pets__proto', 'pets__a']);
  const federated = await toolsOf('type Query { pet: Pet } type Pet @key(fields: "id") { id: ID! @external }');
  expect(operationOf(federated.pet)).toBe('query pet { pet { id } }');
});

describe('what cannot be imported', () => {
  test.each<[string, string | object, string, string]>([
    [
      'a mistake, with its line',
      'type Query {\n  a:: Int\n}',
      'IMP030',
      'line 2, column 5: Syntax Error: Expected Name, found ":".',
    ],
    ['a type that is not there', 'type Query { a: Foo, b: Bar }', 'IMP030', 'Unknown type "Foo". (and 1 more)'],
    ['HTML', '<!doctype html><title>GraphiQL</title>', 'IMP030', 'the document is HTML or XML'],
    ['nothing', ' ', 'IMP030', 'the schema is empty'],
    ['no query type', 'type Pet { name: String }', 'IMP004', 'the schema has no queries and no mutations'],
    [
      'a refused introspection',
      { errors: [{ message: 'not allowed' }] },
      'IMP030',
      'the JSON has no `__schema`: not allowed',
    ],
    ['a part of an introspection', { __schema: { types: [{}] } }, 'IMP030', expect.any(String) as never],
    ['JSON that is cut', '{"data":{"__schema":', 'IMP030', expect.stringContaining('JSON') as never],
    ['100 MB', `# ${'x'.repeat(100 * 2 ** 20)}\ntype Query { a: Int }`, 'IMP003', 'the schema is larger than 50 MiB'],
    [
      'types in types without end',
      `type Query { a: ${'['.repeat(50_000)}Int${']'.repeat(50_000)} }`,
      'IMP030',
      expect.any(String) as never,
    ],
  ])('%s', (_, source, code, message) => {
    const { findings, files } = importGraphql(source, { server });
    expect(findings).toMatchObject([{ code, message, hint: expect.any(String) }]);
    expect(files).toEqual({});
  });

  it('asks where the endpoint is', () => {
    expect(importApi('type Query { a: Int }').findings).toMatchObject([
      { code: 'IMP005', hint: expect.stringContaining('--server') },
    ]);
  });

  it('takes descriptions of OpenAPI for what they are', () => {
    const yaml = 'openapi: 3.1.0\ninfo:\n  title: Pets\n  description: |\n    type Query { a: Int }\npaths: {}\n';
    expect(importApi(yaml).findings).toMatchObject([{ code: 'IMP004', message: 'the document has no operations' }]);
  });
});
