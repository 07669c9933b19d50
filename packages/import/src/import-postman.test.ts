import { SchemaKit } from '@schemakit/core';
import { expect, it } from 'vitest';
import { importApi } from './import-api.ts';
import { importPostman } from './import-postman.ts';

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const collection = {
  info: { name: 'Shop API', schema },
  variable: [
    { key: 'baseUrl', value: 'https://{{host}}.example.com/v1' },
    { key: 'state', value: 'open' },
    { key: 'token', value: 's3cret' },
    { key: 'host', value: 'shop' },
  ],
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] },
  item: [
    {
      name: 'Orders',
      item: [
        {
          name: 'List orders',
          request: {
            method: 'GET',
            url: { raw: '{{baseUrl}}/orders?state={{state}}', query: [{ key: 'state', value: '{{state}}' }] },
          },
          response: [
            { name: 'ok', code: 200, body: '[{"id":1}]', header: [{ key: 'Content-Type', value: 'application/json' }] },
          ],
        },
        { name: 'Get order', request: { method: 'GET', url: '{{baseUrl}}/orders/:id' } },
        {
          name: 'Add order',
          request: {
            method: 'POST',
            url: '{{baseUrl}}/orders',
            body: {
              mode: 'raw',
              raw: '{"isbn":"1","count":2,"lines":[{"note":"a"}]}',
              options: { raw: { language: 'json' } },
            },
          },
        },
      ],
    },
  ],
};

it('reads folders, variables, credentials, bodies and saved answers', async () => {
  const { messages, tools, files, omissions } = importPostman(collection);
  expect({ messages, omissions: omissions.filter(({ code }) => code < 'IMP020') }).toEqual({
    messages: [],
    omissions: [],
  });
  expect(tools.map(({ name }) => name)).toEqual(['shop__listOrders', 'shop__addOrder', 'shop__getOrder']);
  expect(Object.keys(files)).toContain('orders.mjs');
  expect(JSON.stringify(files)).not.toContain('s3cret');
  const { main } = await import(`data:text/javascript,${encodeURIComponent(files['orders.mjs'] ?? '')}`);
  expect(SchemaKit.validateMain({ main }).status).toBe(true);
  expect(main).toMatchObject({ root: 'https://shop.example.com', auth: { type: 'bearer' } });
  const shapes = JSON.stringify(main.tools.addOrder.parameters);
  expect(shapes).toContain('array(object({ note: string() }))');
  expect(JSON.stringify(main.tools.listOrders.output)).toContain('"id"');
});

it('writes no key that a request has as a header or in its query', async () => {
  const header = [{ key: 'X-Api-Key', value: 's3cret' }];
  const url = { raw: 'https://x.example.com/pets?api_key=s3cret', query: [{ key: 'api_key', value: 's3cret' }] };
  const item = [
    { name: 'a', request: { method: 'GET', header, url: 'https://x.example.com/pets' } },
    { name: 'b', request: { method: 'DELETE', url } },
  ];
  const { status, files } = importPostman({ info: { name: 'X', schema }, item });
  expect({ status, text: JSON.stringify(files) }).toEqual({ status, text: expect.not.stringContaining('s3cret') });
  expect(JSON.stringify(files)).toMatch(/requiredServerParams/);
});

it('does not give up its values to variables that lead in a circle', () => {
  const variable = [
    { key: 'a', value: '{{b}}' },
    { key: 'b', value: '{{a}}' },
  ];
  const item = [{ name: 'x', request: { method: 'GET', url: 'https://x.example.com/{{a}}' } }];
  expect(importPostman({ info: { name: 'X', schema }, variable, item }).status).toBe(true);
});

it.each([
  ['requests without an address', { item: [{ name: 'x', request: { method: 'GET', url: '{{base}}/pets' } }] }],
  ['no requests', { item: [] }],
  ['items that are none', { item: [null, 7, { request: 5 }] }],
])('says what is wrong with %s', (_, part) => {
  const { status, findings } = importPostman({ info: { name: 'X', schema }, ...part });
  expect(status).toBe(false);
  expect(findings).toMatchObject([{ code: expect.stringMatching(/^IMP00[459]$/), hint: expect.any(String) }]);
});

it.each([
  ['a curl command', ' curl https://pets.example.com/pets', 'getPets'],
  [
    'an OpenAPI document',
    'openapi: 3.1.0\ninfo: {title: Pets}\nservers: [{url: https://a.example}]\npaths: {/a: {get: {}}}',
    'getA',
  ],
  ['a collection', JSON.stringify(collection), 'listOrders'],
  [
    'a recording',
    JSON.stringify({
      log: {
        entries: [
          {
            request: { method: 'GET', url: 'https://pets.example.com/pets' },
            response: { status: 200, content: { mimeType: 'application/json', text: '[]' } },
          },
        ],
      },
    }),
    'getPets',
  ],
])('importApi knows %s', (_, text, name) => {
  expect(importApi(text).tools[0]?.name).toMatch(new RegExp(`__${name}$`));
});

it('reads forms, files, GraphQL, OAuth, keys with a name of their own, and parts without a value', async () => {
  const apikey = [
    { key: 'key', value: 'X-Shop' },
    { key: 'value', value: 's3cret' },
  ];
  const oauth2 = [
    { key: 'grant_type', value: 'client_credentials' },
    { key: 'accessTokenUrl', value: 'https://shop.example.com/token' },
    { key: 'clientSecret', value: 's3cret' },
    { key: 'scope', value: 'read' },
  ];
  const url = (path: string) => `{{base}}${path}`;
  const field = { key: 'note', value: 'x' };
  const item = [
    {
      name: 'Send form',
      request: { method: 'POST', url: url('/form'), body: { mode: 'urlencoded', urlencoded: [field] } },
    },
    {
      name: 'Upload',
      request: {
        method: 'POST',
        url: url('/a/:id/file'),
        body: { mode: 'formdata', formdata: [field, { key: 'file', type: 'file' }] },
      },
    },
    {
      name: 'Query',
      request: {
        method: 'POST',
        url: url('/graphql'),
        body: { mode: 'graphql', graphql: { query: '{ a }', variables: '{"n":1}' } },
      },
    },
    { name: 'Token', request: { method: 'GET', url: url('/x/{{place}}'), auth: { type: 'oauth2', oauth2 } } },
    { name: 'Signed', request: { method: 'GET', url: url('/s'), auth: { type: 'awsv4' } } },
    { name: 'Elsewhere', request: { method: 'POST', url: 'https://other.example.com/form' } },
  ];
  const auth = { type: 'apikey', apikey };
  const read = importPostman({ info: { name: 'Shop' }, auth, item }, { server: 'https://shop.example.com', limit: 1 });
  expect(read.omissions.filter(({ code }) => code < 'IMP020').map(({ code }) => code)).toEqual(['IMP012', 'IMP015']);
  const mains = await Promise.all(
    Object.entries(read.files)
      .filter(([path]) => path.endsWith('.mjs'))
      .map(async ([, text]) => (await import(`data:text/javascript,${encodeURIComponent(text)}`)).main),
  );
  for (const main of mains) expect(SchemaKit.validateMain({ main }).status).toBe(true);
  const auths = new Set(mains.map((main) => JSON.stringify(main.auth)));
  expect([...auths].join()).toMatch(/"name":"X-Shop"/);
  expect([...auths].join()).toMatch(/"tokenUrl":"https:\/\/shop.example.com\/token"/);
  const tools = Object.assign({}, ...mains.map(({ tools }) => tools));
  expect(tools).toMatchObject({
    sendForm: { encoding: 'form' },
    upload: { encoding: 'multipart', path: '/a/{{id}}/file' },
    query: { method: 'POST' },
    token: { path: '/x/{{place}}' },
  });
  expect(JSON.stringify(read.files)).not.toContain('s3cret');
});

it('takes the values of path variables for the test', async () => {
  const variable = [
    { key: 'id', value: '{{order}}' },
    { key: 'note', value: '' },
  ];
  const request = { method: 'GET', url: { raw: 'https://shop.example.com/orders/:id/notes/:note', variable } };
  const one = { ...request, url: { raw: 'https://shop.example.com/orders/:id', variable } };
  const item = [
    { name: 'Get note', request },
    { name: 'Get order', request: one },
  ];
  const { files } = importPostman({ ...collection, auth: undefined, variable: [{ key: 'order', value: '7' }], item });
  const { main } = await import(`data:text/javascript,${encodeURIComponent(files['orders.mjs'] ?? '')}`);
  expect(main.tools.getOrder.tests).toMatchObject([{ id: 7 }]);
  expect(main.tools.getNote.tests ?? []).toEqual([]);
});
