import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importOpenApi } from '../import-openapi.ts';
import { type BundleOptions, bundleReferences } from './bundle-references.ts';

const base = 'https://pets.example.com/api/openapi.json';

/** Bundles documents of a folder; what is not there cannot be read. */
function bundle(root: object, others: Record<string, unknown> = {}, options: Partial<BundleOptions> = {}) {
  const asked: string[] = [];
  const texts = new Map(
    Object.entries(others).map(([name, value]) => [
      new URL(name, base).href,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  const read: BundleOptions['read'] = async (url) => {
    asked.push(url);
    const text = texts.get(url);
    return text === undefined ? { ok: false, message: `no ${url}`, hint: 'Put it there.' } : { ok: true, text };
  };
  return bundleReferences(JSON.stringify(root), { base, read, ...options }).then((result) => ({ ...result, asked }));
}

const api = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example.com' }],
  paths,
  ...more,
});

test('paths, parameters, schemas and examples are in other documents, which refer to each other', async () => {
  const root = api(
    { '/pets/{petId}': { $ref: './paths/pets%20x.yaml#/~1pets~1%7Bid%7D' } },
    { components: { schemas: { Kind: { type: 'string', enum: ['cat', 'dog'] } } } },
  );
  const { source, unread, documents } = await bundle(root, {
    'paths/pets%20x.yaml': `
/pets/{id}:
  get:
    operationId: getPet
    parameters: [{ $ref: '../parameters.json#/petId' }]
    responses:
      200: { content: { application/json: { schema: { $ref: '../schemas/pet.yaml' } } } }`,
    'parameters.json': {
      petId: {
        name: 'petId',
        in: 'path',
        examples: { one: { $ref: 'examples.json#/one' } },
        schema: { type: 'integer' },
      },
    },
    'examples.json': { one: { summary: 'Rex', value: 7 } },
    'schemas/pet.yaml': `
type: object
properties:
  name: { $ref: 'chain.yaml#/a' }
  kind: { $ref: '../openapi.json#/components/schemas/Kind' }
  owner: { $ref: 'owner.yaml' }
  again: { $ref: '#/properties/name' }`,
    'schemas/owner.yaml': "type: object\nproperties: { pet: { $ref: 'pet.yaml' }, name: { $ref: 'chain.yaml#/a' } }",
    'schemas/chain.yaml': "a: { $ref: '#/b' }\nb: { $ref: 'end.yaml' }",
    'schemas/end.yaml': 'type: string\ndescription: Its name',
  });
  expect(unread).toEqual({});
  expect(documents).toBe(7);
  const { files, omissions, tools } = importOpenApi(source, { url: base, unread });
  expect(tools).toMatchObject([{ name: 'pets__getPet', path: '/pets/{petId}' }]);
  const text = Object.values(files).join('\n');
  expect(text).toContain(
    "tests: [{ _description: 'Rex', petId: 7 }]".replace("'Rex'", "'With the example of the documentation'"),
  );
  expect(text).toContain("name: { type: 'string', description: 'Its name' }");
  expect(text).toContain("kind: { type: 'string', enum: ['cat', 'dog'] }");
  expect(text).toContain("again: { type: 'string', description: 'Its name' }");
  // The owner of a pet has a pet: that is where it ends.
  expect(omissions.map(({ code }) => code)).toEqual(['IMP022']);
});

test.each<[string, object, Record<string, unknown>, string]>([
  ['a document that is not there', { $ref: 'none.yaml' }, {}, 'no https://pets.example.com/api/none.yaml'],
  ['a pointer that leads to nothing', { $ref: 'a.json#/nope' }, { 'a.json': {} }, 'leads to nothing'],
  ['HTML', { $ref: 'a.json' }, { 'a.json': '<!doctype html>' }, 'a.json: the document is HTML or XML'],
  ['an empty document', { $ref: 'a.json' }, { 'a.json': '' }, 'a.json: the document is empty'],
  [
    'a circle',
    { $ref: 'a.json' },
    { 'a.json': { $ref: 'b.json' }, 'b.json': { $ref: 'a.json' } },
    'lead to each other',
  ],
])('%s leaves out only what refers to it', async (_, reference, others, message) => {
  const { source, unread } = await bundle(api({ '/pets': { get: {} }, '/other': reference }), others);
  const { tools, omissions } = importOpenApi(source, { unread });
  expect(tools.map(({ path }) => path)).toEqual(['/pets']);
  expect(omissions).toMatchObject([
    { code: 'IMP014', message: expect.stringContaining(message), hint: expect.any(String) },
  ]);
});

test('data that looks like a reference is none, and a name that looks like data is', async () => {
  const example = { $ref: 'https://elsewhere.example/data.json' };
  const schema = { type: 'object', properties: { example: { $ref: 'named.json' } }, example };
  const { asked, source } = await bundle(
    api({ '/pets': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } }),
    { 'named.json': { type: 'string' } },
  );
  expect(asked).toEqual(['https://pets.example.com/api/named.json']);
  expect(JSON.stringify(source)).toContain(JSON.stringify(example));
});

test('servers of another document are relative to it, and so is a redirect', async () => {
  const pets = { get: { servers: [{ url: './v{version}', variables: { version: { default: '2' } } }] } };
  const root = api({ '/pets': { $ref: 'paths.json' } });
  const read: BundleOptions['read'] = async () => ({
    ok: true,
    text: JSON.stringify(pets),
    url: 'https://cdn.example.com/api/paths.json',
  });
  const { source } = await bundleReferences(JSON.stringify(root), { base, read });
  expect(Object.values(importOpenApi(source).files).join()).toContain("root: 'https://cdn.example.com/api/v2'");
});

test('the mapping of a discriminator is followed', async () => {
  const schema = {
    oneOf: [{ $ref: 'cat.json' }, { $ref: 'dog.json' }],
    discriminator: { propertyName: 'kind', mapping: { purring: 'cat.json' } },
  };
  const member = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
  const body = { content: { 'application/json': { schema: { type: 'object', properties: { pet: schema } } } } };
  const { source } = await bundle(api({ '/pets': { post: { requestBody: body } } }), {
    'cat.json': member,
    'dog.json': member,
  });
  expect(Object.values(importOpenApi(source).files).join()).toMatch(/purring[\s\S]*dog/);
});

test('credentials in the address of the document are for nobody else', async () => {
  const withKey = 'https://user:s3cret@pets.example.com/openapi.json?key=s3cret';
  const { asked } = await bundle(
    api({ '/pets': { $ref: 'a.json' }, '/b': { $ref: '//elsewhere.example/b.json' } }),
    {},
    { base: withKey },
  );
  expect(asked).toEqual(['https://pets.example.com/a.json', 'https://elsewhere.example/b.json']);
});

test('the number, the size and the depth of documents are limited', async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`${index}.json`, { $ref: `${index + 1}.json` }]),
  );
  const many = api(Object.fromEntries(Object.keys(chain).map((name) => [`/${name}`, { $ref: name }])));
  const first = (unread: Record<string, { message: string }>) => Object.values(unread)[0]?.message;
  const deep = await bundle(api({ '/a': { $ref: '0.json' } }), chain, { maxDepth: 3 });
  expect([deep.asked.length, first(deep.unread)]).toEqual([3, 'references lead over more than 3 documents']);
  const wide = await bundle(many, chain, { maxDocuments: 5 });
  expect([wide.asked.length, first(wide.unread)]).toEqual([5, 'the document refers to more than 5 others']);
  const large = await bundle(many, { ...chain, '3.json': { text: 'x'.repeat(1000) } }, { maxCharacters: 900 });
  expect(first(large.unread)).toBe('the documents that are referred to are too large');
});

test('a document without references to others is not parsed', async () => {
  const text = '{"openapi": "3.1.0", "a": {"$ref": "#/b"}';
  const read: BundleOptions['read'] = async () => ({ ok: false, message: '', hint: '' });
  expect(await bundleReferences(text, { base, read })).toEqual({ source: text, unread: {}, documents: 0 });
});

test('ends for any references between documents, and the import takes what comes', async () => {
  const names = ['a.json', 'b.json', 'dir/c.json', '__proto__', 'a%zz.json'];
  const pointer = fc.constantFrom('', '#', '#/', '#/x', '#/properties/y', '#anchor', '#/~1', '#/%');
  const reference = fc.tuple(fc.constantFrom('', './', '../', ...names), pointer).map((parts) => parts.join(''));
  const node = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.record({ $ref: reference }),
      fc.record({ properties: fc.dictionary(fc.constantFrom('x', 'y', 'example', '__proto__'), tie('node')) }),
      fc.jsonValue(),
    ),
  })).node;
  await fc.assert(
    fc.asyncProperty(node, fc.dictionary(fc.constantFrom(...names), node), async (path, others) => {
      const { source, unread } = await bundle(api({ '/a': path, '/b': { get: {} } }), others);
      const { tools } = importOpenApi(source, { unread });
      expect(tools.length).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});
