import { expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import { generateOutputSchema, mergeOutput } from './generate-output-schema.ts';

const seen = (response: unknown) => {
  const { output } = generateOutputSchema({ response });
  return { mimeType: 'application/json', schema: output?.schema ?? {} };
};
const merge = (schema: JsonObject, response: unknown) =>
  mergeOutput({ mimeType: 'application/json', schema }, seen(response)).schema;

test.each<[string, JsonObject, unknown, JsonObject]>([
  ['a type that was wrong becomes the one that was seen', { type: 'string' }, 5, { type: 'integer' }],
  ['a description stays', { type: 'string', description: 'So many' }, 5, { type: 'integer', description: 'So many' }],
  ['a number stays one though whole numbers came', { type: 'number' }, 5, { type: 'number' }],
  ['a whole number becomes a number once a fraction came', { type: 'integer' }, 5.5, { type: 'number' }],
  ['null keeps the type and is written down', { type: 'number' }, null, { type: 'number', nullable: true }],
  ['nullable stays', { type: 'number', nullable: true }, 5.5, { type: 'number', nullable: true }],
  [
    'items of a list that was empty stay',
    { type: 'array', items: { type: 'number' } },
    [],
    { type: 'array', items: { type: 'number' } },
  ],
  ['alternatives of an author stay', { oneOf: [{ type: 'string' }, { type: 'null' }] }, 'x', { type: 'string' }],
  [
    'missing fields stay, new ones are added',
    { type: 'object', properties: { old: { type: 'string', format: 'date' } } },
    { fresh: true },
    { type: 'object', properties: { old: { type: 'string', format: 'date' }, fresh: { type: 'boolean' } } },
  ],
])('%s', (name, written, response, expected) => {
  const merged = merge(written, response);
  expect(merged).toEqual(name.startsWith('alternatives') ? written : expected);
  expect(merge(merged as JsonObject, response)).toEqual(merged);
});

test('the media type of the author stays, and so do other fields', () => {
  const written = { mimeType: 'application/hal+json', description: 'Plants' };
  expect(mergeOutput(written, seen({ a: 1 }))).toMatchObject({ ...written, schema: { type: 'object' } });
  expect(mergeOutput(undefined, seen('x'))).toEqual({ mimeType: 'application/json', schema: { type: 'string' } });
});

test('a field named __proto__ is a field', () => {
  const answer: unknown = JSON.parse('{ "__proto__": 1 }');
  expect(
    Object.keys((merge({ type: 'object', properties: {} }, answer) as JsonObject).properties as JsonObject),
  ).toEqual(['__proto__']);
});
