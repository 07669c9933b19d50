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
  expect(tools.map(({ name }) => name)).toEqual(['shop__getOrders', 'shop__postOrders', 'shop__getOrdersById']);
  expect(Object.keys(files)).toContain('orders.mjs');
  expect(JSON.stringify(files)).not.toContain('s3cret');
  const { main } = await import(`data:text/javascript,${encodeURIComponent(files['orders.mjs'] ?? '')}`);
  expect(SchemaKit.validateMain({ main }).status).toBe(true);
  expect(main).toMatchObject({ root: 'https://shop.example.com/v1', auth: { type: 'bearer' } });
  const shapes = JSON.stringify(main.tools.postOrders.parameters);
  expect(shapes).toContain('array(object({ note: string() }))');
  expect(JSON.stringify(main.tools.getOrders.output)).toContain('"id"');
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
  expect(JSON.stringify(files)).toMatch(/X_X_API_KEY.*X_API_KEY/);
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
  ['a collection', JSON.stringify(collection), 'getOrders'],
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
