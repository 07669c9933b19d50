import {
  anything,
  choice,
  type Definition,
  either,
  type Field,
  filledText,
  list,
  listOrMap,
  map,
  named,
  type Shape,
  template,
  text,
} from './shape.ts';
import { parameterDefinition } from './z-shapes.ts';

const section = '2.1';

const description: Field = {
  shape: filledText(),
  about: 'What can be looked up in it. Models choose by it.',
  missing: 'warning',
};

function source(value: string): Field {
  return { shape: choice(value), about: `The kind of resource: \`${value}\`.`, missing: 'error' };
}

const origin: Field = {
  shape: choice('inline', 'project', 'global'),
  about: 'The folders in which the file may be: beside the schema, of the project, or in the home.',
};

/** A path that does not climb out of its folder. */
function file(extensions: string): Shape {
  return text({ pattern: `^(?!(.*[\\\\/])?\\s*\\.\\.\\s*([\\\\/]|$)).*\\S${extensions}\\s*$` });
}

const databaseFile = file('');
const documentFile = file('\\.([mM][dD]|[mM][aA][rR][kK][dD][oO][wW][nN]|[tT][xX][tT])');

const columns: Shape = {
  schema: {
    type: 'object',
    properties: { columns: { type: 'array', items: { type: 'string' } } },
    required: ['columns'],
  },
  type: '{ columns: readonly string[] }',
  words: '`{ columns }`',
};

/** A fixed value, or the placeholder of a value from the caller: text around it belongs into the SQL. */
const queryValue: Shape = {
  schema: { type: ['string', 'number', 'boolean'] },
  type: "'{{USER_PARAM}}' | (string & {}) | number | boolean",
  words: 'text, number, true or false',
};

export const resourceDefinitions: readonly Definition[] = [
  {
    kind: 'alias',
    name: 'Resource',
    about: 'A database to query, or a document to read.',
    section,
    shape: either(named('DatabaseResource'), named('MarkdownResource'), named('WebResource')),
  },
  {
    kind: 'object',
    name: 'DatabaseResource',
    about: 'An SQLite database, and what can be asked of it. It is only read.',
    section,
    fields: {
      source: source('sqlite'),
      description,
      origin,
      name: { shape: databaseFile, about: "The file's name in the folders of `origin`.", examples: ['places.db'] },
      database: {
        shape: databaseFile,
        about: 'In place of `name`. Without `origin` it is a path.',
        examples: ['./resources/places.db'],
      },
      mode: {
        shape: choice('in-memory', 'file-based'),
        about: 'How the format calls it; both are read from the file, and neither is written to.',
      },
      queries: {
        shape: map(named('Query'), { key: 'query' }),
        about: 'The look-ups by name. A query `getSchema` that shows the tables is good manners.',
        missing: 'warning',
      },
      lifecycle: { shape: anything, about: 'Accepted, not used.' },
    },
    rules: { anyOf: [{ required: ['name'] }, { required: ['database'] }] },
  },
  {
    kind: 'object',
    name: 'MarkdownResource',
    about: 'A document beside the schema.',
    section,
    fields: {
      source: source('markdown'),
      description,
      origin,
      name: { shape: documentFile, about: "The file's name in the folders of `origin`.", examples: ['guide.md'] },
      database: {
        shape: documentFile,
        about: 'In place of `name`. Without `origin` it is a path.',
        examples: ['./resources/guide.md'],
      },
      lifecycle: { shape: anything, about: 'Accepted, not used.' },
    },
    rules: { anyOf: [{ required: ['name'] }, { required: ['database'] }] },
  },
  {
    kind: 'object',
    name: 'WebResource',
    about: 'A document on the web.',
    section,
    fields: {
      source: source('http'),
      description,
      url: {
        shape: text({
          pattern: '^\\s*[hH][tT][tT][pP][sS]?://',
          type: `${template(['https://', ''])} | ${template(['http://', ''])}`,
        }),
        about: 'Its address, without placeholders.',
        missing: 'error',
        examples: ['https://example.com/guide.md'],
      },
      lifecycle: { shape: anything, about: 'Accepted, not used.' },
    },
  },
  {
    kind: 'object',
    name: 'Query',
    about: 'One look-up in a database, offered as one MCP tool.',
    section,
    fields: {
      sql: {
        shape: filledText(),
        about: 'One statement that reads, with a `?` for each parameter; `{{DYNAMIC_SQL}}` lets callers write it.',
        missing: 'error',
        examples: ['SELECT 1', '{{DYNAMIC_SQL}}'],
      },
      description: {
        shape: filledText(),
        about: 'What it finds, and by what. Models choose by it.',
        missing: 'warning',
      },
      parameters: {
        shape: listOrMap(named('QueryParameter', 'parameters'), named('ShorthandParameter'), {
          key: 'name',
          words: 'array of parameters',
        }),
        about: 'The first goes to the first `?`, and so on. Write `[]` when the query takes nothing.',
        missing: 'warning',
      },
      output: {
        shape: either(named('Output'), columns),
        about: 'The rows: an array of objects, or the names of the columns.',
        missing: 'warning',
      },
      tests: {
        shape: list(named('ToolTest', 'tests')),
        about: 'At least one set of arguments, for testing the query live.',
        missing: 'warning',
      },
    },
  },
  parameterDefinition({
    name: 'QueryParameter',
    about: 'A value for a `?` in the SQL of a query.',
    position: 'QueryPosition',
    z: 'ScalarZBlock',
  }),
  {
    kind: 'object',
    name: 'QueryPosition',
    about: 'Where the value comes from. It goes to the `?` with the number of the parameter, so there is no location.',
    section: '2.3',
    fields: {
      key: { shape: filledText(), about: 'The name of the input that callers see.', missing: 'error' },
      value: {
        shape: queryValue,
        about: '`{{USER_PARAM}}` for a value from the caller, or a fixed value. Never a secret.',
        missing: 'error',
        examples: ['{{USER_PARAM}}', 10],
      },
    },
  },
];
