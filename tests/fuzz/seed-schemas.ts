import { readFileSync } from 'node:fs';

/** A schema with every feature of the format, for an API at `root`. */
export function fullSchema(root: string): Record<string, unknown> {
  return {
    namespace: 'shop',
    name: 'Shop',
    description: 'Things that a shop has',
    version: '3.0.0',
    docs: [`${root}/docs`],
    tags: ['shop', 'cacheTtlDaily'],
    root,
    requiredServerParams: ['API_KEY'],
    requiredLibraries: [],
    headers: { Authorization: 'Bearer {{API_KEY}}', Accept: 'application/json' },
    tools: {
      getThing: {
        method: 'GET',
        path: '/things/{{id}}/:part?lang=en',
        description: 'One thing',
        parameters: [
          parameter('id', 'insert', 'string()', ['min(1)', 'max(20)', 'regex(^[a-z0-9]+$)']),
          parameter('part', 'insert', 'enum(price,stock)', []),
          parameter('limit', 'query', 'number()', ['optional()', 'default(20)', 'min(1)', 'max(100)']),
          parameter('filter[name]', 'query', 'string()', ['optional()', 'length(3)'], 'name:{{USER_PARAM}}*'),
          parameter('key', 'query', 'string()', [], '{{SERVER_PARAM:API_KEY}}'),
          parameter('format', 'query', 'string()', [], 'json'),
          parameter('where', 'query', 'string()', ['optional()'], '{{COUNTRY}}/{{CITY}}'),
        ],
        output: {
          mimeType: 'application/json',
          schema: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              sizes: { type: 'array', items: { type: 'number', nullable: true } },
            },
          },
        },
        preload: { enabled: true, ttl: 60 },
        tests: [{ _description: 'one', id: 'a1', part: 'price' }],
      },
      addThing: {
        method: 'POST',
        path: '/things',
        description: 'Adds a thing',
        parameters: [
          parameter('name', 'body', 'string()', ['describe(What it is called)']),
          parameter('sizes', 'body', 'array()', ['optional()', 'default([1])']),
          parameter('more', 'body', 'object()', ['optional()']),
          parameter('isNew', 'body', 'boolean()', ['default(true)']),
          parameter('kind', 'body', 'enum()', ['values(1,2,3)']),
          parameter('version', 'body', 'number()', [], '2'),
        ],
        output: { mimeType: 'application/json', schema: { type: 'object', properties: {} } },
        tests: [],
      },
      '/thing/:id/text': {
        method: 'DELETE',
        path: '/text',
        description: 'A text',
        parameters: { name: { type: 'string', required: true, description: 'Its name' }, size: { type: 'integer' } },
        output: { mimeType: 'text/plain', schema: { type: 'string' } },
      },
    },
    resources: {
      places: {
        source: 'sqlite',
        description: 'Places',
        database: './places.db',
        queries: {
          byName: {
            sql: 'SELECT * FROM places WHERE name = ?',
            description: 'By name',
            parameters: [
              { position: { key: 'name', value: '{{USER_PARAM}}' }, z: { primitive: 'string()', options: [] } },
            ],
            output: { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object' } } },
            tests: [{ _description: 'one', name: 'Bern' }],
          },
        },
      },
      guide: { source: 'markdown', description: 'A guide', origin: 'inline', name: 'guide.md' },
    },
    skills: { 'find-things': { file: './skills/find-things.mjs' } },
    prompts: { about: { content: 'What the shop is' } },
  };
}

/** What older files and careless ones look like, and what still has to work. */
export function looseSchema(root: string): Record<string, unknown> {
  return {
    namespace: 'loose',
    name: 'Loose',
    description: 'Written in a hurry',
    version: '2.0.0',
    root: `${root}/`,
    routes: {
      get_thing: {
        method: 'get',
        path: '/thing/{{undeclared}}',
        description: 'A thing',
        parameters: [
          {
            position: { key: 'id', value: '{{ID}}', location: 'query' },
            z: { primitive: 'string()', options: ['optional(), default(x)'] },
          },
          { position: { key: 'tpl', value: '{{USER_PARAM}}', location: 'template' }, z: { primitive: 'number()' } },
          { position: { key: 'q', value: 'a:{{TPL}}', location: 'query' }, z: { primitive: 'string()', options: [] } },
        ],
      },
    },
  };
}

/** The text of a schema of the catalog, with an API at `root` in place of all that it names. */
export function catalogText(file: string, root: string): string {
  const text = readFileSync(new URL(`../../catalog/${file}`, import.meta.url), 'utf8');
  return text.replace(/https?:\/\/[^\s'"`)/]+/g, root);
}

function parameter(
  key: string,
  location: string,
  primitive: string,
  options: readonly string[],
  value: string = '{{USER_PARAM}}',
): Record<string, unknown> {
  return { position: { key, value, location }, z: { primitive, options: [...options] } };
}
