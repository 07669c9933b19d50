import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { resourceCodes } from '../finding-codes.ts';
import { inputsJsonSchema } from '../input/input-json-schema.ts';
import { ruleReport } from '../rule-report.ts';
import type { DatabaseResource } from '../schema.ts';
import { parseResources } from './resources.ts';

const byName = {
  position: { key: 'name', value: '{{USER_PARAM}}' },
  z: { primitive: 'string()', options: ['min(2)'] },
};
const upTo = {
  position: { key: 'limit', value: '{{USER_PARAM}}' },
  z: { primitive: 'number()', options: ['optional()', 'default(20)', 'max(100)'] },
};
const rows = { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object', properties: {} } } };
const findPlace = {
  sql: 'SELECT * FROM places WHERE name LIKE ? LIMIT ?',
  description: 'Find places by name.',
  parameters: [byName, upTo],
  output: rows,
  tests: [{ _description: 'one', name: 'Ulm' }],
};
const getSchema = {
  sql: 'SELECT name, sql FROM sqlite_master',
  description: 'Tables.',
  parameters: [],
  output: rows,
  tests: [{}],
};
const places = {
  source: 'sqlite',
  mode: 'in-memory',
  origin: 'global',
  name: 'places.db',
  description: 'Places of the country.',
  queries: { getSchema, findPlace },
};

function read(resources: unknown, main: Record<string, unknown> = {}) {
  const findings: Finding[] = [];
  const found = parseResources(
    { ...main, resources },
    ruleReport((finding) => findings.push(finding)),
  );
  const lines = findings.map(
    ({ severity, code, path }) => `${severity} ${code} ${path.replace('main.resources.', '')}`,
  );
  return { resources: found, findings, lines, errors: lines.filter((line) => line.startsWith('error')) };
}

function parseDatabase(change: Record<string, unknown>) {
  const { resources, ...rest } = read({ places: { ...places, ...change } });
  return { ...rest, database: resources.get('places') as DatabaseResource };
}

function parseQuery(change: Record<string, unknown>, main: Record<string, unknown> = {}) {
  const queries = { getSchema, findPlace: { ...findPlace, ...change } };
  const { resources, findings, errors, lines } = read({ places: { ...places, queries } }, main);
  const query = (resources.get('places') as DatabaseResource).queries.get('findPlace');
  return { findings, errors, lines: lines.map((line) => line.replace('places.queries.findPlace.', '')), query };
}

describe('a schema without resources', () => {
  test.each([undefined, {}])('%j', (resources) => {
    expect(read(resources)).toMatchObject({ lines: [], resources: new Map() });
  });

  test('a list is refused', () => {
    expect(read([]).lines).toEqual(['error RES001 main.resources']);
  });
});

describe('a database', () => {
  test('by origin and name', () => {
    const { database, lines } = parseDatabase({});
    expect(lines).toEqual([]);
    expect(database).toMatchObject({
      kind: 'sqlite',
      mode: 'in-memory',
      file: { path: 'places.db', origin: 'global' },
    });
    expect(database).toMatchObject({ name: 'places', description: 'Places of the country.' });
    expect([...database.queries.keys()]).toEqual(['getSchema', 'findPlace', 'runSql', 'describeTables']);
  });

  test('by path, as the oldest schemas have it', () => {
    const { mode: _, origin: __, name: ___, ...rest } = places;
    const { resources, lines } = read({
      places: { ...rest, database: '~/.flowmcp/data/places.db', lifecycle: 'persistent' },
    });
    expect(lines).toEqual([]);
    expect(resources.get('places')).toMatchObject({ mode: 'in-memory', file: { path: '~/.flowmcp/data/places.db' } });
    expect((resources.get('places') as DatabaseResource).file.origin).toBeUndefined();
  });

  test('by origin and database, with the short forms of parameters and output', () => {
    const { resources, errors } = read({
      companies: {
        source: 'sqlite',
        database: 'companies.db',
        origin: 'project',
        description: 'Companies.',
        queries: {
          search: {
            sql: 'SELECT id, name FROM companies WHERE name = ? LIMIT ?',
            description: 'Search.',
            parameters: { name: { type: 'string', required: true }, limit: { type: 'number', default: 10 } },
            output: { columns: ['id', 'name'] },
          },
        },
      },
    });
    expect(errors).toEqual([]);
    const companies = resources.get('companies') as DatabaseResource;
    expect(companies.file).toEqual({ path: 'companies.db', origin: 'project' });
    const search = companies.queries.get('search');
    expect(search?.bindings).toEqual([
      { kind: 'input', name: 'name' },
      { kind: 'input', name: 'limit' },
    ]);
    expect(inputsJsonSchema(search?.inputs ?? [])).toMatchObject({
      properties: { name: { type: 'string' }, limit: { type: 'number', default: 10 } },
      required: ['name'],
    });
    expect(search?.output.schema).toEqual({
      type: 'array',
      items: { type: 'object', properties: { id: {}, name: {} } },
    });
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['no file', { name: undefined }, ['error RES005 places']],
    ['a path that leads out', { name: 'a/../../b.db' }, ['error RES005 places.name']],
    ['a path that leads out, with backslashes', { database: '..\\b.db' }, ['error RES005 places.database']],
    ['an unusual extension', { name: 'places.dat' }, ['warning RES005 places.name']],
    ['an unknown origin', { origin: 'moon' }, ['warning RES004 places.origin']],
    ['an unknown mode', { mode: 'disk' }, ['warning RES003 places.mode']],
    ['no description', { description: '' }, ['warning RES002 places.description']],
    ['no source', { source: undefined }, ['warning RES001 places.source']],
    ['another source', { source: 'csv' }, ['error RES001 places.source']],
    ['no queries', { queries: undefined }, ['warning RES007 places.queries']],
    ['queries in a list', { queries: [] }, ['error RES007 places.queries']],
    ['no getSchema', { queries: { findPlace } }, ['warning RES024 places.queries']],
    ['an unknown field', { sorce: 1 }, ['warning VAL003 places.sorce']],
  ])('%s', (_, change, lines) => {
    expect(parseDatabase(change).lines).toEqual(lines);
  });

  test('too many of something is a warning', () => {
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`q${index}`, findPlace]));
    expect(parseDatabase({ queries: { getSchema, ...many } }).lines).toEqual(['warning RES007 places.queries']);
    expect(read({ a: places, b: places, c: places }).lines).toEqual(['warning RES006 main.resources']);
  });

  test('names that are not words are warnings', () => {
    const { lines, resources } = read({ 'my-places': { ...places, queries: { getSchema, Find_It: findPlace } } });
    expect(lines).toEqual([
      'warning RES017 main.resources["my-places"]',
      'warning RES018 main.resources["my-places"].queries.Find_It',
    ]);
    expect(resources.has('my-places')).toBe(true);
  });
});

describe('a query', () => {
  test('with only a description and sql is accepted, with warnings', () => {
    const bare = {
      sql: 'SELECT * FROM places',
      description: 'All.',
      parameters: undefined,
      output: undefined,
      tests: undefined,
    };
    const { query, lines } = parseQuery(bare);
    expect(lines).toEqual(['warning RES010 parameters', 'warning RES011 output', 'warning RES012 tests']);
    expect(query).toMatchObject({ inputs: [], bindings: [], isDeclared: true, isDynamic: false });
    expect(query?.output).toEqual({
      mimeType: 'application/json',
      schema: { type: 'array', items: { type: 'object' } },
    });
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['no sql', { sql: undefined }, ['error RES008 sql']],
    ['blank sql', { sql: '  ' }, ['error RES008 sql']],
    ['two statements', { sql: 'SELECT ?, ?; SELECT 1' }, ['error RES013 sql']],
    ['a writing statement', { sql: 'DELETE FROM places' }, ['error RES013 sql']],
    ['fewer ? than parameters', { sql: 'SELECT ?' }, ['error RES014 sql']],
    ['more ? than parameters', { sql: 'SELECT ?, ?, ?' }, ['error RES014 sql']],
    ['no description', { description: undefined }, ['warning RES009 description']],
    ['parameters that are text', { parameters: 'name' }, ['error RES010 parameters', 'error RES014 sql']],
    ['rows that are an object', { output: { ...rows, schema: { type: 'object' } } }, ['warning RES021 output.schema']],
    ['a server parameter in the sql', { sql: "SELECT ?, ?, '{{SERVER_PARAM:KEY}}'" }, ['error RES016 sql']],
    ['a declared server parameter in the sql', { sql: "SELECT ?, ?, '{{API_KEY}}'" }, ['error RES016 sql']],
  ])('%s', (_, change, lines) => {
    expect(parseQuery(change, { requiredServerParams: ['API_KEY'] }).lines).toEqual(lines);
  });

  test('whose sql is from the caller has the inputs sql and limit', () => {
    const { query, lines } = parseQuery({
      sql: ' {{DYNAMIC_SQL}} ',
      parameters: [upTo],
      tests: [{ sql: 'SELECT 1' }],
    });
    expect(lines).toEqual([]);
    expect(query).toMatchObject({ sql: ' {{DYNAMIC_SQL}} ', isDynamic: true, bindings: [] });
    expect(inputsJsonSchema(query?.inputs ?? [])).toMatchObject({
      properties: { sql: { type: 'string', minLength: 1 }, limit: { default: 20, maximum: 100 } },
      required: ['sql'],
    });
  });

  test('named freeQuery replaces runSql', () => {
    const { database } = parseDatabase({ queries: { getSchema, freeQuery: { ...findPlace, sql: '{{DYNAMIC_SQL}}' } } });
    expect([...database.queries.keys()]).toEqual(['getSchema', 'freeQuery', 'describeTables']);
  });
});

describe('parameters of a query', () => {
  test('become inputs and values in the order of the ?', () => {
    const { query } = parseQuery({});
    expect(query?.inputs.map(({ name }) => name)).toEqual(['name', 'limit']);
    expect(query?.bindings).toEqual([
      { kind: 'input', name: 'name' },
      { kind: 'input', name: 'limit' },
    ]);
  });

  test('may be literals, with the type of z', () => {
    const literal = (value: unknown, primitive: string) => ({
      position: { key: 'k', value },
      z: { primitive, options: [] },
    });
    const { query, lines } = parseQuery({
      sql: 'SELECT ?, ?, ?, ?',
      parameters: [
        literal('5', 'number()'),
        literal(7, 'number()'),
        literal('true', 'boolean()'),
        literal('5', 'string()'),
      ],
      tests: [{ _description: 'nothing to choose' }],
    });
    expect(lines).toEqual([]);
    expect(query?.inputs).toEqual([]);
    expect(query?.bindings.map((binding) => binding.kind === 'literal' && binding.value)).toEqual([5, 7, true, '5']);
  });

  test('with the same key are one input', () => {
    const { query, lines } = parseQuery({ parameters: [byName, byName] });
    expect(lines).toEqual([]);
    expect(query?.inputs).toHaveLength(1);
    expect(query?.bindings).toHaveLength(2);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      'a location',
      { ...byName, position: { ...byName.position, location: 'query' } },
      ['warning RES015 parameters[0].position.location'],
    ],
    ['no z', { position: byName.position }, ['error RES010 parameters[0]']],
    ['no key', { ...byName, position: { value: '{{USER_PARAM}}' } }, ['error RES010 parameters[0].position.key']],
    ['no value', { ...byName, position: { key: 'name' } }, ['error RES010 parameters[0].position.value']],
    [
      'text around the placeholder',
      { ...byName, position: { key: 'n', value: '%{{USER_PARAM}}%' } },
      ['error RES010 parameters[0].position.value'],
    ],
    ['a list', { ...byName, z: { primitive: 'array()', options: [] } }, ['error RES019 parameters[0].z.primitive']],
    ['an object', { ...byName, z: { primitive: 'object()', options: [] } }, ['error RES019 parameters[0].z.primitive']],
    [
      'an unknown primitive',
      { ...byName, z: { primitive: 'date()', options: [] } },
      ['error VAL044 parameters[0].z.primitive'],
    ],
    [
      'a server parameter',
      { ...byName, position: { key: 'n', value: '{{SERVER_PARAM:KEY}}' } },
      ['error RES016 parameters[0].position.value'],
    ],
    [
      'a declared server parameter',
      { ...byName, position: { key: 'n', value: '{{API_KEY}}' } },
      ['error RES016 parameters[0].position.value'],
    ],
  ])('%s', (_, parameter, lines) => {
    expect(parseQuery({ parameters: [parameter, upTo] }, { requiredServerParams: ['API_KEY'] }).lines).toEqual(lines);
  });
});

describe('a document', () => {
  test('in Markdown', () => {
    const { resources, lines } = read({
      guide: { source: 'markdown', origin: 'inline', name: 'guide.md', description: 'How to.' },
    });
    expect(lines).toEqual([]);
    expect(resources.get('guide')).toEqual({
      name: 'guide',
      description: 'How to.',
      kind: 'markdown',
      file: { path: 'guide.md', origin: 'inline' },
      queries: new Map(),
    });
  });

  test.each(['.env', 'id_ed25519', 'config.json'])(
    'in a file that is not a text document, such as %s, is refused',
    (name) => {
      const { resources, errors } = read({ guide: { source: 'markdown', origin: 'inline', name, description: 'x' } });
      expect(errors).toEqual(['error RES005 guide.name']);
      expect(resources.size).toBe(0);
    },
  );

  test('on the web', () => {
    const { resources, lines } = read({
      guide: { source: 'http', url: 'https://example.com/guide.md', description: 'How to.' },
    });
    expect(lines).toEqual([]);
    expect(resources.get('guide')).toMatchObject({ kind: 'http', url: 'https://example.com/guide.md' });
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['without a url', {}, ['error RES030 guide.url']],
    ['with a file url', { url: 'file:///etc/passwd' }, ['error RES030 guide.url']],
    ['with a placeholder', { url: 'https://example.com/{{KEY}}' }, ['error RES016 guide.url']],
    ['with queries', { url: 'https://example.com', queries: {} }, ['warning RES027 guide.queries']],
    ['with a mode', { url: 'https://example.com', mode: 'in-memory' }, ['warning RES026 guide.mode']],
  ])('%s', (_, change, lines) => {
    expect(read({ guide: { source: 'http', description: 'x', ...change } }).lines).toEqual(lines);
  });
});

test('every finding of a resource has a path and a rule', () => {
  const { findings } = read({
    a: null,
    b: { source: 'csv' },
    c: { source: 'sqlite', name: '../x', queries: { x: null, y: { sql: 'DROP TABLE t', parameters: [{}, {}] } } },
    d: { source: 'http', mode: 1 },
  });
  expect(findings.length).toBeGreaterThan(12);
  for (const { code, path, message } of findings) {
    expect(message).toContain(`(${path})`);
    if (code.startsWith('RES')) expect(resourceCodes).toHaveProperty(code);
  }
});
