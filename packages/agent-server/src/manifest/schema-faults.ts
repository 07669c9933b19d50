import { createJsonSchemaChecker, isObject } from '@schemakit/core/internal';
import type { Fault } from './faults.ts';

/** What makes a JSON Schema invalid. Unknown keywords, dialects and references to other documents are allowed. */
export function schemaFaults(root: unknown): Fault[] {
  const faults: Fault[] = [];
  if (!isJson(root))
    return [
      {
        place: '',
        problem: 'must be JSON, and contains itself or has a BigInt',
        hint: 'Refer to a schema that contains itself by $ref.',
      },
    ];
  const { referred } = createJsonSchemaChecker(root);
  const seen = new Set<unknown>([true, false, undefined]);
  const visit = (schema: unknown, place: string): void => {
    if (seen.has(schema)) return;
    if (!isObject(schema))
      return void faults.push({ place, problem: 'must be a JSON Schema: an object, true or false' });
    seen.add(schema);
    for (const [key, value] of Object.entries(schema)) {
      const at = `${place}.${key}`;
      const rule = rules.get(key);
      if (value === undefined) continue;
      if (rule !== undefined && !rule.fits(value)) faults.push({ place: at, problem: `must be ${rule.expected}` });
      else if (single.has(key) && !Array.isArray(value)) visit(value, at);
      else if ((lists.has(key) || key === 'items') && Array.isArray(value))
        for (const [index, part] of value.entries()) visit(part, `${at}[${index}]`);
      else if (maps.has(key)) for (const [name, part] of Object.entries(Object(value))) visit(part, `${at}.${name}`);
    }
    if (referred(schema).includes(false))
      faults.push({
        place: `${place}.$ref`,
        problem: 'must be a reference to a part of this schema, such as #/$defs/name',
      });
  };
  visit(root, '');
  return faults;
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

const single = new Set([
  ...['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const maps = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);

const words = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

const rules = new Map<string, { expected: string; fits: (value: unknown) => boolean }>([
  [
    'type',
    {
      expected: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}, or an array of them`,
      fits: (value) => [value].flat().every((word) => words.includes(String(word))),
    },
  ],
  [
    'required',
    {
      expected: 'an array of strings',
      fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    },
  ],
  ['enum', { expected: 'an array', fits: Array.isArray }],
  ['pattern', { expected: 'a regular expression', fits: isPattern }],
  ['$ref', { expected: 'a string', fits: (value) => typeof value === 'string' }],
  ...[...lists].map((key) => [key, { expected: 'an array of JSON Schemas', fits: Array.isArray }] as const),
  ...[...maps].map((key) => [key, { expected: 'an object of JSON Schemas', fits: isObject }] as const),
]);
