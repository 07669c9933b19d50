import { createJsonSchemaChecker } from '@schemakit/core/internal';
import type { Fault } from './config-rules.ts';

/** What makes a JSON Schema invalid. Unknown keywords, dialects and references to other documents are allowed. */
export function schemaFaults(root: unknown): Fault[] {
  const { referred } = createJsonSchemaChecker(root);
  const faults: Fault[] = [];
  const visit = (schema: unknown, place: string, depth = 0): void => {
    if (typeof schema === 'boolean' || schema === undefined) return;
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth > maxDepth)
      return void faults.push({ place, expected: `a JSON Schema: an object, at most ${maxDepth} levels deep` });
    for (const [key, value] of Object.entries(schema)) {
      const { [key]: expected } = rules;
      const at = `${place}.${key}`;
      if (expected !== undefined && !expected.fits(value)) faults.push({ place: at, expected: expected.text });
      else if (single.has(key) && !Array.isArray(value)) visit(value, at, depth + 1);
      else if ((lists.has(key) || key === 'items') && Array.isArray(value))
        for (const [index, part] of value.entries()) visit(part, `${at}[${index}]`, depth + 1);
      else if (maps.has(key))
        for (const [name, part] of Object.entries(Object(value))) visit(part, `${at}.${name}`, depth + 1);
    }
    if (referred(schema as Record<string, unknown>).includes(false))
      faults.push({ place: `${place}.$ref`, expected: 'a reference to a part of this schema, such as #/$defs/name' });
  };
  visit(root, '');
  return faults;
}

const maxDepth = 50;

const single = new Set([
  ...['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const maps = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);

const words = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const rules: Readonly<Record<string, { text: string; fits: (value: unknown) => boolean }>> = {
  type: {
    text: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}, or an array of them`,
    fits: (value) => [value].flat().every((word) => words.includes(String(word))),
  },
  required: {
    text: 'an array of strings',
    fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  },
  enum: { text: 'an array', fits: Array.isArray },
  $ref: { text: 'a string', fits: (value) => typeof value === 'string' },
  ...Object.fromEntries([...lists].map((key) => [key, { text: 'an array of JSON Schemas', fits: Array.isArray }])),
  ...Object.fromEntries([...maps].map((key) => [key, { text: 'an object of JSON Schemas', fits: isObject }])),
};
