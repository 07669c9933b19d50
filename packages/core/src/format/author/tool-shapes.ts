import {
  anything,
  boolean,
  choice,
  count,
  type Definition,
  either,
  type Field,
  filledText,
  list,
  listOrMap,
  map,
  named,
  type Shape,
  suggested,
  template,
  text,
} from './shape.ts';
import { parameterDefinition } from './z-shapes.ts';

const section = '2.2';

/** A fixed value may be written as what it is. */
const numberOrBoolean: Shape = {
  schema: { type: ['number', 'boolean'] },
  type: 'number | boolean',
  words: 'number, true or false',
};

const placeholders = `'{{USER_PARAM}}' | ${template(['{{SERVER_PARAM:', '}}'])} | (string & {})`;

/** `position.value` of a tool's parameter. */
const positionValue: Shape = {
  schema: { type: ['string', 'number', 'boolean'] },
  type: `${placeholders} | ${numberOrBoolean.type}`,
  words: 'text',
};

const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
// A node that stands in a constant of the file has any text as its type for TypeScript.
const nodeType: Shape = {
  ...either(choice(...typeNames), list(choice(...typeNames))),
  type: `${suggested(...typeNames)} | readonly string[]`,
  words: 'text or array of text',
};
const nodes = named('OutputNode', 'node');

/** The fields of a tool, of a schema or of an agent. */
export const toolFields: Readonly<Record<string, Field>> = {
  method: {
    shape: choice('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'),
    about: 'The HTTP method.',
    missing: 'error',
  },
  path: {
    shape: text({ pattern: '^(/|$)', type: `${template(['/', ''])} | ''` }),
    about:
      'Appended to `root`; begins with a slash. May hold placeholders, `{{key}}` or `:key`, and a fixed query, as in `/search?format=json`.',
    missing: 'error',
    examples: ['/search', '/things/{{id}}', '/search?format=json'],
    see: '[Placeholders](#placeholders)',
  },
  description: {
    shape: filledText(),
    about: 'What the tool returns and when to use it. Models choose by it.',
    missing: 'error',
  },
  parameters: {
    shape: listOrMap(named('Parameter', 'parameters'), named('ShorthandParameter'), {
      key: 'name',
      words: 'array of parameters',
    }),
    about: 'What goes into the request. Write `[]` when the tool takes nothing.',
    missing: 'error',
    see: '[Parameters](#parameters)',
  },
  output: {
    shape: named('Output'),
    about: 'What callers get.',
    missing: 'warning',
    see: '[Answers and `output`](#answers-and-output)',
  },
  tests: {
    shape: list(named('ToolTest', 'tests')),
    about: 'At least three sets of arguments, for testing the tool live.',
    missing: 'warning',
    see: '[Tests](#tests)',
  },
  preload: {
    shape: named('Preload'),
    about: 'How long an answer stays good.',
    see: '[`preload`](#preload)',
  },
  meta: { shape: anything, about: 'Notes of your own. Accepted, not used.' },
  annotations: { shape: anything, about: 'Accepted, not used yet.' },
  async: { shape: anything, about: 'Reserved; does nothing yet.' },
};

export const toolDefinitions: readonly Definition[] = [
  {
    kind: 'object',
    name: 'Tool',
    about: 'One endpoint of the API, offered as one MCP tool.',
    section,
    fields: toolFields,
  },
  parameterDefinition({
    name: 'Parameter',
    about: 'A value in the request of a tool: where it goes and what it may be.',
    position: 'Position',
    z: 'ZBlock',
  }),
  {
    kind: 'object',
    name: 'Position',
    about: 'Where the value of a parameter comes from and where it goes.',
    section: '2.3',
    fields: {
      key: {
        shape: filledText(),
        about: 'The name of the value in the request, and of the input that callers see.',
        missing: 'error',
      },
      value: {
        shape: positionValue,
        about:
          '`{{USER_PARAM}}` for a value from the caller, a fixed text, or `{{SERVER_PARAM:NAME}}` for a secret. Callers see only inputs of their own.',
        missing: 'error',
        examples: ['{{USER_PARAM}}', '{{SERVER_PARAM:API_KEY}}', 'json'],
        see: '[Placeholders](#placeholders)',
      },
      location: {
        shape: {
          schema: {
            anyOf: [
              { const: 'query', description: 'Appended to the URL as `?key=value`.' },
              { const: 'insert', description: 'Put in place of `{{key}}` or `:key` in the path.' },
              { const: 'body', description: 'A field of the body.' },
              {
                const: 'template',
                deprecated: true,
                description:
                  'Fills `{{key}}` in the values of other parameters. Not part of the format; read all the same.',
              },
            ],
          },
          type: "'query' | 'insert' | 'body' | 'template'",
          words: '`query`, `insert`, `body`',
        },
        about: 'Where the value goes: `query`, `insert` (in the path) or `body`.',
        missing: 'error',
      },
    },
  },
  {
    kind: 'object',
    name: 'ShorthandParameter',
    about:
      'A parameter in the short form, under its name. A name in the path is inserted there, others go to the body of `POST`, `PUT` and `PATCH`, and to the query otherwise.',
    section,
    deprecated: 'Write an array of `Parameter`, which says where each value goes.',
    fields: {
      type: {
        shape: choice('string', 'number', 'integer', 'boolean', 'array', 'object'),
        about: 'The type. Text when it is missing.',
      },
      required: { shape: boolean, about: 'Whether callers must pass it.' },
      description: { shape: text(), about: 'Text for callers.' },
      default: { shape: anything, about: 'The value when it is left out.' },
      enum: { shape: list(anything), about: 'The values that it may have.' },
    },
    others: { shape: anything },
  },
  {
    kind: 'object',
    name: 'Output',
    about: 'What a tool gives to its callers, after the handlers.',
    section,
    fields: {
      mimeType: {
        shape: text({
          pattern: '^[^\\s/;]+/[^\\s/;]+\\s*(;.*)?$',
          type: suggested('application/json', 'text/plain', 'text/csv', 'application/xml', 'image/png'),
        }),
        about: 'The media type that the tool gives.',
        missing: 'warning',
        examples: ['application/json', 'text/plain', 'image/png'],
      },
      schema: {
        shape: nodes,
        about: 'Describes the answer.',
        missing: 'warning',
      },
      description: { shape: text(), about: 'What the answer is.' },
    },
  },
  {
    kind: 'object',
    name: 'OutputNode',
    about: 'A part of an answer, in the words of JSON Schema. Other keywords of JSON Schema may stand in it.',
    section,
    fields: {
      type: {
        shape: nodeType,
        about: 'The type, or several.',
      },
      properties: { shape: map(named('OutputNode', 'nodes')), about: 'The fields of an object.' },
      items: { shape: nodes, about: 'The items of an array.' },
      description: { shape: text(), about: 'What it is.' },
      nullable: { shape: boolean, about: 'Whether it may be null.' },
    },
    others: { name: 'keyword', shape: anything },
  },
  {
    kind: 'object',
    name: 'ToolTest',
    about: 'Arguments with which a tool or a query can be tested, by the names of its inputs.',
    section,
    fields: {
      _description: { shape: filledText(), about: 'What is tested.', missing: 'warning' },
    },
    others: { name: 'input', shape: anything },
  },
  {
    kind: 'object',
    name: 'Preload',
    about: 'Says that an answer may be kept.',
    section,
    fields: {
      enabled: { shape: boolean, about: 'Whether it may.', missing: 'warning', required: true },
      ttl: {
        shape: count,
        about: 'How long an answer stays good, in whole seconds.',
        missing: 'warning',
        required: true,
        examples: [3600, 604800],
      },
      description: { shape: text(), about: 'Why.' },
    },
    others: { shape: anything },
  },
];
