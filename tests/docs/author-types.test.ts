import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { projectFolder, readPage } from './markdown.ts';
import { execute } from './page-folder.ts';

const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  lib: ['es2024', 'dom'],
  types: [],
  strict: true,
  noImplicitAny: false,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  pretty: false,
};

/** The parts of a schema file that mistakes are made in. */
interface Parts {
  version?: string;
  main?: string;
  tools?: string;
  tool?: string;
  parameter?: string;
  handlers?: string;
}

/** A schema file whose `main` and `handlers` are declared as the documentation says. */
function schemaFile({
  version = '3.0.0',
  main = '',
  tool = "method: 'GET',",
  parameter = userParam,
  tools = `listPeaks: { ${tool} path: '/peaks', description: 'List.', parameters: [${parameter}] }`,
  handlers = '',
}: Parts): string {
  return `/** @satisfies {import('@schemakit/core').SchemaMain} */
export const main = {
  namespace: 'peaks', name: 'Peaks', description: 'Mountains.', version: '${version}', root: 'https://peaks.example.com',
  tools: { ${tools} },
  ${main}
};
/** @type {import('@schemakit/core').HandlersFactory<typeof main>} */
export const handlers = ({ sharedLists, libraries }) => ({ ${handlers} });
`;
}

const userParam = `{
  position: { key: 'unit', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'enum(m,ft)', options: ['default(m)'] },
}`;

const position = "position: { key: 'a', value: '{{USER_PARAM}}', location: 'query' }";
const z = "z: { primitive: 'string()', options: [] }";

const accepted: Readonly<Record<string, Parts>> = {
  'all that is usual': {
    main: "requiredServerParams: ['KEY'], requiredLibraries: [], headers: { 'X-Key': '{{KEY}}' }, docs: [], tags: ['a'],",
  },
  'an enum without values in it': {
    parameter: `{ ${position}, z: { primitive: 'enum()', options: ['values(a,b)'] } }`,
  },
  'an enum with quotes': { parameter: `{ ${position}, z: { primitive: "enum(['a','b'])", options: [] } }` },
  'an enum from a list': {
    main: "sharedLists: ['evmChains', { ref: 'units', version: '1.0.0', filter: { key: 'alias', exists: true } }],",
    parameter: `{ ${position}, z: { primitive: 'enum({{units:alias}})', options: [] } }`,
  },
  'several options in one text': {
    parameter: `{ ${position}, z: { primitive: 'number()', options: ['optional(), default(1000)'] } }`,
  },
  'text that is put together': {
    parameter: `{ ${position}, z: { primitive: \`enum(\${['a', 'b'].join(',')})\`, options: [\`max(\${2 * 5})\`] } }`,
  },
  'a location of other files': {
    parameter: `{ position: { key: 'a', value: '{{USER_PARAM}}', location: 'template' }, ${z} }`,
  },
  'placeholders with text around them': {
    parameter: `{ position: { key: 'q', value: 'site:{{SITE}}', location: 'query' }, ${z} },
      { position: { key: 'key', value: '{{SERVER_PARAM:KEY}}', location: 'query' }, ${z} }`,
  },
  'the short form of parameters': {
    tools: `getPeak: { method: 'GET', path: '/:id', description: 'Get.', parameters: { id: { type: 'string', required: true } } }`,
  },
  'an answer in the words of JSON Schema': {
    tool: `method: 'GET', output: { mimeType: 'application/ld+json', schema: {
      type: 'object', additionalProperties: true, properties: { a: { type: 'string', format: 'date', nullable: true }, b: { oneOf: [] } },
    } }, tests: [{ _description: 'All', unit: 'm' }], preload: { enabled: true, ttl: 3600 },`,
  },
  'resources, skills and prompts': {
    main: `resources: { places: { source: 'sqlite', origin: 'inline', name: 'places.db', description: 'Places.', queries: { find: {
        sql: 'SELECT ?', description: 'Find.', output: { columns: ['a'] }, tests: [],
        parameters: [{ position: { key: 'a', value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } }],
      } } } },
      skills: { 'plan-hike': { file: './skills/plan-hike.mjs' } }, prompts: { about: { contentFile: './prompts/about.mjs' } },`,
    handlers: 'places: { find: { postRequest: ({ response }) => ({ response: response.slice(0, 5) }) } }',
  },
  'hooks with params and response': {
    handlers: `listPeaks: {
      preRequest: async ({ params }) => ({ params: { ...params, unit: params.unit.toUpperCase() } }),
      postRequest: ({ response }) => ({ response: response.trim().split(' ') }),
    }`,
  },
  'hooks with struct and payload': {
    handlers: `listPeaks: {
      preRequest: async ({ struct, payload }) => {
        struct.url = struct.url.replace('--chain--', payload.chain);
        struct.body = { query: '{ peaks }', variables: { first: payload.first } };
        struct.queryParams = { key: struct.serverParams.KEY };
        return { struct, payload };
      },
      executeRequest: async ({ struct, payload }) => {
        const { userParams, serverParams, headers } = payload;
        const answer = await fetch(payload.url, { headers });
        struct.data = [await answer.json(), userParams._allParams, serverParams.KEY];
        struct.messages.push('done');
        return { struct };
      },
      postRequest: async ({ response, struct }) => {
        if (!response.errors) return { response: response.data.map((peak) => peak.name) };
        struct.status = false;
        return { struct };
      },
    }`,
  },
  'hooks that return nothing': {
    handlers:
      'listPeaks: { preRequest: async ({ struct }) => { struct.method = "POST"; }, postProcess: ({ data }) => data.length }',
  },
};

const refused: Readonly<Record<string, readonly [Parts, complaint: string]>> = {
  'a misspelt location': [
    { parameter: `{ position: { key: 'a', value: '{{USER_PARAM}}', location: 'qery' }, ${z} }` },
    `Did you mean '"query"'?`,
  ],
  'a misspelt field of position': [
    { parameter: `{ position: { key: 'a', value: '{{USER_PARAM}}', locaton: 'query' }, ${z} }` },
    "Did you mean to write 'location'?",
  ],
  'a tool without a method': [{ tool: '' }, "Property 'method' is missing"],
  'a method that is none': [{ tool: "method: 'GTE'," }, `Type '"GTE"' is not assignable`],
  'a parameter without z': [{ parameter: `{ ${position} }` }, "Property 'z' is missing"],
  'a parameter without position': [{ parameter: `{ ${z} }` }, "Property 'position' is missing"],
  'a misspelt primitive': [
    { parameter: `{ ${position}, z: { primitive: 'sting()', options: [] } }` },
    `Did you mean '"string()"'?`,
  ],
  'an option that is none': [
    { parameter: `{ ${position}, z: { primitive: 'string()', options: ['minimum(3)'] } }` },
    `Type '"minimum(3)"' is not assignable to type 'ZOption'`,
  ],
  'a path without its slash': [
    { tools: "a: { method: 'GET', path: 'a', description: 'A.', parameters: [] }" },
    `Type '"a"' is not assignable`,
  ],
  'a version of something else': [{ version: 'v1' }, `Type '"v1"' is not assignable`],
  'a misspelt field of main': [
    { main: "requiredServerParam: ['KEY']," },
    "Did you mean to write 'requiredServerParams'?",
  ],
  'a misspelt field of a tool': [{ tool: "method: 'GET', ouput: {}," }, "Did you mean to write 'output'?"],
  'headers in an array': [{ main: "headers: ['Accept: text/plain']," }, "Type 'string[]' is not assignable"],
  'a list reference without its name': [{ main: "sharedLists: [{ version: '1.0.0' }]," }, "Property 'ref' is missing"],
  'a query with a location': [
    {
      main: `resources: { p: { source: 'sqlite', name: 'p.db', queries: { f: { sql: 'SELECT ?', parameters: [{ ${position}, ${z} }] } } } },`,
    },
    'error',
  ],
  'a handler for no tool': [
    { handlers: 'lstPeaks: { postRequest: ({ response }) => ({ response }) }' },
    "has no properties in common with type 'Handlers<",
  ],
  'a misspelt hook': [{ handlers: 'listPeaks: { postReqest: () => ({}) }' }, "Did you mean to write 'postRequest'?"],
  'a hook that returns something else': [
    { handlers: 'listPeaks: { postRequest: ({ response }) => ({ respnse: response }) }' },
    "Type '{ respnse: any; }' is not assignable",
  ],
};

const schemas = globSync(['catalog/**/*.mjs', 'examples/**/*.mjs'], { cwd: projectFolder })
  .filter((file) => /^export const main\b/m.test(readPage(file)))
  .sort();

/** A schema of the project up to its handlers, with types on its main and on the parameters that stand in constants. */
function annotated(file: string): string {
  const [main = ''] = readPage(file).split(/^export const handlers\b/m);
  const typed = (name: string) => `/** @type {import('@schemakit/core').${name}} */\n$&`;
  return main
    .replace(/^export const main\b/m, typed('SchemaMain'))
    .replace(/^const \w+ = \{\s*position:/gm, typed('Parameter'));
}

/** What the compiler says, by the file that it says it about. */
async function compile(files: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-types-'));
  try {
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'dir');
    const config = { compilerOptions, include: ['**/*.mjs', '**/*.ts'] };
    for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(config) })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const { stdout } = await execute('tsc', [], folder);
    const said = new Map<string, string>();
    for (const [, file = '', complaint = ''] of stdout.matchAll(
      /^(\S+?)\(\d+,\d+\): (error[\s\S]*?)(?=^\S|(?![\s\S]))/gm,
    )) {
      said.set(file, `${said.get(file) ?? ''}${complaint}`);
    }
    return said;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nameOf(kind: string, title: string): string {
  return `${kind}/${title.replaceAll(' ', '-')}.mjs`;
}

describe('the compiler, on schema files with types', () => {
  let said: ReadonlyMap<string, string>;
  beforeAll(async () => {
    said = await compile({
      ...Object.fromEntries(
        Object.entries(accepted).map(([title, parts]) => [nameOf('good', title), schemaFile(parts)]),
      ),
      ...Object.fromEntries(
        Object.entries(refused).map(([title, [parts]]) => [nameOf('bad', title), schemaFile(parts)]),
      ),
      ...Object.fromEntries(schemas.map((file) => [file, annotated(file)])),
    });
  });

  test.each(Object.keys(accepted))('accepts %s', (title) => {
    expect(said.get(nameOf('good', title))).toBeUndefined();
  });

  test.each(Object.entries(refused))('finds %s', (title, [, complaint]) => {
    expect(said.get(nameOf('bad', title))).toContain(complaint);
  });

  test.each(schemas)('has nothing against main in %s', (file) => {
    expect(said.get(file)).toBeUndefined();
  });
});

test('the project in examples/typed-schema compiles', async () => {
  const { exitCode, stdout } = await execute('tsc', [], join(projectFolder, 'examples', 'typed-schema'));
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
});
