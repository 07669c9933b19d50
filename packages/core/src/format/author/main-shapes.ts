import type { JsonObject } from '../json.ts';
import {
  anything,
  type Definition,
  either,
  filledText,
  list,
  listOrMap,
  map,
  named,
  type Shape,
  template,
  text,
} from './shape.ts';

const tools = map(named('Tool', 'tools'), { key: 'tool' });
const skill = named('SkillReference');
const namedSkill: Shape = {
  schema: { ...skill.schema, required: ['name'] },
  type: `${skill.type} & { name: string }`,
  words: skill.words,
};

/** Names and values of headers. RFC 9110, 5.5 and 5.6.2: names are tokens, values are one line. Numbers and booleans are sent as their text. */
export const headers: Shape = {
  schema: {
    type: 'object',
    propertyNames: { pattern: "^[!#$%&'*+\\-.\\^_`|~0-9A-Za-z]+$" },
    additionalProperties: {
      type: ['string', 'number', 'boolean'],
      pattern: '^[^\\u0000-\\u0008\\u000A-\\u001F\\u007F-\\u009F]*$',
    },
  },
  type: '{ [header: string]: string | number | boolean }',
  words: 'object of text',
};

const filled = { type: ['object', 'array'], minProperties: 1, minItems: 1 };

/** The object has the field, with something in it. */
function has(field: string): JsonObject {
  return { required: [field], properties: { [field]: filled } };
}

export const mainDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'SchemaMain',
    about: 'The export `main` of a schema file: an API, described as data.',
    section: '2.1',
    fields: {
      namespace: {
        shape: text({ pattern: '^[a-z]+$' }),
        about: 'The provider, in the letters a to z only. First part of every tool name.',
        missing: 'error',
        examples: ['openmeteo'],
      },
      name: { shape: filledText(), about: 'The name that people read.', missing: 'error' },
      description: { shape: filledText(), about: 'What the API offers. Models read it.', missing: 'error' },
      version: {
        shape: text({
          pattern: '^[23]\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.\\-]+)?(\\+[0-9A-Za-z.\\-]+)?$',
          type: `${template(['3.', '.', ''], 'number')} | ${template(['2.', '.', ''], 'number')}`,
        }),
        about:
          'The version of the format: `3.0.0`. All three parts, no leading `v`. Not the version of your schema. `2.0.0` has `routes` in place of `tools`.',
        missing: 'error',
        examples: ['3.0.0'],
      },
      root: {
        shape: text({ pattern: '^$|\\S' }),
        about:
          'Base URL of the API, without a slash at its end; the `path` of a tool is appended. May hold `{{NAME}}` for a server parameter. `local://name` where no tool needs HTTP; a schema without tools needs none.',
        missing: 'error',
        isRuled: true,
        examples: ['https://api.example.com/v1', 'local://name'],
        see: '[`root`](#root)',
      },
      tools: {
        shape: tools,
        about: 'Tool name to tool. May be empty beside `resources`, `skills` or `prompts`.',
        missing: 'error',
        isRuled: true,
        see: '[Tools](#tools)',
      },
      requiredServerParams: {
        shape: list(text()),
        about: 'Names of the secrets that the API needs. Write `[]` when there are none.',
        missing: 'warning',
        examples: [[], ['API_KEY']],
      },
      requiredLibraries: {
        shape: list(text()),
        about: 'Names of the libraries that the handlers use. Write `[]` when there are none.',
        missing: 'warning',
        examples: [[], ['ethers']],
      },
      headers: {
        shape: headers,
        about:
          'Headers of every request. A value may hold `{{NAME}}` for a server parameter. Write `{}` when there are none.',
        missing: 'warning',
        examples: [{}, { Accept: 'application/json' }, { Authorization: 'Bearer {{API_KEY}}' }],
        see: '[Headers](#headers)',
      },
      docs: { shape: list(text()), about: 'Links to the documentation of the API.' },
      tags: { shape: list(text()), about: 'Words to find the schema by.' },
      sharedLists: {
        shape: list(either(filledText(), named('SharedListReference', 'reference'))),
        about: 'The shared lists that enums and handlers use.',
        section: '2.6',
        see: '[Shared lists](#shared-lists)',
      },
      resources: {
        shape: map(named('Resource', 'resources'), { key: 'resource' }),
        about: 'Databases to query and documents to read, by name.',
        see: '[resources.md](resources.md)',
      },
      skills: {
        shape: listOrMap(namedSkill, skill, { key: 'skill', words: 'object of skills' }),
        about: 'Workflows for models, by name. Served as MCP prompts.',
        see: '[prompts.md](prompts.md)',
      },
      prompts: {
        shape: map(named('PromptReference', 'prompts'), { key: 'prompt' }),
        about: 'Texts that explain the tools, by name. Served as MCP prompts.',
        see: '[prompts.md](prompts.md)',
      },
      meta: { shape: anything, about: 'Notes of your own. Accepted, not used.' },
      routes: {
        shape: tools,
        about: 'The name that `tools` had in format 2. Never beside `tools`.',
        deprecated: 'Write `tools`.',
      },
    },
    // `tools` and `root` may be left out together where nothing calls an API, and `routes` may stand for `tools`.
    rules: {
      anyOf: ['tools', 'routes', 'resources', 'skills', 'prompts'].map(has),
      not: { required: ['tools', 'routes'] },
      if: { anyOf: ['tools', 'routes'].map(has) },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['root'] },
    },
  },
];
