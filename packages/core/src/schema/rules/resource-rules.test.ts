import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { resourceCodes } from '../finding-codes.ts';
import { ruleReport } from '../rule-report.ts';
import { parseResources } from './resources.ts';

/** Rules that are checked elsewhere; the tests are there. */
type CheckedElsewhere = 'RES020' | 'RES031';

type Definition = Record<string, unknown>;
type Examples = { breaks: unknown[]; keeps: unknown[] };

const parameter = (primitive: string, options: string[] = [], position: Definition = {}) => ({
  position: { key: 'name', value: '{{USER_PARAM}}', ...position },
  z: { primitive, options },
});

/** A query with nothing to complain of. */
const find: Definition = {
  sql: 'SELECT * FROM places WHERE name = ?',
  description: 'Find places by name.',
  parameters: [parameter('string()', ['min(2)'])],
  output: { mimeType: 'application/json', schema: { type: 'array', items: { type: 'object', properties: {} } } },
  tests: [{ _description: 'one', name: 'Ulm' }],
};
const getSchema: Definition = { ...find, sql: 'SELECT name, sql FROM sqlite_master', parameters: [], tests: [{}] };

/** Resources of a schema: a database of which something is changed. */
const database = (change: Definition) => ({
  places: {
    source: 'sqlite',
    origin: 'inline',
    name: 'places.db',
    description: 'Places.',
    queries: { getSchema, find },
    ...change,
  },
});
const query = (change: Definition) => database({ queries: { getSchema, find: { ...find, ...change } } });
const one = (changed: Definition) => query({ parameters: [changed] });
const guide = (change: Definition) => ({
  guide: { source: 'markdown', origin: 'inline', name: 'guide.md', description: 'How to.', ...change },
});
const page = (change: Definition) => ({
  page: { source: 'http', url: 'https://example.com/a', description: 'How to.', ...change },
});
const copies = <T>(count: number, value: T) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`copy${index}`, value]));

const rules: Record<Exclude<keyof typeof resourceCodes, CheckedElsewhere>, Examples> = {
  RES001: {
    breaks: [[], database({ source: 'csv' }), database({ source: undefined })],
    keeps: [{}, database({}), guide({}), page({})],
  },
  RES002: {
    breaks: [database({ description: ' ' }), guide({ description: undefined })],
    keeps: [database({}), guide({})],
  },
  RES003: { breaks: [database({ mode: 'disk' })], keeps: [database({}), database({ mode: 'in-memory' })] },
  RES004: {
    breaks: [database({ origin: 'moon' })],
    keeps: ['inline', 'project', 'global'].map((origin) => database({ origin })),
  },
  RES005: {
    breaks: [
      database({ name: undefined }),
      database({ name: '../a.db' }),
      database({ name: 'a.txt' }),
      guide({ name: '.env' }),
    ],
    keeps: [database({ database: './a.sqlite' }), guide({ name: 'a.MD' })],
  },
  RES006: { breaks: [copies(3, database({}).places)], keeps: [copies(2, database({}).places)] },
  RES007: {
    breaks: [database({ queries: undefined }), database({ queries: {} }), database({ queries: copies(9, find) })],
    keeps: [database({ queries: copies(8, find) })],
  },
  RES008: { breaks: [query({ sql: undefined }), database({ queries: { getSchema, find: null } })], keeps: [query({})] },
  RES009: { breaks: [query({ description: '' })], keeps: [query({})] },
  RES010: {
    breaks: [query({ parameters: undefined }), one({}), one(parameter('string()', [], { value: '%{{USER_PARAM}}%' }))],
    keeps: [one(parameter('string()')), one(parameter('string()', [], { value: 'Ulm' }))],
  },
  RES011: { breaks: [query({ output: undefined })], keeps: [query({ output: { columns: ['name'] } })] },
  RES012: { breaks: [query({ tests: undefined }), query({ tests: [] }), query({ tests: {} })], keeps: [query({})] },
  RES013: {
    breaks: [query({ sql: 'DELETE FROM places WHERE name = ?' }), query({ sql: 'SELECT ?; SELECT 1' })],
    keeps: [query({ sql: 'WITH a AS (SELECT ? AS b) SELECT b FROM a' })],
  },
  RES014: {
    breaks: [query({ sql: 'SELECT 1' }), query({ sql: 'SELECT ?, ?' })],
    keeps: [query({ sql: "SELECT ?, '?' /* ? */ -- ?" })],
  },
  RES015: { breaks: [one(parameter('string()', [], { location: 'query' }))], keeps: [one(parameter('string()'))] },
  RES016: {
    breaks: [query({ sql: "SELECT ?, '{{SERVER_PARAM:KEY}}'" }), one(parameter('string()', [], { value: '{{KEY}}' }))],
    keeps: [one(parameter('string()', [], { value: '{{TOWN}}' }))],
  },
  RES017: { breaks: [{ 'my-places': database({}).places }], keeps: [{ myPlaces: database({}).places }] },
  RES018: {
    breaks: [database({ queries: { getSchema, find_it: find } })],
    keeps: [database({ queries: { getSchema, findIt: find } })],
  },
  RES019: {
    breaks: [one(parameter('array()')), one(parameter('object()'))],
    keeps: ['string()', 'number()', 'boolean()', 'enum(a,b)'].map((primitive) => one(parameter(primitive))),
  },
  RES021: {
    breaks: [query({ output: { mimeType: 'application/json', schema: { type: 'object' } } })],
    keeps: [query({ output: { mimeType: 'application/json', schema: { type: 'array' } } })],
  },
  RES022: {
    breaks: [{ name: 'U' }, { name: 7 }, { nam: 'Ulm' }, { _description: 'no name' }].map((test) =>
      query({ tests: [test] }),
    ),
    keeps: [query({ tests: [{ name: 'Ulm' }, { _description: 'two', name: 'Kiel' }] }), query({ tests: [7] })],
  },
  RES023: {
    breaks: [{ name: () => 'Ulm' }, { name: undefined }, { name: Number.NaN }, { name: new Date(0) }, 'Ulm', null].map(
      (test) => query({ tests: [test] }),
    ),
    keeps: [query({ tests: [{ _list: [1, { a: null }], name: 'Ulm' }] })],
  },
  RES024: { breaks: [database({ queries: { find } })], keeps: [database({})] },
  RES025: {
    breaks: [database({ mode: 'file-based' }), database({ mode: 'file-based', origin: undefined, database: './a.db' })],
    keeps: [database({ mode: 'file-based', origin: 'project' }), database({ mode: 'in-memory' })],
  },
  RES026: { breaks: [guide({ mode: 'in-memory' }), page({ mode: 'in-memory' })], keeps: [guide({}), page({})] },
  RES027: { breaks: [guide({ queries: {} }), page({ queries: {} })], keeps: [guide({}), page({})] },
  RES028: {
    breaks: [
      query({
        sql: 'SELECT * FROM places WHERE name = ? OR note = ?',
        parameters: [parameter('string()'), parameter('string()', ['min(2)'])],
      }),
    ],
    keeps: [
      query({
        sql: 'SELECT * FROM places WHERE name = ? OR note = ?',
        parameters: [parameter('string()'), parameter('string()')],
      }),
    ],
  },
  RES030: {
    breaks: [page({ url: undefined }), page({ url: 'file:///etc/passwd' }), page({ url: 'https://' })],
    keeps: [page({ url: 'http://example.com' })],
  },
};

function findingsIn(resources: unknown): Finding[] {
  const findings: Finding[] = [];
  parseResources(
    { resources, requiredServerParams: ['KEY'] },
    ruleReport((finding) => findings.push(finding)),
  );
  return findings;
}

describe.each(Object.entries(rules))('%s', (code, { breaks, keeps }) => {
  test.each(breaks.map((resources, index) => [index + 1, resources]))('is broken by example %i', (_, resources) => {
    expect(findingsIn(resources).map((finding) => finding.code)).toContain(code);
  });

  test.each(keeps.map((resources, index) => [index + 1, resources]))('is kept by example %i', (_, resources) => {
    expect(findingsIn(resources).map((finding) => finding.code)).not.toContain(code);
  });
});

test('a database, a document and a page can be written without any finding', () => {
  expect([database({}), guide({}), page({})].flatMap(findingsIn)).toEqual([]);
});

test('features of existing schemas are warnings at most: only unusable parts are errors', () => {
  const errors = Object.entries(resourceCodes).flatMap(([code, [severity]]) => (severity === 'error' ? code : []));
  expect(errors).toEqual(['RES001', 'RES005', 'RES008', 'RES010', 'RES013', 'RES014', 'RES016', 'RES019', 'RES030']);
});

test('a test whose parameters cannot be read is not checked for its values', () => {
  const codes = findingsIn(query({ parameters: [parameter('array()')], tests: [{ other: 1 }] })).map(
    ({ code }) => code,
  );
  expect(codes).toEqual(['RES019']);
});

test('a finding about a test names its path and its argument', () => {
  const [finding] = findingsIn(query({ tests: [{ name: 'Ulm' }, { name: 'U' }] }));
  expect(finding).toEqual({
    code: 'RES022',
    severity: 'warning',
    path: 'main.resources.places.queries.find.tests[1].name',
    message:
      'name: expected text of at least 2 characters, got "U" (text) (main.resources.places.queries.find.tests[1].name)',
  });
});
