import { UriTemplate } from '@modelcontextprotocol/client';
import { UriTemplate as OldUriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Input } from '../schema/schema.ts';
import { inputName, isAt, readUriArguments, templateName, uriTemplate } from './resource-uri.ts';

const base = 'schemakit://shop/goods/find';
const input = (name: string, optional = false): Input => ({
  name,
  aliases: [],
  z: { primitive: 'string', optional },
});

test('a template has the inputs in their order', () => {
  expect(uriTemplate(base, [input('name'), input('limit')])).toBe(`${base}{?name,limit}`);
  expect(uriTemplate(base, [input('from-date'), input('filter[a]')])).toBe(`${base}{?from%2Ddate,filter%5Ba%5D}`);
});

describe('arguments', () => {
  const inputs = [input('name'), input('limit', true)];
  test.each<[string, Record<string, unknown>]>([
    ['', {}],
    ['?', {}],
    ['?name=Ulm', { name: 'Ulm' }],
    ['?limit=5&name=Ulm', { name: 'Ulm', limit: '5' }],
    ['?name=New%20York#top', { name: 'New York' }],
    ['?name=New+York', { name: 'New York' }],
    ['?name=a%2Bb%26c%3Dd%3F%23', { name: 'a+b&c=d?#' }],
    ['?name=100%', { name: '100%' }],
    ['?name=', { name: '' }],
    ['?name=Ulm&limit=', { name: 'Ulm' }],
    ['?name=a&name=b', { name: ['a', 'b'] }],
    ['?nam=Ulm', { nam: 'Ulm' }],
    ['?__proto__=1', Object.fromEntries([['__proto__', '1']])],
  ])('%s', (query, args) => {
    expect(readUriArguments(`${base}${query}`, inputs)).toEqual(args);
  });
});

test.each<[string, boolean]>([
  [base, true],
  [`${base}?name=a`, true],
  [`${base}#top`, true],
  [`${base}s`, false],
  [`${base}/`, false],
  ['schemakit://shop/goods', false],
])('%s is at the address: %s', (address, is) => {
  expect(isAt(base, address)).toBe(is);
});

const text = fc.string({ unit: 'grapheme' });
const names = fc.uniqueArray(
  text.filter((name) => name !== ''),
  { minLength: 1, maxLength: 4 },
);

describe.each([
  ['second', UriTemplate],
  ['first', OldUriTemplate],
])('a template that a client of the %s generation fills in', (_, Template) => {
  test('returns any text under any name', () => {
    fc.assert(
      fc.property(names, fc.array(text, { minLength: 4, maxLength: 4 }), (keys, values) => {
        const args = Object.fromEntries(keys.map((key, index) => [key, values[index] ?? '']));
        const template = uriTemplate(
          base,
          keys.map((key) => input(key)),
        );
        const variables = Object.entries(args).map(([key, value]) => [templateName(key), value]);
        const address = new Template(template).expand(Object.fromEntries(variables));
        expect(isAt(base, address)).toBe(true);
        const inputs = keys.map((key) => input(key));
        expect(readUriArguments(address, inputs)).toEqual(args);
        // Servers of the SDK hand on addresses as URL writes them.
        expect(readUriArguments(new URL(address).href, inputs)).toEqual(args);
      }),
    );
  });
});

test('names of inputs and of variables map to each other', () => {
  fc.assert(
    fc.property(text, (name) => {
      expect(templateName(name)).toMatch(/^(?:[A-Za-z0-9_]|%[0-9A-F]{2})*$/);
      expect(inputName(templateName(name))).toBe(name);
    }),
  );
  expect(templateName('\uD800')).toBe('%EF%BF%BD');
  expect(inputName('50%')).toBe('50%');
});

test('reading any address does not throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (query) => {
      expect(() => readUriArguments(`${base}?${query}`, [input('name')])).not.toThrow();
    }),
  );
});
